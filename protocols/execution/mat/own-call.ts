// Calls of functions in the caller's own process: judged and recorded before they run, and reported by the caller afterwards.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { SceneStep } from '@svc/contract/scene'
import { AnyObject, Closed, described, Hash, HexHash, OneOf, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { actionOf, refuseWhileStopped } from '../stop-latch/api.ts'
import { commitmentOf } from './args-commitment.ts'
import { ownToolId, ToolId, tool_name_pattern } from './tool-id.ts'
import { beginCall, endCall, findOwnCall, forgetOwnCalls } from './tool-store.ts'

/** How long a call may take. Its row is deleted afterwards, its records stay. */
const open_ms_max = 24 * 3_600_000

export const BeginInput = Closed({
  tool: Type.String({
    pattern: `^${tool_name_pattern}$`,
    description: 'Name of your function, as policies and the audit log call it.',
  }),
  arguments: Type.Optional(
    described(
      AnyObject,
      'What your function will be called with. Policies can read it; the log commits to it.',
    ),
  ),
})
export type BeginInput = Static<typeof BeginInput>

export const BeginOutput = Closed({
  call_id: described(Uuid, 'For end_call.'),
  tool_id: described(ToolId, 'own:<tool>, as in the audit log.'),
  args_commitment: described(
    HexHash,
    'In the record of this call: sha256 of args_salt followed by the arguments as canonical JSON.',
  ),
  args_salt: Type.String({
    pattern: '^[A-Za-z0-9_-]{22,86}$',
    description: 'Base64url. Store it with the arguments if you want to prove later what they were.',
  }),
})
export type BeginOutput = Static<typeof BeginOutput>

const outcomes = ['ok', 'tool_error', 'failed', 'timeout'] as const

export const EndInput = Closed({
  call_id: described(Uuid, 'From begin_call.'),
  outcome: described(
    OneOf(...outcomes),
    'ok: it returned. tool_error: it threw an error. failed: it could not be run. timeout: you stopped waiting.',
  ),
  latency_ms: Type.Optional(
    Type.Integer({ minimum: 0, maximum: open_ms_max, description: 'Milliseconds it took, as you measured.' }),
  ),
  output_hash: Type.Optional(
    described(Hash, 'sha256 of what it returned, if you want to prove later what that was.'),
  ),
})
export type EndInput = Static<typeof EndInput>

export const EndOutput = Closed({
  call_id: described(Uuid, 'As in the input.'),
  tool_id: described(ToolId, 'own:<tool>.'),
  open_ms: Type.Integer({
    minimum: 0,
    description: 'Milliseconds between both calls, as the engine measured.',
  }),
})
export type EndOutput = Static<typeof EndOutput>

export const begin_example = { tool: 'refund', arguments: { order: 'A-1042', amount: 40 } }
const call_id_example = '6b9f2c1e-4d3a-4c8b-9a53-2f7c4e1d8a60'
export const end_example: EndInput = { call_id: call_id_example, outcome: 'ok', latency_ms: 12 }
export const call_begun: readonly SceneStep[] = [
  { call: 'MAT.begin_call', input: begin_example, answer: { call_id: call_id_example } },
]

export async function beginOwnCall(
  { tool, arguments: args = {} }: BeginInput,
  context: OperationContext<'vault'>,
): Promise<BeginOutput> {
  const { db, tenant_id, caller, now: at, record_id: call_id } = context
  await refuseWhileStopped(db, tenant_id, { agent: caller.did, action: actionOf(context) })
  await forgetOwnCalls(context, new Date(Date.parse(at) - open_ms_max))
  const tool_id = ownToolId(tool)
  const args_salt = context.vault.salt()
  await beginCall(context, { call_id, tool_id, caller_did: caller.did, at, args_salt, key_hash: undefined })
  const commitment = commitmentOf(args, args_salt)
  Object.assign(context.metadata, { call_id, tool_id, ...commitment })
  return {
    call_id,
    tool_id,
    args_commitment: commitment.args_commitment,
    args_salt: args_salt.toString('base64url'),
  }
}

export async function endOwnCall(
  { call_id, ...reported }: EndInput,
  context: OperationContext,
): Promise<EndOutput> {
  const call = await findOwnCall(context, call_id, context.caller.did)
  const open_ms = call && Math.max(0, Date.parse(context.now) - call.begun_at.getTime())
  if (!call || open_ms === undefined || open_ms > open_ms_max)
    throw refuse(
      'invalid_payload',
      'You have no such call: somebody else began it, or it began more than 24 hours ago; use the call_id that begin_call gave you.',
      { reason: 'not_found', path: '/call_id' },
    )
  if (call.outcome !== null)
    throw refuse(
      'policy_denied',
      `This call of ${call.tool_id} has ended already, as ${call.outcome}; a call ends once. Begin a new one for each run.`,
      { reason: 'call ended' },
    )
  const { tool_id } = call
  const { outcome } = reported
  await endCall(context, { call_id, tool_id, outcome, may_be_done: true, latency_ms: open_ms })
  context.audit('ToolInvoked', { call_id, tool_id, open_ms }, { supplied: reported })
  return { call_id, tool_id, open_ms }
}
