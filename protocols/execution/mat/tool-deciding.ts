// Which servers and tools an organization uses: registers, approves and disables them.

import { parseConsent } from '@svc/contract/authority/consent'
import { type ToolDefinition, toolHash } from '@svc/contract/foreign/tools'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { definitionFault } from './tool-definition.ts'
import { readToolId, type ServerScheme, schemeOf, serverToolId } from './tool-id.ts'
import { type ServerInput, type ToolInput, type ToolOutput, timeout_ms_default } from './tool-input.ts'
import { noSuchServer, noSuchTool } from './tool-missing.ts'
import {
  bareServer,
  decideTool,
  findServers,
  findTools,
  lockServers,
  quarantineTools,
  type ServerRow,
  writeServer,
} from './tool-store.ts'

const servers_max = 32

export async function registerServer(
  server: ServerInput,
  context: OperationContext<'tools' | 'vault'>,
): Promise<ToolOutput> {
  const row = rowOf(server, context)
  const refused = context.tools.refusalOf(bareServer(row))
  if (refused !== undefined) throw notAllowed(server, refused)
  await lockServers(context)
  const servers = await findServers(context)
  const before = servers.find(({ id }) => id === row.id)
  if (!before && servers.length >= servers_max) throw tooMany()
  const { now, caller } = context
  await writeServer(context, row, caller.did, now)
  // Approvals were given to the server that had this name before.
  const is_other = before !== undefined && !isSame(before, row)
  const quarantined = is_other ? await quarantineTools(context, row.id, caller.did, now) : 0
  if (before) context.afterCommit(() => context.tools.disconnect(bareServer(before)))
  context.audit('ToolRegistered', { server_id: row.id, transport: row.transport, quarantined })
  return { server: { id: row.id, transport: row.transport, state: 'active', quarantined } }
}

function rowOf(server: ServerInput, { tenant_id }: OperationContext): ServerRow {
  const { id, transport, url, command_ref, headers_secret_ref, allowed_tools } = server
  const is_http = transport !== 'stdio'
  const missing = is_http
    ? url === undefined && '/server/url'
    : command_ref === undefined && '/server/command_ref'
  if (missing) throw wrongFields(missing, `is needed for ${transport}`)
  if (is_http && command_ref !== undefined) throw wrongFields('/server/command_ref', 'is for stdio')
  if (!is_http && url !== undefined) throw wrongFields('/server/url', 'is for http')
  if (!is_http && headers_secret_ref !== undefined)
    throw wrongFields('/server/headers_secret_ref', 'is for http')
  return {
    tenant_id,
    id,
    transport,
    ...(url !== undefined && { url }),
    ...(command_ref !== undefined && { command_ref }),
    ...(headers_secret_ref !== undefined && { headers_secret_ref }),
    allowed_tools: allowed_tools ?? null,
    state: 'active',
  }
}

function isSame(a: ServerRow, b: ServerRow): boolean {
  return (
    a.transport === b.transport &&
    a.url === b.url &&
    a.command_ref === b.command_ref &&
    a.headers_secret_ref === b.headers_secret_ref
  )
}

const no_approval = 'none'

/** Pins a tool's current definition. Whose consent its calls need stays as it is, unless another is named, or none. */
export async function approveTool(
  input: ToolInput,
  context: OperationContext<'tools' | 'vault'>,
): Promise<ToolOutput> {
  const { server_id, name, tool_id, kind } = requireServerTool(input)
  if (name === '*') throw wrongFields('/tool_id', 'must name one tool: each is approved as it is')
  const { approval } = input
  if (approval !== undefined && approval !== no_approval && !parseConsent(approval))
    throw wrongFields(
      '/approval',
      'must be role:<name>, user names or DIDs with commas, 2 of them (2 of …), or none',
    )
  const row = await context.apart((rows) =>
    findActiveServer({ ...rows, tenant_id: context.tenant_id }, server_id, kind),
  )
  requireOffered(row, name, tool_id)
  const { signal } = context
  const wait = { timeout_ms: input.timeout_ms ?? timeout_ms_default, signal, is_fresh: true }
  const listed = await context.tools.list(bareServer(row), wait)
  const definition = listed.find((tool) => tool.name === name)
  if (!definition) throw notAmong(row, listed, tool_id)
  const schema_hash = toolHash(definition)
  requireExpected(input, schema_hash)
  requireUsable(tool_id, definition)
  const decision = { server_id, name, state: 'approved', by: context.caller.did, at: context.now } as const
  await lockServers(context)
  const [before] = await findTools(context, [server_id], name)
  const demanded = before?.approval ?? null
  const demand = approval === undefined ? demanded : approval === no_approval ? null : approval
  await decideTool(context, decision, { schema_hash, definition, approval: demand })
  const each_call = {
    ...(demand !== null && { approval: demand }),
    ...(demanded !== null && demanded !== demand && { approval_before: demanded }),
  }
  context.audit('ToolApproved', { tool_id, schema_hash, ...each_call })
  return { tool_id, schema_hash, state: 'approved', ...each_call }
}

