// A period of the audit log: its records, their sums, and whether each is unchanged.

import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import {
  isSound,
  type LinkedRow,
  linked_columns,
  previousHash,
  type RecordRow,
  row_columns,
} from '../writer/record-row.ts'

export interface Span {
  readonly first_seq: number
  readonly last_seq: number
}

/** The records whose time is in a half-open period; undefined where there are none. */
export async function spanOf(
  db: Database,
  tenant_id: string,
  from: string,
  to: string,
): Promise<Span | undefined> {
  const rows = await sql<{ first_seq: string | null; last_seq: string | null }>`
    SELECT min(seq) AS first_seq, max(seq) AS last_seq FROM audit_records
    WHERE tenant_id = ${tenant_id} AND at >= ${from} AND at < ${to}`.all(db)
  const [bounds] = rows
  if (!bounds?.first_seq) return undefined
  return { first_seq: Number(bounds.first_seq), last_seq: Number(bounds.last_seq) }
}

export interface SpanCount {
  readonly outcome: string
  readonly event_type: string
  readonly count: number
}

export async function countSpan(db: Database, tenant_id: string, span: Span): Promise<SpanCount[]> {
  const rows = await sql<{ outcome: string; event_type: string; count: string }>`
    SELECT outcome, event_type, count(*) AS count FROM audit_records
    WHERE tenant_id = ${tenant_id} AND seq BETWEEN ${span.first_seq} AND ${span.last_seq}
    GROUP BY outcome, event_type ORDER BY event_type, outcome`.all(db)
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}

export interface SpanVerdict {
  readonly ok: boolean
  readonly first_bad_seq?: number
  readonly gaps: readonly number[]
}

const page_size = 2000
const gaps_max = 100

/** Recomputes every hash of a span, its link to the previous record, and its columns. */
export async function verifySpan(
  db: Database,
  tenant_id: string,
  span: Span,
  signal?: AbortSignal,
): Promise<SpanVerdict> {
  const gaps: number[] = []
  let first_bad_seq: number | undefined
  let previous = await hashBefore(db, tenant_id, span.first_seq)
  let expected = span.first_seq
  while (expected <= span.last_seq) {
    signal?.throwIfAborted()
    const rows = await sql<RecordRow>`
      SELECT ${row_columns} FROM audit_records r
      WHERE r.tenant_id = ${tenant_id} AND r.seq BETWEEN ${expected} AND ${span.last_seq}
      ORDER BY r.seq LIMIT ${page_size}`.all(db)
    if (rows.length === 0) break
    for (const row of rows) {
      const seq = Number(row.seq)
      noteGaps(gaps, expected, seq - 1)
      if (seq !== expected || !isSound(row, previous)) first_bad_seq ??= Math.min(expected, seq)
      previous = row.record_hash.toString('hex')
      expected = seq + 1
    }
  }
  noteGaps(gaps, expected, span.last_seq)
  const bad = first_bad_seq ?? gaps[0]
  return bad === undefined ? { ok: true, gaps } : { ok: false, first_bad_seq: bad, gaps }
}

function noteGaps(gaps: number[], from: number, to: number): void {
  for (let missing = from; missing <= to && gaps.length < gaps_max; missing++) gaps.push(missing)
}

async function hashBefore(db: Database, tenant_id: string, seq: number): Promise<string> {
  const row = await sql<{ record_hash: Buffer }>`
    SELECT record_hash FROM audit_records WHERE tenant_id = ${tenant_id} AND seq = ${seq - 1}`.first(db)
  return row?.record_hash.toString('hex') ?? genesis_hash
}

/** The first of these records that was changed; undefined where none was. */
export async function firstUnsound(
  db: Database,
  tenant_id: string,
  seqs: readonly number[],
): Promise<number | undefined> {
  const rows = await sql<LinkedRow>`
    SELECT ${linked_columns} FROM audit_records r
    WHERE r.tenant_id = ${tenant_id} AND r.seq = ANY(${seqs}::bigint[]) ORDER BY r.seq`.all(db)
  const unsound = rows.find((row) => !isSound(row, previousHash(row)))
  return unsound && Number(unsound.seq)
}
