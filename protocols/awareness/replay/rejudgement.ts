// Re-evaluates the rules of the time: their verdict, and whether the record agrees.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { Cedar, PolicyRuling, PolicySet, Scene } from '@svc/contract/authority/policy'
import { isAuditLogRead, ruleOn } from '@svc/contract/authority/policy-ruling'
import { recordedScene } from './recorded-scene.ts'

export interface Rejudged {
  readonly policies: readonly {
    readonly id: string
    readonly version: string
    readonly effect: string
    readonly text: string
  }[]
  readonly consistent: boolean
}

export const not_judged: Rejudged = { policies: [], consistent: true }

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
    return { policies: [], consistent: namesPolicyOf(record, tenant_id, set, scene) }
  const cedar_decision = cedar.decide(set, scene)
  const ruling = ruleOn(set.set_digest, cedar_decision, scene)
  return {
    policies: cedar_decision.determining.map(({ policy_id: id, version, effect, text }) => ({
      id,
      version,
      effect,
      text,
    })),
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
