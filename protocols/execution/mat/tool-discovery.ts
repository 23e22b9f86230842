// Finds tools for a task: operations of this engine and tools of registered servers, by words and meaning.
import { covers } from '@svc/contract/authority/capability'
import { type ToolDefinition, toolHash } from '@svc/contract/foreign/tools'
import { chargeQuanta, energyOf, multipliersOf, rateAt } from '@svc/contract/money/charge'
import { microUsdAbove, usdText } from '@svc/contract/money/money'
import type { ServedOperation } from '@svc/contract/needs/served-operations'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { definitionFault } from './tool-definition.ts'
import { serverToolId, svcToolId } from './tool-id.ts'
import type { DiscoveryInput, DiscoveryOutput, FoundTool } from './tool-input.ts'
import { noSuchServer } from './tool-missing.ts'
import { operationAsTool } from './tool-operation.ts'
import { rankTools } from './tool-ranking.ts'
import {
  bareServer,
  callStatistics,
  findServers,
  findTools,
  pinnedDefinition,
  type ServerRow,
  type ToolRow,
} from './tool-store.ts'

const list_ms_max = 5_000
const candidates_max = 4_000
const page_bytes_max = 512 * 1024
/** Estimated latency of a tool without calls. */
const unknown_ms = 100

export interface Candidate {
  readonly tool_id: string
  readonly definition: ToolDefinition
  readonly state: FoundTool['state']
  readonly fault?: string
  readonly facts: Pick<ServedOperation['facts'], 'meters' | 'multipliers'>
}

export async function discoverTools(
  input: DiscoveryInput,
  context: OperationContext<'authority' | 'budgets' | 'embedder' | 'served' | 'tools' | 'vault'>,
): Promise<DiscoveryOutput> {
  const from = readCursor(input.cursor)
  if (input.server !== undefined) await requireServer(input.server, context)
  const { found, unreachable } = await toolsOfServers(input, context)
  const isNamed = ({ tool_id }: Candidate) => input.tool_ids?.includes(tool_id) ?? true
  const candidates = [...(await operationsFor(input, context)), ...found]
    .filter(isNamed)
    .sort((a, b) => (a.tool_id < b.tool_id ? -1 : 1))
    .slice(0, candidates_max)
  const ranked = input.query === undefined ? candidates : await rankTools(input.query, candidates, context)
  const page = ranked.slice(from, from + (input.limit ?? 20))
  const tools = fitPage(await describe(page, context))
  const to = from + tools.length
  return { tools, unreachable, ...(to < ranked.length && { cursor: writeCursor(to) }) }
}

async function requireServer(server_id: string, context: OperationContext): Promise<void> {
  const { tenant_id } = context
  const servers = await context.apart(({ db }) => findServers({ db, tenant_id }))
  const server_ids = servers.map(({ id }) => id)
  if (!server_ids.includes(server_id)) throw noSuchServer(server_id, server_ids, '/server')
}

async function operationsFor(
  { category, server, capability_only = true }: DiscoveryInput,
  context: OperationContext<'authority' | 'served'>,
): Promise<Candidate[]> {
  if (server !== undefined) return []
  const names = await usableNames(context)
  return context.served
    .all()
    .filter((served) => category === undefined || served.category === category)
    .filter(({ capability }) => !capability_only || names.some((name) => covers(name, capability)))
    .map((served) => ({
      tool_id: svcToolId(served.protocol, served.operation),
      definition: operationAsTool(served),
      state: 'approved',
      facts: served.facts,
    }))
}

/** Of capabilities that have not expired. */
async function usableNames(context: OperationContext<'authority'>): Promise<string[]> {
  const { held } = await context.authority.ofCaller()
  const now_ms = Date.parse(context.now)
  return held.flatMap(({ name, expires_at }) =>
    expires_at && Date.parse(expires_at) <= now_ms ? [] : [name],
  )
}

