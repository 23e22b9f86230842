// Runs a tool. No transaction is open meanwhile: the intent is committed before, the result after.

import { type ToolAnswer, type ToolDefinition, toolHash } from '@svc/contract/foreign/tools'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { actionOf, refuseWhileStopped } from '../stop-latch/api.ts'
import { commitmentOf } from './args-commitment.ts'
import { fitAnswer } from './tool-answer.ts'
import { findActiveServer, notAmong, requireExpected, requireOffered, wrongFields } from './tool-deciding.ts'
import { outputFault, requireArguments } from './tool-definition.ts'
import { type NamedTool, readToolId, svcToolId } from './tool-id.ts'
import { type ToolInput, type ToolOutput, timeout_ms_default } from './tool-input.ts'
import { noSuchTool } from './tool-missing.ts'
import { operationAsTool } from './tool-operation.ts'
import { keepRest } from './tool-rest.ts'
import {
  bareServer,
  beginCall,
  type CallOutcome,
  decideTool,
  endCall,
  findTools,
  mayBeDone,
  type ServerRow,
} from './tool-store.ts'

/** As long as keys are stored. */
const key_ms = 24 * 3_600_000

interface Chosen {
  readonly tool_id: string
  readonly schema_hash: string
  /** An external tool: schemas and the stop latch are checked here. An operation checks both itself. */
  readonly foreign?: ToolDefinition
  /** Who must consent to each call of it. */
  readonly approval?: string | null
  run(args: Readonly<Record<string, unknown>>): Promise<ToolAnswer>
}

export async function invokeTool(
  input: ToolInput,
  context: OperationContext<'compute' | 'requireApproval' | 'served' | 'tools' | 'vault'>,
): Promise<ToolOutput> {
  if (input.tool_id === undefined) throw wrongFields('/tool_id', 'is needed')
  const named = readToolId(input.tool_id)
  const chosen =
    named.kind === 'svc'
      ? chooseOperation(input.tool_id, named.protocol, named.operation, context)
      : await chooseServerTool(input, named, context)
  requireExpected(input, chosen.schema_hash)
  const args = input.arguments ?? {}
  if (chosen.foreign) await requireArguments(context, chosen.tool_id, chosen.foreign.inputSchema, args)
  if (typeof chosen.approval === 'string') await context.requireApproval(chosen.approval, chosen.tool_id)
  const salt = context.vault.salt()
  await intend(chosen, salt, context)
  return perform(chosen, args, salt, context)
}

function chooseOperation(
  tool_id: string,
  protocol: string,
  operation: string,
  context: OperationContext<'served'>,
): Chosen {
  const served = context.served.find(protocol, operation)
  if (!served)
    throw noSuchTool(
      tool_id,
      context.served.all().map((one) => svcToolId(one.protocol, one.operation)),
    )
  return {
    tool_id,
    schema_hash: toolHash(operationAsTool(served)),
    async run(args) {
      const structured = await context.call(protocol, operation, args)
      return { content: [{ type: 'text', text: canonicalJson(structured) }], structured, is_error: false }
    },
  }
}

