// A period of the audit log: its records, their sums, and whether each is unchanged.
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { wrongSummaries } from '../pages/check-pages.ts'
import { hashAt, readHashes } from '../pages/read-hashes.ts'
import { readRecords, type StoredRecord } from '../pages/read-records.ts'
import { bodyOf, isSound } from '../pages/stored-record.ts'
import type { Query } from './client-query.ts'
import { queryOf } from './query.ts'
import { scanRecords, searchRecords } from './search.ts'

export interface Span {
  readonly first_seq: number
  readonly last_seq: number
}

/** From the first to the last record whose time is in a half-open period; undefined where there are none. */
export async function spanOf(
  db: Database,
  tenant_id: string,
  from: string,
  to: string,
): Promise<Span | undefined> {
  const first_seq = await endOf(db, tenant_id, { from, to })
  const last_seq = await endOf(db, tenant_id, { from, to, newest_first: true })
  return first_seq === undefined || last_seq === undefined ? undefined : { first_seq, last_seq }
}

async function endOf(
  db: Database,
  tenant_id: string,
  period: { from: string; to: string; newest_first?: boolean },
): Promise<number | undefined> {
  for await (const [first] of searchRecords(queryOf(db), tenant_id, period)) if (first) return first.seq
  return undefined
}

export interface SpanCount {
  readonly outcome: string
  readonly event_type: string
  readonly count: number
}

export async function countSpan(db: Database, tenant_id: string, span: Span): Promise<SpanCount[]> {
  const counts = new Map<string, { outcome: string; event_type: string; count: number }>()
  for await (const records of scanRecords(queryOf(db), tenant_id, rangeOf(span)))
    for (const record of records) {
      const { outcome, event_type } = bodyOf(record) ?? { outcome: 'error', event_type: 'Error' }
      const key = `${event_type} ${outcome}`
      const row = counts.get(key) ?? { outcome, event_type, count: 0 }
      row.count++
      counts.set(key, row)
    }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
}

function rangeOf({ first_seq, last_seq }: Span) {
  return { from_seq: first_seq, to_seq: last_seq }
}

export interface SpanVerdict {
  readonly ok: boolean
  readonly first_bad_seq?: number
  readonly gaps: readonly number[]
}

const gaps_max = 100

/** Recomputes every hash of a span, its link to the previous record, and what its pages are found by. */
export async function verifySpan(
  db: Database,
  tenant_id: string,
  span: Span,
  signal?: AbortSignal,
): Promise<SpanVerdict> {
  const query = queryOf(db)
  const gaps: number[] = []
  let first_bad_seq: number | undefined
  let previous = (await hashAt(query, tenant_id, span.first_seq - 1)) ?? genesis_hash
  let expected = span.first_seq
  for await (const records of scanRecords(query, tenant_id, rangeOf(span))) {
    signal?.throwIfAborted()
    for (const record of records) {
      noteGaps(gaps, expected, record.seq - 1)
      const follows = record.seq === expected && record.previous_hash === previous
      if (!follows || !isSound(record, previous)) first_bad_seq ??= Math.min(expected, record.seq)
      previous = record.record_hash
      expected = record.seq + 1
    }
    const [hidden] = await wrongSummaries(query, tenant_id, records)
    first_bad_seq = hidden === undefined ? first_bad_seq : Math.min(hidden, first_bad_seq ?? hidden)
  }
  noteGaps(gaps, expected, span.last_seq)
  const bad = first_bad_seq ?? gaps[0]
  return bad === undefined ? { ok: true, gaps } : { ok: false, first_bad_seq: bad, gaps }
}

function noteGaps(gaps: number[], from: number, to: number): void {
  for (let missing = from; missing <= to && gaps.length < gaps_max; missing++) gaps.push(missing)
}

/** The first of these records that was changed; undefined where none was. */
export async function firstUnsound(
  db: Database,
  tenant_id: string,
  seqs: readonly number[],
): Promise<number | undefined> {
  return (await unsoundAmong(queryOf(db), tenant_id, seqs))[0]
}

/** Those whose stored text was changed, or that do not follow the record before them, in order. */
export async function unsoundAmong(
  query: Query,
  tenant_id: string,
  seqs: readonly number[],
): Promise<number[]> {
  const records = await readRecords(
    query,
    tenant_id,
    seqs.map((seq) => ({ from_seq: seq, to_seq: seq })),
  )
  const hashes = await readHashes(
    query,
    tenant_id,
    seqs.map((seq) => ({ from_seq: seq - 1, to_seq: seq - 1 })),
  )
  const hashBefore = (seq: number) =>
    seq === 1 ? genesis_hash : (hashes.get(seq - 1)?.toString('hex') ?? '')
  const isUnchanged = (record: StoredRecord) => {
    const previous = hashBefore(record.seq)
    return record.previous_hash === previous && isSound(record, previous)
  }
  return records.filter((record) => !isUnchanged(record)).map(({ seq }) => seq)
}
