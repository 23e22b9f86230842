// Rows of facts: reading those to settle with, closing and adding.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import type { Span } from '../content/api.ts'
import type { Assertion, Belief, Standing } from './history.ts'
import { unite } from './history.ts'

type Rows = Pick<OperationContext, 'db' | 'tenant_id'>

export interface Pair {
  readonly s: string
  readonly p: string
}

interface FactFacts extends Pair {
  readonly fact_id: string
  readonly o: string
  readonly functional: boolean
  readonly confidence: number
  readonly source_ref: string
}

export interface StandingRow extends Standing, FactFacts {
  readonly fact_id: string
  readonly o: string
  readonly confidence: number
}

export interface NewRow extends FactFacts {
  readonly valid: Span
  readonly status: Belief
}

interface RawRow extends FactFacts {
  readonly row_id: string
  readonly status: Belief
  readonly valid_from: Date | null
  readonly valid_to: Date | null
}

const columns = sql.raw(`row_id, fact_id, s, p, o, functional, source_ref, confidence, status,
  lower(valid) AS valid_from, upper(valid) AS valid_to`)

function oneOf(pairs: readonly Pair[]) {
  return sql`(s, p) IN (SELECT * FROM unnest(${pairs.map(({ s }) => s)}::text[],
    ${pairs.map(({ p }) => p)}::text[]))`
}

/** Serializes writers per pair, so that two concurrent contradicting facts are not both believed. */
export async function lockPairs({ db, tenant_id }: Rows, pairs: readonly Pair[]): Promise<void> {
  const names = [...new Set(pairs.map(({ s, p }) => `kg|${tenant_id}|${s}|${p}`))].sort()
  if (names.length === 0) return
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(name, 0))
    FROM (SELECT unnest(${names}::text[]) AS name ORDER BY 1) AS names`.execute(db)
}

/** The open rows of these pairs. */
export async function findStanding({ db, tenant_id }: Rows, pairs: readonly Pair[]): Promise<StandingRow[]> {
  const rows = await sql<RawRow>`
    SELECT ${columns} FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND ${oneOf(pairs)} AND upper_inf(tx) AND status <> 'redacted'
    ORDER BY row_id`.all(db)
  return rows.map(({ valid_from, valid_to, ...row }) => ({ ...row, valid: spanOf(valid_from, valid_to) }))
}

export type AssertedFact = Assertion & FactFacts

/** All open statements about a pair, believed or not, in order. */
export async function findAssertions(
  { db, tenant_id }: Rows,
  { s, p }: Pair,
  facts_max: number,
): Promise<AssertedFact[]> {
  const rows = await sql<RawRow>`
    SELECT ${columns} FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND s = ${s} AND p = ${p} AND status <> 'redacted' AND NOT withdrawn
    ORDER BY row_id LIMIT ${facts_max}`.all(db)
  const by_id = new Map<string, FactFacts & { spans: Span[] }>()
  for (const { valid_from, valid_to, row_id: _, status: __, ...facts } of rows) {
    const fact = by_id.get(facts.fact_id) ?? { ...facts, spans: [] }
    fact.spans.push(spanOf(valid_from, valid_to))
    by_id.set(facts.fact_id, fact)
  }
  // Later rows are parts of earlier ones: together they form the original statement.
  return [...by_id.values()].map(({ spans, ...facts }) => ({
    ...facts,
    valid: unite(spans),
    prevails: doesPrevail(facts.source_ref),
  }))
}

/** The result of a fusion is not weighed against each source again. */
export function doesPrevail(source_ref: string): boolean {
  return source_ref.startsWith('mind://snapshot/')
}

/** A time after all writes to these pairs, and not before `now`: a slow clock must not alter the past. */
export async function nextMoment(
  { db, tenant_id }: Rows,
  now: string,
  pairs: readonly Pair[],
): Promise<Date> {
  const row = await sql<{ last: Date | null }>`
    SELECT max(greatest(lower(tx) + interval '1 millisecond', upper(tx))) AS last FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND ${oneOf(pairs)} AND (lower(tx) >= ${now} OR upper(tx) > ${now})
  `.first(db)
  return new Date(Math.max(Date.parse(now), row?.last?.getTime() ?? 0))
}

/** Ending is their last change. */
export async function closeRows(
  { db, tenant_id }: Rows,
  row_ids: readonly string[],
  until: Date,
): Promise<void> {
  if (row_ids.length === 0) return
  await sql`UPDATE kg_fact SET tx = tstzrange(lower(tx), ${until})
    WHERE tenant_id = ${tenant_id} AND row_id = ANY(${row_ids}::bigint[]) AND upper_inf(tx)`.execute(db)
}

export async function insertRows(
  { db, tenant_id }: Rows,
  rows: readonly NewRow[],
  since: Date,
): Promise<void> {
  if (rows.length === 0) return
  const inserted = rows.map(({ fact_id, s, p, o, functional, confidence, source_ref, status, valid }) => ({
    ...{ fact_id, s, p, o, functional, confidence, source_ref, status },
    valid_from: timeOf(valid.from),
    valid_to: timeOf(valid.until),
  }))
  await sql`
    INSERT INTO kg_fact (tenant_id, fact_id, s, p, o, functional, valid, tx, confidence, source_ref, status)
    SELECT ${tenant_id}, fact_id, s, p, o, functional, tstzrange(valid_from, valid_to),
      tstzrange(${since}::timestamptz, NULL), confidence, source_ref, status
    FROM jsonb_to_recordset(${JSON.stringify(inserted)}::jsonb) AS given(fact_id uuid, s text, p text, o text,
      functional boolean, valid_from timestamptz, valid_to timestamptz, confidence double precision,
      source_ref text, status text)`.execute(db)
}

function timeOf(ms: number): string | null {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null
}

function spanOf(from: Date | null, until: Date | null): Span {
  return { from: from?.getTime() ?? -Infinity, until: until?.getTime() ?? Infinity }
}

/** A declared predicate has one value at a time, permanently. Returns which of these are declared. */
export async function declaredFunctional(
  { db, tenant_id, now }: Rows & Pick<OperationContext, 'now'>,
  predicates: readonly string[],
  declared: readonly string[],
): Promise<ReadonlySet<string>> {
  if (declared.length > 0)
    await sql`INSERT INTO kg_predicate (tenant_id, p, declared_at)
      SELECT ${tenant_id}, p, ${now} FROM unnest(${[...new Set(declared)].sort()}::text[]) AS p
      ON CONFLICT DO NOTHING`.execute(db)
  const rows = await sql<{ p: string }>`
    SELECT p FROM kg_predicate WHERE tenant_id = ${tenant_id} AND p = ANY(${predicates})`.all(db)
  return new Set(rows.map(({ p }) => p))
}