async function chooseServerTool(
  input: ToolInput,
  { kind, server_id, name }: Exclude<NamedTool, { kind: 'svc' }>,
  context: OperationContext<'tools' | 'vault'>,
): Promise<Chosen> {
  const { tenant_id, signal, tools } = context
  const tool_id = input.tool_id!
  const { row, pin } = await context.apart(async (rows) => {
    // Listing its tools starts a server or calls it, which a stop forbids too. `intend` asks again.
    await refuseWhileStopped(rows.db, tenant_id, coveredOf(context))
    const row = await findActiveServer({ ...rows, tenant_id }, server_id, kind)
    requireOffered(row, name, tool_id)
    const [pin] = await findTools({ ...rows, tenant_id }, [server_id], name)
    return { row, pin }
  })
  if (pin?.state === 'quarantined') throw hasChanged(tool_id)
  const timeout_ms = input.timeout_ms ?? timeout_ms_default
  if (!pin) await requireListed(row, name, tool_id, timeout_ms, context)
  if (pin?.state !== 'approved') throw notApproved(tool_id, pin?.state)
  const find = async (is_fresh: boolean) => {
    const listed = await tools.list(bareServer(row), { timeout_ms, signal, is_fresh })
    return listed.find((tool) => tool.name === name)
  }
  let definition = await find(false)
  // The approval may be newer than the cached list.
  if (!definition || toolHash(definition) !== pin.schema_hash) definition = await find(true)
  if (!definition) throw notOffered(tool_id)
  const schema_hash = toolHash(definition)
  if (schema_hash !== pin.schema_hash) {
    await quarantine(row, name, { tool_id, schema_hash, approved_hash: pin.schema_hash }, context)
    throw hasChanged(tool_id)
  }
  const onProgress = (fraction: number | undefined) =>
    context.progress({ message: `${tool_id} is at work`, ...(fraction !== undefined && { fraction }) })
  return {
    tool_id,
    schema_hash,
    foreign: definition,
    approval: pin.approval,
    run: (args) => tools.call(bareServer(row), { name, arguments: args, timeout_ms, signal, onProgress }),
  }
}

/** Nobody decided on the tool yet: it may not exist at all. A server that cannot be asked leaves that open. */
async function requireListed(
  row: ServerRow,
  name: string,
  tool_id: string,
  timeout_ms: number,
  { tools, signal }: OperationContext<'tools'>,
): Promise<void> {
  const listed = await tools.list(bareServer(row), { timeout_ms, signal }).catch((error: unknown) => {
    if (error instanceof Refusal && error.code !== 'policy_denied') return undefined
    throw error
  })
  if (listed && !listed.some((tool) => tool.name === name)) throw notAmong(row, listed, tool_id)
}

/** From here on the call may have happened: the row stays, whatever follows. */
async function intend(
  { tool_id, foreign }: Chosen,
  args_salt: Buffer,
  context: OperationContext,
): Promise<void> {
  const { tenant_id, caller, record_id: call_id, now: at } = context
  const key_hash = foreign && keyOf(foreign, context)
  const call = { call_id, tool_id, caller_did: caller.did, at, args_salt, key_hash }
  await context.apart(async ({ db }) => {
    const rows = { db, tenant_id }
    if (foreign) await refuseWhileStopped(db, tenant_id, coveredOf(context))
    if (key_hash && (await mayBeDone(rows, key_hash, new Date(Date.parse(at) - key_ms))))
      throw askedBefore(tool_id)
    await beginCall(rows, call)
  })
}

function coveredOf(context: OperationContext) {
  return { agent: context.caller.did, action: actionOf(context) }
}

/** Servers have no idempotency keys, so repeated calls are blocked here; workflows do that themselves. */
function keyOf({ annotations }: ToolDefinition, context: OperationContext): string | undefined {
  const { idempotency_key, caller, invoke } = context
  const may_repeat = annotations?.readOnlyHint === true || annotations?.idempotentHint === true
  if (idempotency_key === undefined || may_repeat || invoke.metadata.workflow !== undefined) return undefined
  return sha256Hex(canonicalJson([caller.did, idempotency_key]))
}

async function perform(
  chosen: Chosen,
  args: Readonly<Record<string, unknown>>,
  salt: Buffer,
  context: OperationContext<'compute' | 'served' | 'tools' | 'vault'>,
): Promise<ToolOutput> {
  const { tool_id, schema_hash, foreign } = chosen
  const elapsed = context.tools.stopwatch()
  const meta = { tool_id, schema_hash, ...commitmentOf(args, salt) }
  let answer: ToolAnswer
  try {
    answer = await chosen.run(args)
    if (foreign && !answer.is_error) await requirePromised(tool_id, foreign, answer, context)
  } catch (error) {
    await keepFailure(meta, error, elapsed(), context)
    throw error
  }
  const latency_ms = elapsed()
  const fitted = fitAnswer(answer)
  const rest = fitted.truncated ? await keepRest(tool_id, answer, context) : undefined
  const outcome: CallOutcome = answer.is_error ? 'tool_error' : 'ok'
  await endCall(context, { call_id: context.record_id, tool_id, outcome, may_be_done: true, latency_ms })
  context.audit('ToolInvoked', {
    ...meta,
    outcome,
    latency_ms,
    truncated: fitted.truncated,
    ...(rest && { rest }),
  })
  return {
    tool_id,
    ...fitted,
    is_error: answer.is_error,
    schema_hash,
    latency_ms,
    ...(rest !== undefined && { rest }),
  }
}

