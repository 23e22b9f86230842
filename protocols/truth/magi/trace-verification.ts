// Verifies that a trace's records are as written and signed: rehashes every segment of the chain it uses.
import { spanFaults } from '@svc/audit/query/replay'
import { firstUnsound } from '@svc/audit/query/span'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { verifyRecords } from '../../awareness/max/api.ts'

/** Records closer than this form one segment. */
const stretch_gap_max = 256
const proved_at_once = 200
/** Each needs a signature check; more are left to an offline verifier. */
const proved_max = 2_000

export interface BadRecord {
  readonly tenant_id: string
  readonly seq: number
  /** Null if the record is missing. */
  readonly record_hash: string | null
}

export interface Verification {
  readonly chain_ok: boolean
  readonly signatures_ok: boolean
  readonly records: number
  readonly signatures_checked: number
  readonly first_bad?: BadRecord
}

export async function verifyTrace(
  records: readonly AuditRecord[],
  foreign_bad: readonly AuditRecord[],
  context: OperationContext,
): Promise<Verification> {
  const own = records
    .filter(({ tenant_id }) => tenant_id === context.tenant_id)
    .toSorted((a, b) => a.seq - b.seq)
  const broken = await firstBroken(own, context)
  const signed = own.slice(-proved_max)
  const unsigned = broken === undefined ? await firstUnsigned(signed, context) : undefined
  const bad = broken ?? unsigned
  const counted = {
    records: records.length,
    signatures_checked: broken === undefined ? signed.length + records.length - own.length : 0,
  }
  if (bad !== undefined) {
    const record_hash = own.find(({ seq }) => seq === bad)?.record_hash ?? null
    const first_bad = { tenant_id: context.tenant_id, seq: bad, record_hash }
    return { chain_ok: broken === undefined, signatures_ok: false, ...counted, first_bad }
  }
  const [foreign] = foreign_bad
  if (!foreign) return { chain_ok: true, signatures_ok: true, ...counted }
  const { tenant_id, seq, record_hash } = foreign
  return { chain_ok: false, signatures_ok: false, ...counted, first_bad: { tenant_id, seq, record_hash } }
}

async function firstBroken(
  own: readonly AuditRecord[],
  { db, tenant_id, signal }: OperationContext,
): Promise<number | undefined> {
  if (own.length === 0) return undefined
  const faults: number[] = []
  for (const [first, last] of stretchesOf(own.map(({ seq }) => seq))) {
    signal.throwIfAborted()
    faults.push(...(await spanFaults(db, tenant_id, first, last)))
  }
  const unsound = await firstUnsound(
    db,
    tenant_id,
    own.map(({ seq }) => seq),
  )
  const all = unsound === undefined ? faults : [...faults, unsound]
  return all.length === 0 ? undefined : all.reduce((least, seq) => Math.min(least, seq))
}

/** From sorted sequence numbers. */
export function stretchesOf(seqs: readonly number[]): [number, number][] {
  const stretches: [number, number][] = []
  for (const seq of seqs) {
    const last = stretches.at(-1)
    if (last && seq - last[1] <= stretch_gap_max) last[1] = seq
    else stretches.push([seq, seq])
  }
  return stretches
}

async function firstUnsigned(
  own: readonly AuditRecord[],
  context: OperationContext,
): Promise<number | undefined> {
  for (let at = 0; at < own.length; at += proved_at_once) {
    context.signal.throwIfAborted()
    const { ok, first_bad_seq } = await verifyRecords(own.slice(at, at + proved_at_once), context)
    if (!ok) return first_bad_seq
  }
  return undefined
}
