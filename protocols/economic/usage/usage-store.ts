// Usage event by event, from the audit log: sums say how much it was in all.
import { readRecords, type StoredRecord } from '@svc/audit/pages/read-records'
import { bodyOf } from '@svc/audit/pages/stored-record'
import { queryOf } from '@svc/audit/query/query'
import { searchRecords } from '@svc/audit/query/search'
import { usageEventOf } from '@svc/audit/query/usage-event'
import type { Database } from '@svc/contract/database'
import type { CountedEvent, Span, UsageEvent, UsageEvents } from '@svc/contract/money/usage'
import { sql } from '@svc/database/sql'

const moved_at_once = 500
const event_types = ['ProtocolInvocation', 'UsageMetered']

/** With the rights of `db`. */
export function eventsOf(db: Database, tenant_id: string): UsageEvents {
  return async function* (span, until_seq = Number.MAX_SAFE_INTEGER - 1) {
    yield* movedInto(db, tenant_id, span, until_seq)
    yield* recordedIn(db, tenant_id, span, until_seq)
  }
}

/** Those that were recorded in the span and count when they were. */
async function* recordedIn(
  db: Database,
  tenant_id: string,
  { from_ms, to_ms }: Span,
  until_seq: number,
): AsyncGenerator<CountedEvent[]> {
  const period = { from: new Date(from_ms).toISOString(), to: new Date(to_ms).toISOString() }
  const filter = { ...period, outcome: 'success', event_types, before_seq: until_seq + 1 }
  for await (const records of searchRecords(queryOf(db), tenant_id, filter)) {
    const events = records.flatMap(eventOf)
    const moved = await movedAmong(db, tenant_id, events)
    yield events.flatMap(({ event, record_hash }) =>
      moved.has(event.seq) ? [] : [{ event, record_hash, counted_ms: event.recorded_ms }],
    )
  }
}

async function movedAmong(
  db: Database,
  tenant_id: string,
  events: readonly Recorded[],
): Promise<ReadonlySet<number>> {
  const seqs = events.map(({ event }) => event.seq)
  const rows = await sql<{ seq: string }>`
    SELECT seq FROM meter_moved WHERE tenant_id = ${tenant_id} AND seq = ANY(${seqs}::bigint[])`.all(db)
  return new Set(rows.map(({ seq }) => Number(seq)))
}

/** Those that count in the span, and were recorded at another time. */
async function* movedInto(
  db: Database,
  tenant_id: string,
  { from_ms, to_ms }: Span,
  until_seq: number,
): AsyncGenerator<CountedEvent[]> {
  let after = { at: new Date(from_ms), seq: '0' }
  for (;;) {
    const rows = await sql<{ seq: string; at: Date }>`
      SELECT seq, at FROM meter_moved
      WHERE tenant_id = ${tenant_id} AND (at, seq) > (${after.at}, ${after.seq}::bigint) AND at < ${new Date(to_ms)}
        AND seq <= ${until_seq}
      ORDER BY at, seq LIMIT ${moved_at_once}`.all(db)
    const at = new Map(rows.map((row) => [Number(row.seq), row.at.getTime()]))
    const places = [...at.keys()].map((seq) => ({ from_seq: seq, to_seq: seq }))
    const records = await readRecords(queryOf(db), tenant_id, places)
    yield records.flatMap(eventOf).map((one) => ({ ...one, counted_ms: at.get(one.event.seq)! }))
    if (rows.length < moved_at_once) return
    after = rows.at(-1)!
  }
}

interface Recorded {
  readonly event: UsageEvent
  readonly record_hash: string
}

function eventOf(record: StoredRecord): Recorded[] {
  const body = bodyOf(record)
  const event = body && usageEventOf(body)
  return event ? [{ event, record_hash: record.record_hash }] : []
}
