// How the policies decide a case, and why. Changes nothing.
import { findRecords, headOf } from '@svc/audit/query/records'
import { parseConsent } from '@svc/contract/authority/consent'
import type { CedarDecision, PolicySet, Scene } from '@svc/contract/authority/policy'
import { isAuditLogRead, ruleOn, standingAgainst, withoutPolicy } from '@svc/contract/authority/policy-ruling'
import { lastPolicySet, policySetAt } from '@svc/contract/authority/policy-timeline'
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Hash, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { endsRequest } from '../../awareness/replay/api.ts'
import { PolicyVersionName, readTimeline } from '../policies/api.ts'
import { PolicyId } from './policy-authoring.ts'
import { caseOf, Scenario } from './policy-scenario.ts'

const precedents_max = 10
const counterfactuals_max = 16
/** How far back to search for precedents, and how many decisions to read. */
const precedent_span_max = 20_000
const precedent_records_max = 500

const Decision = OneOf('allow', 'deny', 'approval_required')
type Decision = Static<typeof Decision>

export const InterpretationInput = Closed({
  question: Type.Optional(Text(2000)),
  scenario: Scenario,
  include_scheduled: Type.Optional(Type.Boolean({ default: false })),
})

export const InterpretationOutput = Closed({
  decision: Decision,
  determining: ListOf(
    Closed({
      policy_id: PolicyId,
      version: PolicyVersionName,
      effect: OneOf('permit', 'forbid'),
      text: Type.String(),
      reason: Type.Optional(Type.String()),
      appeal: Type.Optional(Type.String()),
      approval: Type.Optional(
        Type.String({ description: 'Whose consent lifts it, such as role:finance or 2 of anna,bob,cyd.' }),
      ),
    }),
    0,
    4096,
  ),
  errors: ListOf(
    Closed({
      policy_id: PolicyId,
      version: PolicyVersionName,
      effect: OneOf('permit', 'forbid'),
      message: Type.String(),
    }),
    0,
    4096,
  ),
  counterfactuals: ListOf(Closed({ without: Ref, decision: Decision }), 0, counterfactuals_max),
  unknown_inputs: ListOf(Type.String(), 0, 16),
  precedents: ListOf(Ref, 0, precedents_max),
  set_digest: Hash,
  binding: Type.Literal(false),
})

export async function interpret(
  { scenario, include_scheduled }: Static<typeof InterpretationInput>,
  context: OperationContext<'authority' | 'charter' | 'policies' | 'served'>,
): Promise<Static<typeof InterpretationOutput>> {
  requireOwn(context)
  const { scene, open } = await caseOf(scenario, context)
  const set = await setFor(scene.at_ms, include_scheduled ?? false, context)
  const cedar_decision = context.policies.cedar.decide(set, scene)
  const exempt = isAuditLogRead(scene) && (await context.charter.has(scene.principal.did))
  const { protocol, operation } = scene.resource
  const waits = !context.served.find(protocol, operation)?.facts.needs_no_approval
  return {
    decision: exempt ? 'allow' : verdictOf(set, cedar_decision, scene, waits),
    determining: cedar_decision.determining.map((policy) => ({ ...policy })),
    errors: cedar_decision.errors.map((error) => ({ ...error })),
    counterfactuals: exempt ? [] : counterfactualsOf(set, cedar_decision, scene, waits),
    unknown_inputs: exempt ? [] : [...context.policies.cedar.unknownsOf(set, scene, open)],
    precedents: await precedentsOf(scene, precedents_max, context),
    set_digest: set.set_digest,
    binding: false,
  }
}

/** Policies are private to the organization: a treaty grants calls, not access to its policies. */
export function requireOwn({ caller, tenant_id }: OperationContext): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  throw refuse('policy_denied', `Only agents of ${tenant_id} may read its policies; ask one of them.`, {
    reason: 'not of this organization',
    denying_policy: 'MAXIM same tenant',
  })
}

/** In force at a time, or once everything planned has taken effect. */
export async function setFor(
  at_ms: number,
  include_scheduled: boolean,
  { db, tenant_id, now }: OperationContext,
): Promise<PolicySet> {
  const timeline = await readTimeline(db, tenant_id, new Date(include_scheduled ? now : at_ms))
  return include_scheduled ? lastPolicySet(timeline) : policySetAt(timeline, at_ms)
}

export function decisionOf(set: PolicySet, cedar_decision: CedarDecision, scene: Scene): 'allow' | 'deny' {
  return ruleOn(set.set_digest, cedar_decision, scene).allowed ? 'allow' : 'deny'
}

/** As a call would be decided: a policy that consent lifts does not deny it. `waits`: whether consent is ever asked for. */
function verdictOf(set: PolicySet, cedar_decision: CedarDecision, scene: Scene, waits: boolean): Decision {
  const ruling = ruleOn(set.set_digest, cedar_decision, scene)
  if (ruling.allowed) return 'allow'
  const { approvals = [] } = ruling
  if (approvals.length === 0 || !approvals.every(({ who }) => parseConsent(who))) return 'deny'
  return waits ? 'approval_required' : 'allow'
}

function counterfactualsOf(set: PolicySet, cedar_decision: CedarDecision, scene: Scene, waits: boolean) {
  return standingAgainst(cedar_decision)
    .slice(0, counterfactuals_max)
    .map((name) => ({
      without: `maxim://${name}`,
      decision: verdictOf(set, withoutPolicy(cedar_decision, name), scene, waits),
    }))
}

/** Recent decisions on the same operation for callers of the same kind. */
export async function precedentsOf(
  { principal, resource }: Scene,
  limit: number,
  { db, tenant_id }: OperationContext,
): Promise<string[]> {
  const { seq } = await headOf(db, tenant_id)
  const records = await findRecords(db, tenant_id, {
    protocol: resource.protocol,
    operation: resource.operation,
    after_seq: Math.max(0, seq - precedent_span_max),
    newest_first: true,
    limit: precedent_records_max,
  })
  return records
    .filter((record) => endsRequest(record) && record.meta.caller_kind === principal.kind)
    .slice(0, limit)
    .map(({ record_hash }) => `max://${tenant_id}/record/${record_hash}`)
}
