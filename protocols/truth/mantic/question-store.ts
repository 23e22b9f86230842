import type { Bounds } from '@svc/contract/list-page'
import type { OperationContext } from '@svc/contract/operation-context'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import type { ResolvedKind, StoredForecast } from '../opinions/api.ts'

type Storing = Pick<OperationContext, 'db' | 'tenant_id'>

export interface QuestionRow {
  readonly question_id: string
  readonly topic: string
  readonly kind: ResolvedKind
  readonly low: number | null
  readonly high: number | null
  readonly opened_by: string
  readonly opened_at: Date
  readonly resolver_did: string
  readonly resolver_root: string
  readonly authority: string | null
  readonly locks_at: Date
  readonly forecasts: number
  readonly status: 'open' | 'resolved' | 'void'
  readonly outcome: number | null
  readonly known_at: Date | null
  readonly counted: number | null
  readonly citation_id: string | null
  readonly source_ref: string | null
  readonly resolved_at: Date | null
}

const columns =
  sql.raw(`question_id, topic, kind, low, high, opened_by, opened_at, resolver_did, resolver_root,
  authority, locks_at, forecasts, status, outcome, known_at, counted, citation_id, source_ref, resolved_at`)

export interface NewQuestion
  extends Pick<
    QuestionRow,
    'question_id' | 'topic' | 'kind' | 'low' | 'high' | 'resolver_did' | 'resolver_root' | 'authority'
  > {
  readonly locks_at: string
}

export async function insertQuestion(
  { db, tenant_id, caller, now }: OperationContext,
  question: NewQuestion,
): Promise<void> {
  const { question_id, topic, kind, low, high, resolver_did, resolver_root, authority, locks_at } = question
  await sql`
    INSERT INTO mantic_questions (tenant_id, question_id, topic, kind, low, high, opened_by, opened_at, resolver_did,
      resolver_root, authority, locks_at)
    VALUES (${tenant_id}, ${question_id}, ${topic}, ${kind}, ${low}, ${high}, ${caller.did}, ${now}, ${resolver_did},
      ${resolver_root}, ${authority}, ${locks_at})`.execute(db)
}

/** In one order, so that two who forecast the same questions do not wait for each other. */
export async function lockQuestions(
  { db, tenant_id }: Storing,
  question_ids: readonly string[],
): Promise<Map<string, QuestionRow>> {
  const rows = await sql<QuestionRow>`
    SELECT ${columns} FROM mantic_questions WHERE tenant_id = ${tenant_id} AND question_id = ANY(${question_ids}::uuid[])
    ORDER BY question_id FOR UPDATE`.all(db)
  return new Map(rows.map((row) => [row.question_id, row]))
}

export interface NewForecast {
  readonly question_id: string
  readonly forecast: StoredForecast
}

interface PutForecasts {
  /** The questions that the caller had not forecast yet. */
  readonly fresh: readonly string[]
  /** How often the caller has changed the forecast of a question. */
  readonly changes: ReadonlyMap<string, number>
}

/** The last one of a forecaster replaces those before, which stay: they count if the outcome was known before the change. */
export async function putForecasts(
  { db, tenant_id, caller, now }: OperationContext,
  root: string,
  forecasts: readonly NewForecast[],
): Promise<PutForecasts> {
  const rows = await sql<{ question_id: string; is_new: boolean; changes: number }>`
    INSERT INTO mantic_forecasts (tenant_id, question_id, forecaster, root, forecast, submitted_at)
    SELECT ${tenant_id}, r.question_id, ${caller.did}, ${root}, r.forecast, ${now}
    FROM jsonb_to_recordset(${JSON.stringify(forecasts)}::jsonb) AS r (question_id uuid, forecast jsonb)
    ORDER BY r.question_id
    ON CONFLICT (tenant_id, question_id, forecaster) DO UPDATE SET root = excluded.root,
      forecast = excluded.forecast, submitted_at = excluded.submitted_at, earlier = mantic_forecasts.earlier
        || jsonb_build_object('forecast', mantic_forecasts.forecast, 'at', mantic_forecasts.submitted_at)
    RETURNING question_id, (xmax = 0) AS is_new, jsonb_array_length(earlier) AS changes`.all(db)
  const fresh = rows.filter(({ is_new }) => is_new).map(({ question_id }) => question_id)
  await sql`
    UPDATE mantic_questions SET forecasts = forecasts + 1
    WHERE tenant_id = ${tenant_id} AND question_id = ANY(${fresh}::uuid[])`.execute(db)
  return { fresh, changes: new Map(rows.map(({ question_id, changes }) => [question_id, changes])) }
}