export async function disableTool(
  input: ToolInput,
  context: OperationContext<'tools' | 'vault'>,
): Promise<ToolOutput> {
  const { server_id, name, tool_id, kind } = requireServerTool(input)
  const [row] = await findServers(context, server_id)
  if (!row || schemeOf(row) !== kind) throw await unregistered(context, server_id, kind)
  const { caller, now } = context
  context.audit('ToolDisabled', { tool_id })
  if (name !== '*') {
    await decideTool(context, { server_id, name, state: 'disabled', by: caller.did, at: now })
    return { tool_id, state: 'disabled' }
  }
  await writeServer(context, { ...row, state: 'disabled' }, caller.did, now)
  context.afterCommit(() => context.tools.disconnect(bareServer(row)))
  const server = { id: row.id, transport: row.transport, state: 'disabled', quarantined: 0 } as const
  return { tool_id, state: 'disabled', server }
}

/** Disabled servers are not called. */
export async function findActiveServer(
  rows: Parameters<typeof findServers>[0],
  server_id: string,
  scheme: ServerScheme,
): Promise<ServerRow> {
  const [row] = await findServers(rows, server_id)
  if (!row || schemeOf(row) !== scheme) throw await unregistered(rows, server_id, scheme)
  if (row.state === 'active') return row
  throw refuse('policy_denied', `The tool server ${server_id} is disabled; register it again to use it.`, {
    reason: 'tool server disabled',
    performed: 'no',
  })
}

async function unregistered(
  rows: Parameters<typeof findServers>[0],
  server_id: string,
  scheme: ServerScheme,
) {
  const servers = await findServers(rows)
  return noSuchServer(
    server_id,
    servers.filter((server) => schemeOf(server) === scheme).map(({ id }) => id),
  )
}

export function requireOffered(row: ServerRow, name: string, tool_id: string): void {
  const { allowed_tools } = row
  if (!allowed_tools || allowed_tools.includes(name)) return
  throw noSuchTool(
    tool_id,
    allowed_tools.map((allowed) => serverToolId(row, allowed)),
  )
}

/** Of the tools that its registration allows, the nearest is named. */
export function notAmong(row: ServerRow, listed: readonly ToolDefinition[], tool_id: string): Refusal {
  const { allowed_tools } = row
  const names = listed.map(({ name }) => name).filter((name) => allowed_tools?.includes(name) ?? true)
  return noSuchTool(
    tool_id,
    names.map((name) => serverToolId(row, name)),
  )
}

export function requireExpected({ expect_schema_hash }: ToolInput, schema_hash: string): void {
  if (expect_schema_hash === undefined || expect_schema_hash === schema_hash) return
  throw refuse(
    'invalid_payload',
    'The definition of the tool has changed: its schema_hash is not the one you expect. Read it again with tool_discovery, then send the new hash.',
    {
      reason: 'version_conflict',
      path: '/expect_schema_hash',
      performed: 'no',
      schema_hash,
      expect_schema_hash,
    },
  )
}

function requireUsable(tool_id: string, definition: ToolDefinition): void {
  const fault = definitionFault(definition)
  if (fault === undefined) return
  throw refuse('policy_denied', `${tool_id} cannot be used: ${fault}; ask whoever runs its server.`, {
    reason: 'tool unusable',
    performed: 'no',
  })
}

function requireServerTool({ tool_id }: ToolInput) {
  if (tool_id === undefined) throw wrongFields('/tool_id', 'is needed')
  const named = readToolId(tool_id)
  if (named.kind !== 'svc') return { ...named, tool_id }
  throw refuse(
    'policy_denied',
    `${tool_id} is an operation of this engine: capabilities say who may use it, and nobody approves or disables it.`,
    { reason: 'operation not a server tool' },
  )
}

export function wrongFields(pointer: string, message: string): Refusal {
  return refuse('invalid_payload', `${pointer} ${message}.`, {
    reason: 'fields',
    path: pointer,
    faults: [{ pointer, message }],
  })
}

function notAllowed({ id, transport }: ServerInput, reason: string): Refusal {
  const setting = transport === 'stdio' ? 'SVC_COMMANDS' : 'SVC_TOOL_HOSTS'
  return refuse(
    'policy_denied',
    `The tool server ${id} may not be registered: ${reason}; the operator of this engine allows it with ${setting}.`,
    { reason },
  )
}

function tooMany(): Refusal {
  return refuse(
    'policy_denied',
    `An organization has at most ${servers_max} tool servers; register this one in place of another.`,
    { reason: 'too many tool servers' },
  )
}
