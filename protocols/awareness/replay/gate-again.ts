// Stage 4 once more, from a record, with what a counterfactual changes: capability, level, policies, in the order of the stage.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { covers } from '@svc/contract/authority/capability'
import type { Cedar, PolicySet, Scene } from '@svc/contract/authority/policy'
import { isAuditLogRead, ruleOn, standingAgainst } from '@svc/contract/authority/policy-ruling'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { isDeniedByOwnRule, type RecordedScene, recordedScene, type SceneFact } from './recorded-scene.ts'

/** Under which the call is judged again. */
export interface RulesThen {
  readonly tenant_id: string
  readonly cedar: Cedar
  /** Of the time of the call: what the record names, else what was in force; undefined where it cannot be found. */
  readonly set: PolicySet | undefined
  /** Of the operation as it is served; undefined where it is not served any more. */
  readonly facts:
    | Pick<OperationFacts, 'level' | 'effect' | 'for_administrators' | 'needs_no_approval'>
    | undefined
}

/** What may be changed of a call. */
export interface Situation {
  /** The capability that granted it; undefined where none did. */
  readonly grant: string | undefined
  readonly level: 0 | 1 | 2
  readonly at_ms: number
  /** Policies taken out, as `<id>@<version>`. */
  readonly dropped: readonly string[]
  /** Whoever a policy names has agreed to this call. */
  readonly consented: boolean
}

export type Verdict =
  | { readonly kind: 'passes' }
  /** It depends on what the log does not hold. */
  | { readonly kind: 'open'; readonly lacks: readonly (SceneFact | Lack)[] }
  | {
      readonly kind: 'refused'
      readonly stage: number
      readonly code: 'capability_denied' | 'policy_denied' | 'approval_required'
      readonly reason: string
      /** What refuses it: policies by name. */
      readonly by: 'capability' | 'level' | 'consent' | readonly string[]
    }

type Lack = 'policies' | 'operation' | 'partner' | 'charter' | 'administrator' | 'treaty_id'

const level_numbers = { L0: 0, L1: 1, L2: 2 } as const
const open_facts = ['jurisdiction', 'action_kind', 'amount_micro_usd', 'input'] as const

/** As it was; undefined where the call ended before its caller was known. */
export function situationOf(record: AuditRecord): Situation | undefined {
  const recorded = sceneOf(record)
  if (!recorded) return undefined
  const { scene } = recorded
  const { grant } = record.meta
  return {
    // A policy or a level is asked only once a capability was matched, and older records do not name it.
    grant:
      typeof grant === 'string' ? grant : isUngranted(record) ? undefined : String(record.meta.capability),
    level: scene.principal.level,
    at_ms: scene.at_ms,
    dropped: [],
    consented: false,
  }
}

function isUngranted({ meta }: AuditRecord): boolean {
  return meta.code === 'capability_denied'
}

export function judgeGate(record: AuditRecord, situation: Situation, rules: RulesThen): Verdict {
  const recorded = sceneOf(record)
  const capability = String(record.meta.capability)
  if (!recorded) return { kind: 'open', lacks: ['operation'] }
  if (situation.grant === undefined || !covers(situation.grant, capability))
    return refused('capability_denied', 'no matching capability', 'capability')
  // Whoever had the capability was asked for the role next; of others no record says whether they had it.
  if (rules.facts?.for_administrators && isUngranted(record))
    return { kind: 'open', lacks: ['administrator'] }
  return (
    judgeLevel(situation, rules) ??
    judgePolicies(recorded, situation, rules) ??
    afterOwnRules(record, recorded, rules)
  )
}

function judgeLevel({ level }: Situation, { facts }: RulesThen): Verdict | undefined {
  if (!facts) return { kind: 'open', lacks: ['operation'] }
  if (level >= level_numbers[facts.level]) return undefined
  const reason = facts.level === 'L2' ? 'conformance L2 required' : 'verified lineage required'
  return refused('policy_denied', reason, 'level')
}

