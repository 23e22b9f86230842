// A call as rules saw it, rebuilt from its record: so a verdict can be reproduced, and a new rule tried on what has been.
import { type AuditRecord, endsCall } from '@svc/contract/audit/audit-record'
import type { Scene } from '@svc/contract/authority/policy'

/**
 * Kept in `meta.scene` where rules were asked: what a record does not say anyway. Amounts are decimal strings.
 * `action_kind` is what the caller said, and stands in `meta.supplied`; older logs have it here.
 */
export interface StoredScene {
  readonly state_changing: boolean
  readonly human_root?: string | undefined
  readonly jurisdiction?: string | undefined
  readonly action_kind?: string | undefined
  readonly amount_micro_usd?: string | undefined
}

export type SceneFact = keyof StoredScene

export interface RecordedScene {
  readonly scene: Scene
  /** What the record does not tell; `state_changing` is then false in the scene, and the others are absent. */
  readonly unknown: readonly SceneFact[]
}

const levels: Readonly<Record<string, 0 | 1 | 2>> = { L0: 0, L1: 1, L2: 2 }
const amount_form = /^(0|[1-9]\d{0,17})$/
const facts: readonly SceneFact[] = [
  'state_changing',
  'human_root',
  'jurisdiction',
  'action_kind',
  'amount_micro_usd',
]

/** Undefined where a record ends no request, or one that was stopped before its caller and its operation were known. */
export function recordedScene(record: AuditRecord): RecordedScene | undefined {
  const { meta, protocol, operation, caller_did } = record
  const level = levels[textOf(meta, 'caller_level') ?? '']
  const kind = textOf(meta, 'caller_kind')
  if (!endsRequest(record) || level === undefined || kind === undefined) return undefined
  if (protocol === undefined || operation === undefined || textOf(meta, 'capability') === undefined)
    return undefined
  const scene = storedOf(meta)
  const at = new Date(record.timestamp)
  const tenant = textOf(meta, 'caller_tenant') ?? record.tenant_id
  return {
    scene: {
      principal: {
        did: caller_did,
        tenant,
        kind,
        level,
        // Whose lineage is not verified is at L0, and nobody else.
        lineage_verified: level > 0,
        human_root: scene?.human_root,
      },
      resource: { protocol, operation, state_changing: scene?.state_changing ?? false },
      context: {
        tenant,
        target_tenant: textOf(meta, 'target_tenant') ?? record.tenant_id,
        hour: at.getUTCHours(),
        weekday: at.getUTCDay() || 7,
        origin: textOf(meta, 'origin') ?? 'http',
        jurisdiction: scene?.jurisdiction,
        treaty_id: textOf(meta, 'treaty_id'),
        action_kind: scene?.action_kind,
        amount_micro_usd: amountOf(scene),
      },
      at_ms: at.getTime(),
    },
    unknown: scene ? [] : facts,
  }
}

/** The records that say how a request ended; a dry run only asked. */
export function endsRequest(record: AuditRecord): boolean {
  return endsCall(record) && record.meta.dry_run !== true
}

/** Whether a rule of the very organization whose chain this is forbade it: the caller's rules are asked first, then the other's. */
export function isDeniedByOwnRule({ tenant_id, meta }: AuditRecord): boolean {
  if (!textOf(meta, 'denying_policy')?.startsWith('maxim://')) return false
  const sets = typeof meta.policy_sets === 'object' ? (meta.policy_sets ?? {}) : {}
  const other = textOf(meta, 'target_tenant')
  if (other !== undefined) return !Object.hasOwn(sets, other)
  return textOf(meta, 'caller_tenant') === undefined || Object.hasOwn(sets, tenant_id)
}

function storedOf({ scene, supplied }: AuditRecord['meta']): StoredScene | undefined {
  if (typeof scene !== 'object' || scene === null) return undefined
  const { action_kind } = Object(supplied) as { action_kind?: unknown }
  return { ...(scene as StoredScene), ...(typeof action_kind === 'string' && { action_kind }) }
}

function amountOf(scene: StoredScene | undefined): bigint | undefined {
  const amount = scene?.amount_micro_usd
  return typeof amount === 'string' && amount_form.test(amount) ? BigInt(amount) : undefined
}

function textOf(meta: AuditRecord['meta'], key: string): string | undefined {
  const value = meta[key]
  return typeof value === 'string' ? value : undefined
}
