// How the policies decide a case, and why. Changes nothing.
import { findRecords, headOf } from '@svc/audit/query/records'
import { parseConsent } from '@svc/contract/authority/consent'
import type { CedarDecision, PolicySet, Scene } from '@svc/contract/authority/policy'
import { isAuditLogRead, ruleOn, standingAgainst, withoutPolicy } from '@svc/contract/authority/policy-ruling'
import { lastPolicySet, policySetAt } from '@svc/contract/authority/policy-timeline'
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { endsRequest } from '../../awareness/replay/api.ts'
import { PolicyVersionName, readTimeline } from '../policies/api.ts'
import { PolicyId } from './policy-authoring.ts'
import { caseOf, caseOfAnyone, Scenario } from './policy-scenario.ts'

const precedents_max = 10
const counterfactuals_max = 16
/** How far back to search for precedents, and how many decisions to read. */
const precedent_span_max = 20_000
const precedent_records_max = 500

const Decision = described(
  OneOf('allow', 'deny', 'approval_required'),
  'approval_required: only a forbid that a person may lift stands against it.',
)
type Decision = Static<typeof Decision>

export const InterpretationInput = Closed({
  question: Type.Optional(
    Text(2000, { description: 'What you want to know, in words; it does not change the result.' }),
  ),
  scenario: described(Scenario, 'The call to judge.'),
  include_scheduled: Type.Optional(
    Type.Boolean({ default: false, description: 'Judge by planned policies too.' }),
  ),
})

export const InterpretationOutput = Closed({
  decision: Decision,
  determining: described(
    ListOf(
      Closed({
        policy_id: PolicyId,
        version: PolicyVersionName,
        effect: described(OneOf('permit', 'forbid'), 'Whether it allows or denies.'),
        text: Type.String({ description: 'The policy in Cedar.' }),
        reason: Type.Optional(Type.String({ description: 'Its @reason, given with a refusal.' })),
        appeal: Type.Optional(Type.String({ description: 'Its @appeal: where to contest it.' })),
        approval: Type.Optional(
          Type.String({ description: 'Whose consent lifts it, such as role:finance or 2 of anna,bob,cyd.' }),
        ),
      }),
      0,
      4096,
    ),
    'Policies that made the decision.',
  ),
  errors: described(
    ListOf(
      Closed({
        policy_id: PolicyId,
        version: PolicyVersionName,
        effect: described(OneOf('permit', 'forbid'), 'What it would have done.'),
        message: Type.String({ description: 'What Cedar reported.' }),
      }),
      0,
      4096,
    ),
    'Policies that could not be evaluated.',
  ),
  counterfactuals: described(
    ListOf(
      Closed({ without: described(Ref, 'The policy left out.'), decision: Decision }),
      0,
      counterfactuals_max,
    ),
    'What would be decided without one of the policies.',
  ),
  unknown_inputs: described(
    ListOf(Type.String(), 0, 16),
    'Facts of the context that were not given and might matter.',
  ),
  precedents: described(
    ListOf(Ref, 0, precedents_max),
    'Records of earlier decisions about the same operation by the same kind of caller.',
  ),
  set_digest: described(Hash, 'Hash of the policies it was judged by.'),
  binding: Type.Literal(false, { description: 'Always false: it authorizes nothing.' }),
})

export async function interpret(
  { scenario, include_scheduled }: Static<typeof InterpretationInput>,
  context: OperationContext<'authority' | 'charter' | 'policies' | 'served'>,
): Promise<Static<typeof InterpretationOutput>> {
  requireOwn(context)
  const { scene, open } = await caseOf(scenario, context)
  requireServed(scene, context)
  const set = await setFor(scene.at_ms, include_scheduled ?? false, context)
  const cedar_decision = context.policies.cedar.decide(set, scene)
  const exempt = isAuditLogRead(scene) && (await context.charter.has(scene.principal.did))
  const { protocol, operation } = scene.resource
  const waits = !context.served.find(protocol, operation)?.facts.needs_no_approval
  return {
    decision: exempt ? 'allow' : verdictOf(set, cedar_decision, scene, waits),
    determining: cedar_decision.determining.map((policy) => ({ ...policy })),
    errors: cedar_decision.errors.map(({ reads_input: _, ...error }) => error),
    counterfactuals: exempt ? [] : counterfactualsOf(set, cedar_decision, scene, waits),
    unknown_inputs: exempt ? [] : [...context.policies.cedar.unknownsOf(set, scene, open)],
    precedents: await precedentsOf(scene, precedents_max, context),
    set_digest: set.set_digest,
    binding: false,
  }
}

/** What no engine serves is neither allowed nor forbidden: a question about it is a slip of the pen. */
function requireServed(
  { resource: { protocol, operation } }: Scene,
  { served }: OperationContext<'served'>,
): void {
  if (served.find(protocol, operation)) return
  throw refuse(
    'unknown_operation',
    `${protocol} ${operation} is not served here, so no policy decides it; check the names.`,
    {
      reason: 'no such operation',
      faults: [{ pointer: '/scenario/operation', message: `${protocol}.${operation} does not exist` }],
    },
  )
}

export interface Forbidding {
  readonly policy_id: string
  readonly version: string
  /** Why: its @reason, or its text; only shown to the organization's own. */
  readonly text: string
}

/** The policies in force that forbid a case. One that cannot be evaluated forbids it too, as in every call. */
export async function forbiddingPolicies(
  scenario: Scenario,
  context: OperationContext<'authority' | 'policies'>,
): Promise<Forbidding[]> {
  const { scene } = await caseOfAnyone(scenario, context)
  const set = await setFor(scene.at_ms, false, context)
  const { determining, errors } = context.policies.cedar.decide(set, scene)
  const is_own = parseDid(context.caller.did)?.namespace === context.tenant_id
  const why = (text: string) => (is_own ? text : `A policy of ${context.tenant_id} forbids it.`)
  const against = [
    ...determining.map(({ text, reason, ...policy }) => ({ ...policy, text: why(reason ?? text) })),
    ...errors.map(({ message, ...policy }) => ({
      ...policy,
      text: why(`It cannot be evaluated for this: ${message}`),
    })),
  ].filter(({ effect }) => effect === 'forbid')
  const policies = against.map(({ policy_id, version, text }) => ({ policy_id, version, text }))
  return [...new Map(policies.map((policy) => [`${policy.policy_id}@${policy.version}`, policy])).values()]
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
