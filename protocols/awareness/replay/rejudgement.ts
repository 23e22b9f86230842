// Re-evaluates the rules of the time: their verdict, whether the record agrees, and what would change it.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { Cedar, CedarDecision, PolicyRuling, PolicySet, Scene } from '@svc/contract/authority/policy'
import { isAuditLogRead, ruleOn, standingAgainst, withoutPolicy } from '@svc/contract/authority/policy-ruling'
import { recordedScene } from './recorded-scene.ts'

const hour_ms = 3_600_000
const hours_of_week = 168
const dropped_max = 16

export interface Rejudged {
  readonly policies: readonly {
    readonly id: string
    readonly version: string
    readonly effect: string
    readonly text: string
  }[]
  readonly counterfactuals: readonly { readonly change: string; readonly result: string }[]
  readonly consistent: boolean
}

export const not_judged: Rejudged = { policies: [], counterfactuals: [], consistent: true }
const passes = 'stage 4 would have passed'
const by_input = {
  change: 'the input had been another',
  result: 'unknown: policies read the input, and the audit log does not hold it',
}

/** The digest of the rule set this tenant applied to the call; undefined if it applied none. */
export function setNamed({ meta }: AuditRecord, tenant_id: string): string | undefined {
  const digest = setsOf(meta)[tenant_id]
  return typeof digest === 'string' ? digest : undefined
}

/** `set` is the one named in the record; undefined if it never existed, so the record is forged. */
export function judgeAgain(
  record: AuditRecord,
  tenant_id: string,
  set: PolicySet | undefined,
  cedar: Cedar,
): Rejudged {
  const scene = sceneOf(record)
  if (!set || !scene) return { ...not_judged, consistent: false }
  // The log holds no inputs, so only the name of the policy can be checked where one decided by the input.
  if (cedar.unknownsOf(set, scene, ['input']).length > 0)
    return {
      policies: [],
      counterfactuals: [by_input],
      consistent: namesPolicyOf(record, tenant_id, set, scene),
    }
  const cedar_decision = cedar.decide(set, scene)
  const ruling = ruleOn(set.set_digest, cedar_decision, scene)
  return {
    policies: cedar_decision.determining.map(({ policy_id: id, version, effect, text }) => ({
      id,
      version,
      effect,
      text,
    })),
    counterfactuals: ruling.allowed || isApproved(record) ? [] : changesOf(cedar, set, scene, cedar_decision),
    consistent: agrees(record, tenant_id, scene, ruling),
  }
}

function namesPolicyOf(
  record: AuditRecord,
  tenant_id: string,
  { policies }: PolicySet,
  scene: Scene,
): boolean {
  if (deniedBy(record, scene) !== tenant_id) return true
  return policies.some(
    ({ policy_id, version }) => record.meta.denying_policy === `maxim://${policy_id}@${version}`,
  )
}

/** A dry run was evaluated like a call. */
function sceneOf(record: AuditRecord): Scene | undefined {
  const meta = { ...record.meta, dry_run: undefined, code: record.meta.code ?? 'ok' }
  return recordedScene({ ...record, meta })?.scene
}

function setsOf({ policy_sets }: AuditRecord['meta']): Record<string, unknown> {
  return typeof policy_sets === 'object' && policy_sets !== null ? { ...policy_sets } : {}
}

function agrees(record: AuditRecord, tenant_id: string, scene: Scene, ruling: PolicyRuling): boolean {
  const denied_by = deniedBy(record, scene)
  const approvals = ruling.allowed ? undefined : ruling.approvals
  if (waitsForApproval(record)) return denied_by !== tenant_id || approvals !== undefined
  if (denied_by === tenant_id)
    return (
      !ruling.allowed &&
      ruling.denying_policy === record.meta.denying_policy &&
      ruling.reason === record.meta.reason
    )
  // Charter members may read the audit log regardless of policy.
  if (ruling.allowed || isAuditLogRead(scene)) return true
  // Consent is asked for after stage 6, so that a call refused before has none.
  return approvals !== undefined && (isApproved(record) || record.outcome !== 'success' || isDeciding(record))
}

function waitsForApproval({ meta }: AuditRecord): boolean {
  return meta.stage === 4 && typeof meta.approval_id === 'string'
}

function isApproved({ meta }: AuditRecord): boolean {
  return Array.isArray(meta.approval_ids) && meta.approval_ids.length > 0
}

/** These never wait for consent, or none could be given. */
function isDeciding({ protocol, operation }: AuditRecord): boolean {
  return protocol === 'MAXIM' && operation?.startsWith('approval') === true
}

/** The caller's rules run first, so a denial is by whoever was evaluated last. */
function deniedBy({ meta }: AuditRecord, { context }: Scene): string | undefined {
  const by_rule = typeof meta.denying_policy === 'string' && meta.denying_policy.startsWith('maxim://')
  if (!by_rule || meta.stage !== 4) return undefined
  return setsOf(meta)[context.target_tenant] === undefined ? context.tenant : context.target_tenant
}

/** Changes one fact at a time. */
function changesOf(cedar: Cedar, set: PolicySet, scene: Scene, cedar_decision: CedarDecision) {
  const allows = (rules: PolicySet, changed: Scene) =>
    ruleOn(rules.set_digest, cedar.decide(rules, changed), changed).allowed
  const changes = standingAgainst(cedar_decision)
    .slice(0, dropped_max)
    .map((name) => {
      const { allowed } = ruleOn(set.set_digest, withoutPolicy(cedar_decision, name), scene)
      const result = allowed ? passes : 'other policies would still have refused it'
      return { change: `policy ${name} had not been in force`, result }
    })
  const later = nextAllowed(cedar, set, scene, allows)
  if (later) changes.push({ change: `the call came at ${later}, under the same rules`, result: passes })
  const { level } = scene.principal
  const raised = { ...scene, principal: { ...scene.principal, level: level === 0 ? 1 : 2 } as const }
  if (level < 2 && allows(set, { ...raised, principal: { ...raised.principal, lineage_verified: true } }))
    changes.push({ change: `the caller were at L${level + 1}`, result: passes })
  return changes
}

/** The first full hour within a week at which it would pass; skipped if the rules ignore the clock. */
function nextAllowed(
  cedar: Cedar,
  set: PolicySet,
  scene: Scene,
  allows: (set: PolicySet, scene: Scene) => boolean,
): string | undefined {
  if (cedar.unknownsOf(set, scene, ['hour', 'weekday']).length === 0) return undefined
  const hour_began_ms = scene.at_ms - (scene.at_ms % hour_ms)
  for (let hours = 1; hours <= hours_of_week; hours++) {
    const at = new Date(hour_began_ms + hours * hour_ms)
    const context = { ...scene.context, hour: at.getUTCHours(), weekday: at.getUTCDay() || 7 }
    if (allows(set, { ...scene, context, at_ms: at.getTime() })) return at.toISOString()
  }
  return undefined
}
