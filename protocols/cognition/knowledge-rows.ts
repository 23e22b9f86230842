// The rows of facts: read for what a new one must be settled with, closed, and added.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from 'kysely'
import type { Standing } from './knowledge-history.ts'
import type { Span } from './knowledge-triple.ts'

type Rows = Pick<OperationContext, 'db' | 'tenant_id'>

export interface FactKeys {
  readonly s: string
  readonly p: string
  readonly o: string
}

export interface StandingRow extends Standing, FactKeys {
  readonly fact_id: string
  readonly functional: boolean
  readonly source_ref: string
  /** When it came to be believed, in milliseconds. */
  readonly since: number
}

export interface NewRow extends FactKeys {
  readonly fact_id: string
  readonly functional: boolean
  readonly valid: Span
  /** From when on it is known, in milliseconds. */
  readonly since: number
  readonly confidence: number
  readonly source_ref: string
  readonly contested: boolean
}

interface RawRow extends FactKeys {
  readonly row_id: string
  readonly fact_id: string
  readonly functional: boolean
  readonly source_ref: string
  readonly confidence: number
  readonly status: string
  readonly valid_from: Date | null
  readonly valid_to: Date | null
  readonly since: Date
}

/** One writer at a time for each of these, so that two that learn of the same thing do not both believe. */
export async function lockPairs({ db, tenant_id }: Rows, pairs: readonly FactKeys[]): Promise<void> {
  const names = [...new Set(pairs.map(({ s, p }) => `kg|${tenant_id}|${s}|${p}`))].sort()
  if (names.length === 0) return
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(name, 0))
    FROM (SELECT unnest(${names}::text[]) AS name ORDER BY 1) AS names`.execute(db)
}

/** What is believed of these pairs now. */
export async function findStanding(
  { db, tenant_id }: Rows,
  pairs: readonly FactKeys[],
): Promise<StandingRow[]> {
  const { rows } = await sql<RawRow>`
    SELECT DISTINCT row_id, fact_id, s, p, o, functional, source_ref, confidence, status,
      lower(valid) AS valid_from, upper(valid) AS valid_to, lower(tx) AS since
    FROM kg_fact JOIN (
      SELECT * FROM unnest(${pairs.map(({ s }) => s)}::text[], ${pairs.map(({ p }) => p)}::text[])
        AS pair(s, p)) AS pair USING (s, p)
    WHERE tenant_id = ${tenant_id} AND upper_inf(tx) AND status <> 'redacted'
    ORDER BY row_id`.execute(db)
  return rows.map(({ valid_from, valid_to, since, status, ...row }) => ({
    ...row,
    valid: { from: valid_from?.getTime() ?? -Infinity, until: valid_to?.getTime() ?? Infinity },
    since: since.getTime(),
    contested: status === 'contested',
  }))
}

/** The first moment after all that is written of these pairs, and not before `now`: a clock that lags must not rewrite the past. */
export async function nextMoment(
  { db, tenant_id }: Rows,
  now: string,
  pairs: readonly FactKeys[],
): Promise<number> {
  const { rows } = await sql<{ last: Date | null }>`
    SELECT max(greatest(lower(tx) + interval '1 millisecond', upper(tx))) AS last
    FROM kg_fact JOIN (
      SELECT * FROM unnest(${pairs.map(({ s }) => s)}::text[], ${pairs.map(({ p }) => p)}::text[])
        AS pair(s, p)) AS pair USING (s, p)
    WHERE tenant_id = ${tenant_id} AND (lower(tx) >= ${now} OR upper(tx) > ${now})`.execute(db)
  return Math.max(Date.parse(now), rows[0]?.last?.getTime() ?? 0)
}

/** Their end is their last change. */
export async function closeRows(
  { db, tenant_id }: Rows,
  row_ids: readonly string[],
  until: number,
): Promise<void> {
  if (row_ids.length === 0) return
  await sql`UPDATE kg_fact SET tx = tstzrange(lower(tx), ${new Date(until)})
    WHERE tenant_id = ${tenant_id} AND row_id = ANY(${row_ids}::bigint[]) AND upper_inf(tx)`.execute(db)
}

export async function insertRows({ db, tenant_id }: Rows, rows: readonly NewRow[]): Promise<void> {
  if (rows.length === 0) return
  const given = rows.map(({ valid, since, contested, ...row }) => ({
    ...row,
    valid_from: timeOf(valid.from),
    valid_to: timeOf(valid.until),
    since: timeOf(since),
    status: contested ? 'contested' : 'current',
  }))
  await sql`
    INSERT INTO kg_fact (tenant_id, fact_id, s, p, o, functional, valid, tx, confidence, source_ref, status)
    SELECT ${tenant_id}, fact_id, s, p, o, functional, tstzrange(valid_from, valid_to), tstzrange(since, NULL),
      confidence, source_ref, status
    FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given(fact_id uuid, s text, p text, o text,
      functional boolean, valid_from timestamptz, valid_to timestamptz, since timestamptz,
      confidence double precision, source_ref text, status text)`.execute(db)
}

function timeOf(ms: number): string | null {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null
}

/** Once declared for an organization, a predicate has one value at a time for good. Answers which of these are. */
export async function declaredFunctional(
  { db, tenant_id, now }: Rows & Pick<OperationContext, 'now'>,
  asked: readonly string[],
  declared: readonly string[],
): Promise<ReadonlySet<string>> {
  if (declared.length > 0)
    await sql`INSERT INTO kg_predicate (tenant_id, p, declared_at)
      SELECT ${tenant_id}, p, ${now} FROM unnest(${[...new Set(declared)].sort()}::text[]) AS p
      ON CONFLICT DO NOTHING`.execute(db)
  const { rows } = await sql<{ p: string }>`
    SELECT p FROM kg_predicate WHERE tenant_id = ${tenant_id} AND p = ANY(${asked})`.execute(db)
  return new Set(rows.map(({ p }) => p))
}
