// Rate limits once more: a bucket, emptied by the calls that the log has and filled by time.
import { findRecords } from '@svc/audit/query/records'
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'

/** A larger bucket is not replayed. */
const calls_max = 512

export interface Bucket {
  readonly capacity: number
  readonly refill_per_s: number
}

export interface PrecedingCalls {
  readonly bucket: Bucket
  /** The calls that took from it before, the oldest first, and when. */
  readonly calls: readonly AuditRecord[]
  readonly called_ms: readonly number[]
}

/** What is left in the bucket at a time. */
export function levelAt(
  called_ms: readonly number[],
  at_ms: number,
  { capacity, refill_per_s }: Bucket,
): number {
  let level = capacity
  let last_ms = called_ms[0] ?? at_ms
  const refill = (now_ms: number) => {
    level = Math.min(capacity, level + ((now_ms - last_ms) / 1000) * refill_per_s)
    last_ms = now_ms
  }
  for (const each_ms of called_ms) {
    refill(each_ms)
    level -= 1
  }
  refill(at_ms)
  return level
}

/** The calls that may have emptied the bucket of a refused call; undefined where the log cannot tell. */
export async function callsBefore(
  record: AuditRecord,
  context: OperationContext<'served'>,
): Promise<PrecedingCalls | undefined> {
  const { meta, protocol, tenant_id, timestamp, seq } = record
  const is_crowded = meta.code === 'rate_limited' && meta.reason === 'bucket empty' && !isNote(record)
  const bucket = is_crowded && protocol ? context.served.bucketOf(protocol) : undefined
  if (!bucket || tenant_id !== context.tenant_id || bucket.capacity > calls_max) return undefined
  const window_ms = (bucket.capacity / bucket.refill_per_s) * 1000
  const earliest_ms = Math.max(0, Date.parse(timestamp) - window_ms)
  const before = await findRecords(context.db, tenant_id, {
    ...(protocol !== undefined && { protocol }),
    from: new Date(earliest_ms).toISOString(),
    before_seq: seq,
    newest_first: true,
    limit: calls_max,
  })
  const calls = before
    .filter(isCounted)
    .sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp) || a.seq - b.seq)
  return { bucket, calls, called_ms: calls.map(({ timestamp: at }) => Date.parse(at)) }
}

/** What consumed the rate limit: calls past stage 3, and calls to unknown names. */
function isCounted(record: AuditRecord): boolean {
  const { meta, event_type } = record
  if (isNote(record) || meta.dry_run === true || meta.replayed === true) return false
  if (event_type === 'ProtocolInvocation') return true
  if (meta.code === 'unknown_operation' || meta.code === 'unknown_version') return true
  return meta.code !== undefined && typeof meta.stage === 'number' && meta.stage > 3
}