/** The operation's own rows are rolled back, but the record of the call must remain. */
async function keepFailure(
  meta: { readonly tool_id: string },
  error: unknown,
  latency_ms: number,
  context: OperationContext,
): Promise<void> {
  const { tenant_id, record_id: call_id } = context
  const code = error instanceof Refusal ? error.code : 'internal'
  const is_no = error instanceof Refusal && error.row.outcome === 'refused'
  const outcome: CallOutcome = code === 'timeout' ? 'timeout' : is_no ? 'refused' : 'failed'
  const performed = error instanceof Refusal ? error.details.performed : 'unknown'
  // Refused if the deadline has passed: then the row stays as it is, with an unknown outcome.
  await context
    .apart(async ({ db, audit }) => {
      const may_be_done = performed !== 'no'
      await endCall({ db, tenant_id }, { call_id, tool_id: meta.tool_id, outcome, may_be_done, latency_ms })
      audit('ToolInvoked', { ...meta, outcome, code, latency_ms, ...(performed ? { performed } : {}) })
    })
    .catch(() => {})
}

async function requirePromised(
  tool_id: string,
  foreign: ToolDefinition,
  { structured }: ToolAnswer,
  context: OperationContext<'compute'>,
): Promise<void> {
  const fault = await outputFault(context, foreign, structured)
  if (!fault) return
  const why =
    fault === 'invalid'
      ? 'answered something else than its own output schema says'
      : 'its answer could not be checked against its output schema'
  throw refuse('adapter_error', `${tool_id} was performed, and ${why}; nothing of it is handed on.`, {
    reason: `tool answer ${fault}`,
    performed: 'yes',
  })
}

async function quarantine(
  { id: server_id }: ServerRow,
  name: string,
  meta: Readonly<Record<string, unknown>>,
  context: OperationContext<'vault'>,
): Promise<void> {
  const { tenant_id, vault, caller, now } = context
  await context.apart(async ({ db, audit }) => {
    const decision = { server_id, name, state: 'quarantined', by: caller.did, at: now } as const
    await decideTool({ db, tenant_id, vault }, decision)
    audit('ToolQuarantined', meta)
  })
}

function askedBefore(tool_id: string): Refusal {
  return refuse(
    'policy_denied',
    `${tool_id} was called with this idempotency key before, and may have been performed; check its effect, then call it with a new key.`,
    { reason: 'outcome unknown', performed: 'unknown' },
  )
}

function hasChanged(tool_id: string): Refusal {
  return refuse(
    'policy_denied',
    `The definition of ${tool_id} has changed since it was approved; review it with tool_discovery, then approve it again.`,
    { reason: 'tool definition changed', performed: 'no' },
  )
}

function notApproved(tool_id: string, state: 'disabled' | undefined): Refusal {
  return refuse(
    'policy_denied',
    `${tool_id} is ${state ?? 'not approved'}; review its definition with tool_discovery, then approve it.`,
    { reason: state === 'disabled' ? 'tool disabled' : 'tool not approved', performed: 'no' },
  )
}

function notOffered(tool_id: string): Refusal {
  return refuse(
    'policy_denied',
    `${tool_id} is no longer offered by its server; ask whoever runs the server.`,
    {
      reason: 'tool not offered',
      performed: 'no',
    },
  )
}