/** Queries servers in parallel; for one that does not answer, returns its approved tools. */
async function toolsOfServers(
  { category, server, tool_ids, capability_only = true }: DiscoveryInput,
  context: OperationContext<'authority' | 'served' | 'tools' | 'vault'>,
): Promise<{ found: Candidate[]; unreachable: string[] }> {
  const own = context.served.find('MAT', 'tool')
  const names = await usableNames(context)
  const may_call = own && names.some((name) => covers(name, own.capability))
  if (!own || (category !== undefined && category !== own.category) || (capability_only && !may_call))
    return { found: [], unreachable: [] }
  // No server is queried for operations of this engine.
  if (tool_ids && !tool_ids.some((tool_id) => /^(mcp|a2a):/.test(tool_id)))
    return { found: [], unreachable: [] }
  const { tenant_id } = context
  const { servers, rows } = await context.apart(async ({ db }) => {
    const servers = (await findServers({ db, tenant_id }, server)).filter(({ state }) => state === 'active')
    return {
      servers,
      rows: await findTools(
        { db, tenant_id },
        servers.map(({ id }) => id),
      ),
    }
  })
  const unreachable: string[] = []
  const lists = await Promise.all(
    servers.map(async (row) => {
      const tool_rows = rows.filter(({ server_id }) => server_id === row.id)
      const live = await listLive(row, context)
      if (!live) unreachable.push(row.id)
      return live ? ofLive(row, live, tool_rows) : ofKept(row, tool_rows, context)
    }),
  )
  return { found: lists.flat().map((tool) => ({ ...tool, facts: own.facts })), unreachable }
}

type Unpriced = Omit<Candidate, 'facts'>

async function listLive(row: ServerRow, { tools, signal }: OperationContext<'tools'>) {
  try {
    return await tools.list(bareServer(row), { timeout_ms: list_ms_max, signal })
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

function ofLive(
  server: ServerRow,
  live: readonly ToolDefinition[],
  tool_rows: readonly ToolRow[],
): Unpriced[] {
  const { allowed_tools } = server
  return live
    .filter(({ name }) => !allowed_tools || allowed_tools.includes(name))
    .map((definition) => {
      const row = tool_rows.find(({ name }) => name === definition.name)
      const fault = definitionFault(definition)
      const base = { tool_id: serverToolId(server, definition.name), definition }
      return fault === undefined
        ? { ...base, state: stateOf(row, definition) }
        : { ...base, definition: withoutWords(definition), state: 'unusable', fault }
    })
}

/** Definitions with hidden or uncheckable text are not returned. */
function withoutWords({ name }: ToolDefinition): ToolDefinition {
  return { name, description: '', inputSchema: {} }
}

function stateOf(row: ToolRow | undefined, definition: ToolDefinition): FoundTool['state'] {
  if (!row) return 'unapproved'
  return row.state === 'approved' && row.schema_hash !== toolHash(definition) ? 'quarantined' : row.state
}

function ofKept(
  server: ServerRow,
  tool_rows: readonly ToolRow[],
  context: OperationContext<'vault'>,
): Unpriced[] {
  return tool_rows.flatMap((row) => {
    const definition = pinnedDefinition(context, row)
    return definition ? [{ tool_id: serverToolId(server, row.name), definition, state: row.state }] : []
  })
}

async function describe(
  page: readonly Candidate[],
  context: OperationContext<'budgets'>,
): Promise<FoundTool[]> {
  const { tenant_id } = context
  const tool_ids = page.map(({ tool_id }) => tool_id)
  const statistics = await context.apart(({ db }) => callStatistics({ db, tenant_id }, tool_ids))
  const { rates } = await context.budgets.rules()
  const rate = rateAt(rates, Date.parse(context.now))
  return page.map(({ tool_id, definition, state, fault, facts }) => {
    const statistic = statistics.get(tool_id)
    const ms = Math.max(1, statistic?.p50_ms ?? unknown_ms)
    const measured = { ms, tokens_in: 0, tokens_out: 0, uwh: energyOf(ms, 0) }
    const cost = microUsdAbove(chargeQuanta(measured, rate, multipliersOf(facts)))
    return {
      tool_id,
      description: definition.description,
      input_schema: definition.inputSchema as Record<string, unknown>,
      schema_hash: toolHash(definition),
      state,
      ...(fault !== undefined && { fault }),
      estimated_cost: { usd: usdText(cost), ms },
      ...statistic,
    }
  })
}

/** As many as fit into an answer, at least one: definitions may be long. */
function fitPage(tools: FoundTool[]): FoundTool[] {
  let left = page_bytes_max
  const end = tools.findIndex((tool, place) => {
    left -= Buffer.byteLength(JSON.stringify(tool))
    return left < 0 && place > 0
  })
  return end === -1 ? tools : tools.slice(0, end)
}

function writeCursor(from: number): string {
  return Buffer.from(`tools ${from}`).toString('base64url')
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  const match = /^tools ([0-9]{1,6})$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (match) return Number(match[1])
  throw refuse(
    'invalid_payload',
    'This cursor was not given out by tool_discovery; leave it out to begin anew.',
    {
      reason: 'cursor',
      path: '/cursor',
    },
  )
}
