// The four actions of Aegis policy: see, set, test and withdraw.
import { type DelegationRules, isLooser } from '@svc/contract/authority/delegation-policy'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { askChain, askNode, requireOwnDid } from './aegis-answers.ts'
import { judge } from './delegation.ts'
import { readProof } from './delegator-proof.ts'
import {
  type DelegationRequest,
  delegationSourceOf,
  type Proofs,
  requireMoments,
  tellReplicas,
  tokenOf,
} from './make-delegation.ts'

const revoked_recorded_max = 64

export interface PolicyAsked extends Partial<DelegationRequest>, Proofs {
  readonly action: 'get' | 'set' | 'evaluate' | 'revoke'
  readonly rules?: DelegationRules
  readonly from_did?: string
  readonly token_id?: string
  readonly reason?: string
  readonly limit?: number
  readonly cursor?: string
}

/** Required and allowed fields of each action. Fields of other actions are refused, not silently ignored. */
const fields: Record<PolicyAsked['action'], { needs: readonly string[]; takes: readonly string[] }> = {
  get: { needs: [], takes: ['limit', 'cursor'] },
  set: { needs: ['rules'], takes: ['challenge_id', 'challenge_signature', 'public_key'] },
  evaluate: {
    needs: ['from_did', 'to_did', 'capabilities', 'expires_at'],
    takes: ['max_redelegation_depth', 'parent_token'],
  },
  revoke: { needs: ['token_id', 'reason'], takes: ['challenge_id', 'challenge_signature', 'public_key'] },
}

export function requireFields(input: PolicyAsked): void {
  const { needs, takes } = fields[input.action]
  const missing = needs.filter((name) => !(name in input))
  const foreign = Object.keys(input).filter(
    (name) => name !== 'action' && ![...needs, ...takes].includes(name),
  )
  if (missing.length === 0 && foreign.length === 0) return
  const faults = [
    ...missing.map((name) => ({ pointer: `/${name}`, message: `is required for ${input.action}` })),
    ...foreign.map((name) => ({ pointer: `/${name}`, message: `is not allowed for ${input.action}` })),
  ]
  const first = faults[0]!
  throw refuse(
    'invalid_payload',
    `The input of the policy action is invalid: ${first.pointer} ${first.message}.`,
    {
      reason: 'schema',
      faults,
    },
  )
}

export async function seeRules({ limit = 25, cursor }: PolicyAsked, context: OperationContext<'remote'>) {
  const { did } = context.caller
  const { rules, version, in_force_from } = await askNode(context, 'policy', { did })
  const listed = await askNode(context, 'list', { did, limit, ...(cursor ? { cursor } : {}) })
  const delegations = listed.delegations.map(({ public_key: _, challenged: __, ...shown }) => shown)
  const { next_cursor } = listed
  return { rules, version, in_force_from, delegations, next_cursor }
}

export async function setRules(input: PolicyAsked, context: OperationContext<'custody' | 'remote'>) {
  const { did } = context.caller
  const rules = input.rules!
  const before = await askNode(context, 'policy', { did })
  const guarded = before.rules.require_challenge ?? []
  const proof = await readProof(context, input, [
    { subject_did: did, purpose: 'delegate', capabilities: guarded },
  ])
  if (!proof && guarded.length > 0 && isLooser(rules, before.rules)) throw needsStepUp()
  if (rules.require_challenge?.length) await requireOwnKey(context, did)
  const challenge = proof ? { challenge: proof.answer } : {}
  const set = await askNode(context, 'set_policy', { did, rules, ...challenge })
  await tellReplicas(context, did)
  return { rules: set.rules, version: set.version, in_force_from: set.in_force_from }
}

/** The engine would sign for any holder of the API key: no step-up, and the owner could not undo the rule. */
async function requireOwnKey(context: OperationContext<'custody'>, did: string): Promise<void> {
  if ((await context.custody.publicKeyOf(did)) === undefined) return
  throw refuse(
    'policy_denied',
    'require_challenge needs a key that only you hold; yours is in engine custody, so a challenge would prove nothing.',
    { reason: 'key in engine custody' },
  )
}

export async function testDelegation(input: PolicyAsked, context: OperationContext<'authority' | 'remote'>) {
  const from_did = input.from_did!
  requireOwnDid(context, from_did)
  const token = tokenOf(input as DelegationRequest, from_did)
  requireMoments(token, context.now)
  const delegation = await delegationSourceOf(context, from_did, input.parent_token)
  const { reasons } = judge(token, { ...delegation, challenged: false })
  return { allowed: reasons.length === 0, reasons: [...reasons] }
}

export async function withdraw(
  input: PolicyAsked,
  context: OperationContext<'charter' | 'custody' | 'remote'>,
) {
  const { token_id, reason } = input as Required<Pick<PolicyAsked, 'token_id' | 'reason'>>
  const { did } = context.caller
  const { links } = await askChain(context, token_id)
  const delegated = links.some(({ token }) => token.from_did === did)
  const charter_member = !delegated && (await context.charter.has(did))
  if (!delegated && !charter_member) throw notTheirs()
  const capabilities = links.at(-1)!.token.capabilities.map(({ name }) => name)
  const proof = await readProof(context, input, [{ subject_did: did, purpose: 'revoke', capabilities }])
  const challenge = proof ? { challenge: proof.answer } : {}
  const { revoked, at } = await askNode(context, 'revoke', { token_id, reason, charter_member, ...challenge })
  context.audit('DelegationRevoked', {
    token_id,
    revoked: revoked.slice(0, revoked_recorded_max),
    revoked_count: revoked.length,
    by: delegated ? 'lender' : 'charter member',
    at,
  })
  await tellReplicas(context, token_id)
  return { revoked, at }
}

function needsStepUp(): Refusal {
  return refuse(
    'policy_denied',
    'The current rules require a step-up before they can be loosened; send an answered Aegis challenge.',
    { reason: 'step-up challenge required', denying_policy: 'delegation policy' },
  )
}

function notTheirs(): Refusal {
  return refuse(
    'policy_denied',
    'Only the delegator, a delegator above it or a charter member may revoke a delegation; ask one of them.',
    { reason: 'not yours to revoke' },
  )
}