/** How many forecasters of this root each question has. */
export async function countSiblings(
  { db, tenant_id }: Storing,
  question_ids: readonly string[],
  root: string,
): Promise<Map<string, number>> {
  const rows = await sql<{ question_id: string; siblings: string }>`
    SELECT question_id, count(*) AS siblings FROM mantic_forecasts
    WHERE tenant_id = ${tenant_id} AND question_id = ANY(${question_ids}::uuid[]) AND root = ${root}
    GROUP BY question_id`.all(db)
  return new Map(rows.map(({ question_id, siblings }) => [question_id, Number(siblings)]))
}

export interface ForecastRow {
  readonly forecaster: string
  readonly root: string
  /** The last one up to the time in question; null if it said nothing by then. */
  readonly forecast: StoredForecast | null
}

/** All forecasters of a question, each with what it said last up to this time. */
export async function findForecasts(
  { db, tenant_id }: Storing,
  question_id: string,
  until: string,
  limit: number,
): Promise<ForecastRow[]> {
  return sql<ForecastRow>`
    SELECT forecaster, root, CASE WHEN submitted_at <= ${until}::timestamptz THEN forecast ELSE (
      SELECT said->'forecast' FROM jsonb_array_elements(earlier) WITH ORDINALITY AS change(said, nth)
      WHERE (said->>'at')::timestamptz <= ${until}::timestamptz
      ORDER BY nth DESC LIMIT 1) END AS forecast
    FROM mantic_forecasts
    WHERE tenant_id = ${tenant_id} AND question_id = ${question_id} ORDER BY forecaster LIMIT ${limit}`.all(
    db,
  )
}

export interface Resolution {
  readonly status: 'resolved' | 'void'
  readonly outcome: number | null
  readonly known_at: string
  readonly counted: number
  readonly citation_id: string | null
  readonly source_ref: string | null
}

export async function closeQuestion(
  { db, tenant_id, now }: OperationContext,
  question_id: string,
  { status, outcome, known_at, counted, citation_id, source_ref }: Resolution,
): Promise<void> {
  await sql`
    UPDATE mantic_questions SET status = ${status}, outcome = ${outcome}, known_at = ${known_at}, counted = ${counted},
      citation_id = ${citation_id}, source_ref = ${source_ref}, resolved_at = ${now}
    WHERE tenant_id = ${tenant_id} AND question_id = ${question_id}`.execute(db)
}

export interface QuestionFilter {
  readonly question_id?: string | undefined
  readonly topic?: string | undefined
  readonly status?: string | undefined
  readonly resolver?: string | undefined
}

export async function listQuestionRows(
  { db, tenant_id }: Storing,
  bounds: Bounds,
  { question_id, topic, status, resolver }: QuestionFilter,
): Promise<QuestionRow[]> {
  const filters = [
    ...(question_id === undefined ? [] : [sql`question_id = ${question_id}`]),
    ...(topic === undefined ? [] : [sql`topic = ${topic}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(resolver === undefined ? [] : [sql`resolver_did = ${resolver}`]),
  ]
  return sql<QuestionRow>`
    SELECT ${columns} FROM mantic_questions
    WHERE tenant_id = ${tenant_id} AND ${pageOf(bounds, sql`opened_at`, sql`question_id`, filters)}`.all(db)
}

export interface OwnForecast {
  readonly forecast: StoredForecast
  readonly submitted_at: Date
}

/** The caller's own forecasts of these questions; those of others stay hidden. */
export async function ownForecasts(
  { db, tenant_id, caller }: OperationContext,
  question_ids: readonly string[],
): Promise<Map<string, OwnForecast>> {
  const rows = await sql<{ question_id: string; forecast: StoredForecast; submitted_at: Date }>`
    SELECT question_id, forecast, submitted_at FROM mantic_forecasts
    WHERE tenant_id = ${tenant_id} AND question_id = ANY(${question_ids}::uuid[]) AND forecaster = ${caller.did}`.all(
    db,
  )
  return new Map(rows.map(({ question_id, ...row }) => [question_id, row]))
}
