// The duties of an action: the organization's policies, evaluated for it, and treaties as of now.

import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { findPage } from '../../awareness/registry/api.ts'
import { type Forbidding, forbiddingPolicies } from '../../governance/maxim/api.ts'
import { faulty } from '../opinions/api.ts'
import type { Action, JudgedAction, Rule } from './ethics-action.ts'

const policy_form = /^maxim:\/\/([a-z0-9._-]{1,96})(?:@(v?\d{1,6}\.\d{1,6}\.\d{1,6}))?$/
const treaty_form = /^moat:\/\/(sha256:[0-9a-f]{64})$/
const versions_max = 200
const operation_form = /^([A-Za-z]{1,32})\.([a-z][a-z0-9_.]{0,127})$/

export type Duties = Pick<JudgedAction, 'forbidden' | 'duties'>

interface PolicyRef {
  readonly ref: string
  readonly policy_id: string
  /** Any version if omitted. */
  readonly version: string | undefined
}

interface Bound {
  readonly action: Action
  readonly policies: readonly PolicyRef[]
  readonly own: readonly PolicyRef[]
  readonly treaties: readonly string[]
}

/** For each action, in order. Every policy in force binds, named or not. */
export async function dutiesOf(
  context: OperationContext<'authority' | 'policies' | 'telemetry' | 'treaties'>,
  actions: readonly { readonly action: Action; readonly pointer: string }[],
  policy_refs: readonly string[],
): Promise<Duties[]> {
  const common = policy_refs.map((ref, place) => policyIn(ref, `/policy_refs/${place}`))
  const bound = actions.map(({ action, pointer }) => boundOf(action, pointer, common))
  const decided = new Map<string, Promise<Forbidding[]>>()
  const forbidden: Rule[][] = []
  for (const { action } of bound) forbidden.push(await forbiddenBy(context, action, decided))
  const named = new Map(bound.flatMap(({ policies }) => policies).map((policy) => [policy.ref, policy]))
  await requirePolicies(context, [...named.values()])
  const duties: Duties[] = []
  for (const [place, { own, treaties }] of bound.entries()) {
    const rules = forbidden[place]!
    const standing = await treatiesOf(context, treaties)
    const silent = own.filter(({ policy_id }) => !rules.some((rule) => isOf(rule, policy_id)))
    const kept_duties = [...standing.kept, ...silent.map(({ ref }) => ref)]
    duties.push({ forbidden: rules, duties: { kept: kept_duties, broken: standing.broken } })
  }
  return duties
}

function boundOf(action: Action, pointer: string, common: readonly PolicyRef[]): Bound {
  const refs = [...new Set(action.duty_refs ?? [])]
  const treaties = refs.filter((ref) => treaty_form.test(ref))
  const own = refs
    .filter((ref) => !treaty_form.test(ref))
    .map((ref) => policyIn(ref, `${pointer}/duty_refs/${action.duty_refs!.indexOf(ref)}`))
  return { action, policies: [...common, ...own], own, treaties }
}

function isOf({ rule_ref }: Rule, policy_id: string): boolean {
  return rule_ref.startsWith(`maxim://${policy_id}@`)
}

function policyIn(ref: string, pointer: string): PolicyRef {
  const [, policy_id, version] = policy_form.exec(ref) ?? []
  if (policy_id === undefined)
    throw faulty('not_a_duty', pointer, 'is neither maxim://<policy_id> nor a treaty as moat://<treaty_id>')
  return { ref, policy_id, version }
}

async function requirePolicies(
  context: OperationContext<'telemetry'>,
  refs: readonly PolicyRef[],
): Promise<void> {
  for (const { ref, policy_id, version } of refs) {
    const filter = { kind: 'policy', subject: policy_id, own_only: true, versions: 'all' } as const
    const { entries } = await findPage(context, filter, versions_max)
    const is_known = entries.some(({ body }) => version === undefined || body.content.version === version)
    if (!is_known) throw notFound('policy', ref)
  }
}

/** An action and its alternatives are often of one kind: each is decided once. */
async function forbiddenBy(
  context: OperationContext<'authority' | 'policies'>,
  action: Action,
  decided: Map<string, Promise<Forbidding[]>>,
): Promise<Rule[]> {
  const scenario = scenarioOf(action, context)
  const key = JSON.stringify(scenario)
  const answer = decided.get(key) ?? forbiddingPolicies(scenario, context)
  decided.set(key, answer)
  return (await answer).map(({ policy_id, version, text }) => ({
    rule_ref: `maxim://${policy_id}@${version}`,
    text,
  }))
}

/** An action that is an operation is queried as such; any other by its kind. */
function scenarioOf({ kind, actor_did }: Action, { caller, now }: OperationContext) {
  const [, protocol = 'MERIT', operation = 'evaluate_ethics'] = operation_form.exec(kind) ?? []
  const principal_did = actor_did ?? caller.did
  return { principal_did, protocol, operation, at: now, context: { action_kind: kind } }
}

async function treatiesOf(
  context: OperationContext<'treaties'>,
  refs: readonly string[],
): Promise<JudgedAction['duties']> {
  const kept_duties: string[] = []
  const broken: string[] = []
  const now_ms = Date.parse(context.now)
  for (const ref of refs) {
    const treaty = await context.treaties.find(treaty_form.exec(ref)![1]!)
    if (!treaty) throw notFound('treaty', ref)
    const holds = treatyStateAt(treaty, now_ms) === 'ACTIVE'
    const list = holds ? kept_duties : broken
    list.push(ref)
  }
  return { kept: kept_duties, broken }
}
