// Rebuilds a call's policy input from its record, to reproduce a verdict or to try a new rule on past calls.
import { type AuditRecord, endsCall } from '@svc/contract/audit/audit-record'
import type { Scene } from '@svc/contract/authority/policy'

/**
 * Stored in `meta.scene` when rules were evaluated: facts the record does not hold elsewhere. Amounts are
 * decimal strings. `action_kind` is caller input in `meta.supplied`; older logs have it here.
 */
export interface StoredScene {
  readonly state_changing: boolean
  readonly human_root?: string | undefined
  readonly jurisdiction?: string | undefined
  readonly action_kind?: string | undefined
  readonly amount_micro_usd?: string | undefined
}

/** Records never hold the input. */
export type SceneFact = keyof StoredScene | 'input'

export interface RecordedScene {
  readonly scene: Scene
  /** Facts missing from the record; `state_changing` is then false in the scene, the others are absent. */
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
  'input',
]

/** Undefined if the record ends no request, or the request ended before caller and operation were known. */
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
        // Exactly the callers without a verified lineage are at L0.
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
    unknown: scene ? ['input'] : facts,
  }
}

/** The records that end a request; dry runs do not count. */
export function endsRequest(record: AuditRecord): boolean {
  return endsCall(record) && record.meta.dry_run !== true
}

/** Whether a rule of this chain's organization denied it: the caller's rules run first, then the other's. */
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
