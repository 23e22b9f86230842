// Compares two chains' records of the same requests. No I/O: the same records give the same findings.
import type { ReplayedRecord } from '@svc/audit/query/replay'
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import { canonicalJson } from '@svc/contract/signing/canonical-json'

export interface HearingFinding {
  readonly fact: string
  readonly supported_by: readonly string[]
  readonly contradicted_by: readonly string[]
}

function recordRef({ tenant_id, record_hash }: AuditRecord): string {
  return `max://${tenant_id}/record/${record_hash}`
}

/** By time, then by chain and sequence number. */
export function inOrderOfTime(records: readonly AuditRecord[]): AuditRecord[] {
  return [...records].sort(
    (a, b) => compare(a.timestamp, b.timestamp) || compare(a.tenant_id, b.tenant_id) || a.seq - b.seq,
  )
}

/** Matching pairs, records that only one side has, and altered records. */
export function compareChains(
  replayed: readonly ReplayedRecord[],
  tenants: readonly [string, string],
): HearingFinding[] {
  const spoiled = replayed.filter(({ hash_ok, signature_ok }) => !hash_ok || !signature_ok)
  const sound = inOrderOfTime(
    replayed.filter((replayed_record) => !spoiled.includes(replayed_record)).map(({ record }) => record),
  )
  // A caller's own note has no counterpart.
  const all = inOrderOfTime(replayed.map(({ record }) => record)).filter((record) => !isNote(record))
  return [
    ...spoiled.map(({ record, hash_ok }) => spoiledFinding(record, hash_ok)),
    ...sound.flatMap((record) => (all.includes(record) ? pairFinding(record, sound, all, tenants) : [])),
  ]
}

function spoiledFinding(record: AuditRecord, hash_ok: boolean): HearingFinding {
  const why = hash_ok ? 'is covered by no signature' : 'does not have the hash it states'
  const fact = `record ${record.seq} of ${record.tenant_id} ${why}`
  return { fact, supported_by: [], contradicted_by: [recordRef(record)] }
}

/** One finding per pair, from the calling side's record. */
function pairFinding(
  record: AuditRecord,
  sound: readonly AuditRecord[],
  all: readonly AuditRecord[],
  tenants: readonly [string, string],
): HearingFinding[] {
  if (!tenants.includes(record.tenant_id)) return []
  const { counterpart, target_tenant, from_tenant, dry_run } = record.meta as Meta
  if (counterpart && record.event_type !== 'CrossingRecorded') return copyFinding(record, counterpart, all)
  if (from_tenant !== undefined && tenants.includes(from_tenant))
    return noticeFinding(record, from_tenant, all)
  if (typeof target_tenant !== 'string' || !tenants.includes(target_tenant) || dry_run === true) return []
  if (!reachedTheOther(record)) return []
  const copy = all.find(
    (other) =>
      other.tenant_id === target_tenant &&
      (other.meta as Meta).counterpart?.record_hash === record.record_hash,
  )
  if (!copy) return [missing(record, target_tenant)]
  // An altered record is reported once, as spoiled, and supports neither side.
  if (!sound.includes(copy)) return []
  const fact = `${say(record)} is in both chains`
  if (saysTheSame(record, copy))
    return [{ fact, supported_by: [recordRef(record), recordRef(copy)], contradicted_by: [] }]
  return [
    {
      fact: `the chains disagree about ${say(record)}`,
      supported_by: [recordRef(record)],
      contradicted_by: [recordRef(copy)],
    },
  ]
}

/** A copy of the other side's call: only a missing original is reported, the pair by the other side. */
function copyFinding(
  record: AuditRecord,
  counterpart: NonNullable<Meta['counterpart']>,
  all: readonly AuditRecord[],
): HearingFinding[] {
  const original = all.some(
    (other) => other.tenant_id === counterpart.tenant_id && other.record_hash === counterpart.record_hash,
  )
  return original ? [] : [missing(record, counterpart.tenant_id)]
}

/** An event written to both audit logs by one action. */
function noticeFinding(
  record: AuditRecord,
  from_tenant: string,
  all: readonly AuditRecord[],
): HearingFinding[] {
  const { from_tenant: _, ...said } = record.meta
  const original = all.find(
    (other) =>
      other.tenant_id === from_tenant &&
      other.event_type === record.event_type &&
      other.correlation_id === record.correlation_id &&
      canonicalJson(other.meta) === canonicalJson(said),
  )
  if (!original) return [missing(record, from_tenant)]
  const supported_by = [recordRef(original), recordRef(record)]
  return [{ fact: `${say(record)} is in both chains`, supported_by, contradicted_by: [] }]
}

function missing(record: AuditRecord, tenant_id: string): HearingFinding {
  return {
    fact: `missing on ${tenant_id}: ${say(record)}`,
    supported_by: [recordRef(record)],
    contradicted_by: [],
  }
}

interface Meta {
  readonly target_tenant?: unknown
  readonly from_tenant?: string
  readonly dry_run?: unknown
  readonly stage?: unknown
  readonly code?: unknown
  readonly counterpart?: { readonly tenant_id: string; readonly record_hash: string }
}

const gate_stage = 4

/** Same rule as for copying: a call refused before stage 4 never reached the other side. */
function reachedTheOther({ event_type, meta }: AuditRecord): boolean {
  const { stage, code } = meta as Meta
  const is_terminal = event_type === 'ProtocolInvocation' || code !== undefined
  return is_terminal && !(typeof stage === 'number' && stage < gate_stage)
}

function saysTheSame(one: AuditRecord, other: AuditRecord): boolean {
  const fields = ['event_type', 'caller_did', 'protocol', 'operation', 'outcome', 'timestamp'] as const
  return fields.every((field) => one[field] === other[field])
}

function say({ event_type, protocol, operation, outcome, caller_did, timestamp }: AuditRecord): string {
  const what = protocol && operation ? `${protocol}.${operation}` : event_type
  return `${what} (${event_type}, ${outcome}) by ${caller_did} at ${timestamp}`
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