function judgePolicies(recorded: RecordedScene, situation: Situation, rules: RulesThen): Verdict | undefined {
  const { cedar, set: whole, facts } = rules
  if (!whole) return { kind: 'open', lacks: ['policies'] }
  const set = without(whole, situation.dropped)
  const unknown = recorded.unknown.filter((fact) => fact !== 'state_changing')
  const scene = sceneIn(recorded, situation, facts?.effect)
  const lacks = lackOf(set, scene, unknown, rules)
  if (lacks.length > 0) return { kind: 'open', lacks }
  const decision = cedar.decide(set, scene)
  const ruling = ruleOn(set.set_digest, decision, scene)
  const is_lifted = situation.consented || facts?.needs_no_approval
  if (ruling.allowed || (ruling.approvals && is_lifted)) return undefined
  if (ruling.approvals) {
    const reason = `waits for the consent of ${ruling.approvals.map(({ who }) => who).join(' and ')}`
    return { kind: 'refused', stage: 6, code: 'approval_required', reason, by: 'consent' }
  }
  if (isAuditLogRead(scene)) return { kind: 'open', lacks: ['charter'] }
  return refused('policy_denied', ruling.reason, standingAgainst(decision))
}

/** The rules of the caller's organization run first, and those of the one it called after them. */
function afterOwnRules(
  record: AuditRecord,
  { scene: { context } }: RecordedScene,
  { tenant_id }: RulesThen,
): Verdict {
  const { tenant, target_tenant } = context
  const is_last = target_tenant === tenant_id && isDeniedByOwnRule(record)
  return tenant === target_tenant || is_last ? { kind: 'passes' } : { kind: 'open', lacks: ['partner'] }
}

/** Facts that decide and that the record lacks: one that no policy names changes nothing. */
function lackOf(
  set: PolicySet,
  scene: Scene,
  unknown: readonly SceneFact[],
  { cedar }: RulesThen,
): readonly (SceneFact | Lack)[] {
  const isRead = (fact: string) => set.policies.some(({ body }) => body.includes(fact))
  const named = (fact: SceneFact) => unknown.includes(fact) && isRead(fact)
  const { tenant, target_tenant, treaty_id } = scene.context
  if (tenant !== target_tenant && treaty_id === undefined && isRead('treaty_id')) return ['treaty_id']
  if (named('human_root')) return ['human_root']
  const open = open_facts.filter(named)
  return open.length === 0 ? [] : (cedar.unknownsOf(set, scene, open) as SceneFact[])
}

function without(set: PolicySet, dropped: readonly string[]): PolicySet {
  if (dropped.length === 0) return set
  const policies = set.policies.filter(
    ({ policy_id, version }) => !dropped.includes(`${policy_id}@${version}`),
  )
  return { set_digest: `${set.set_digest} without ${dropped.toSorted().join(' ')}`, policies }
}

function sceneIn(
  { scene, unknown }: RecordedScene,
  { level, at_ms }: Situation,
  effect: 'read' | 'write' | undefined,
): Scene {
  const { principal, resource, context } = scene
  const at = new Date(at_ms)
  const state_changing = unknown.includes('state_changing') ? effect !== 'read' : resource.state_changing
  return {
    principal: { ...principal, level, lineage_verified: level > 0 },
    resource: { ...resource, state_changing },
    context: { ...context, hour: at.getUTCHours(), weekday: at.getUTCDay() || 7 },
    at_ms,
  }
}

/** A dry run was evaluated like a call. */
export function sceneOf(record: AuditRecord): RecordedScene | undefined {
  const meta = { ...record.meta, dry_run: undefined, code: record.meta.code ?? 'ok' }
  return recordedScene({ ...record, meta })
}

function refused(
  code: 'capability_denied' | 'policy_denied',
  reason: string,
  by: 'capability' | 'level' | readonly string[],
): Verdict {
  return { kind: 'refused', stage: 4, code, reason, by }
}
