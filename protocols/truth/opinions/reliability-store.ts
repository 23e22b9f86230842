import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { type NotNull, sql } from '@svc/database/sql'
import type { Score, StoredForecast } from './forecast-score.ts'
import { any_topic } from './pool-opinion.ts'
import {
  emptyTally,
  half_life_days_default,
  judgeSources,
  massAt,
  type Reliability,
  type Tally,
} from './reliability.ts'

const sources_max = 10_000
/** With another half-life only the newest of a topic are read: older ones hardly count. */
const scores_read_max = 100_000

export type ResolvedKind = 'binary' | 'categories' | 'quantity'
/** Whether it occurred (1 or 0), the place of the category that did, or the value of the quantity. */
export type ResolvedOutcome = number

export interface ResolvedQuestion {
  readonly question_id: string
  readonly topic: string
  readonly kind: ResolvedKind
  readonly outcome: ResolvedOutcome
  /** When the outcome was known. */
  readonly at: string
}

/** A forecast that was locked before its outcome was known. */
export interface ScoredForecast {
  readonly source: string
  readonly forecast: StoredForecast
  /** Forecasters of one root together count as one on a question. */
  readonly share: number
  readonly score: Score
  /** Its loss less that of the other roots; undefined if there are none. */
  readonly excess: number | undefined
}

/** Once for each question. Sources beyond what a topic holds are left out; returns how many were counted. */
export async function addScores(
  context: OperationContext,
  question: ResolvedQuestion,
  scored: readonly ScoredForecast[],
): Promise<number> {
  const { db, tenant_id } = context
  const { question_id, topic, kind, outcome, at } = question
  const fitting = await withRoom(context, topic, scored)
  const rows = fitting.map(({ source, forecast, share, score, excess }) => ({
    source,
    excess: excess ?? null,
    share,
    forecast,
    loss: score.loss,
    brier: score.brier ?? null,
    log_loss: score.log === undefined ? null : Math.max(0, score.log),
    crps: score.crps ?? null,
    quantile_loss: score.quantile ?? null,
  }))
  await sql`
    INSERT INTO mata_scores (tenant_id, source, question_id, topic, kind, forecast, outcome, at, share, loss, brier,
      log_loss, crps, quantile_loss, excess)
    SELECT ${tenant_id}, r.source, ${question_id}, ${topic}, ${kind}, r.forecast, ${outcome}, ${at}, r.share, r.loss,
      r.brier, r.log_loss, r.crps, r.quantile_loss, r.excess
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (source text, forecast jsonb, share float8,
      loss float8, brier float8, log_loss float8, crps float8, quantile_loss float8, excess float8)`.execute(
    db,
  )
  const mass = massAt(Date.parse(at))
  const sums = fitting.map(({ source, share, score, excess }) => ({
    source,
    compared: excess === undefined ? 0 : 1,
    mass: mass * share,
    loss: mass * share * score.loss,
    excess: mass * share * (excess ?? 0),
    difference: mass * share * Math.abs(excess ?? 0),
  }))
  // The overall sum first, then the topic, each by source: a fixed order avoids deadlocks.
  for (const place of [...new Set([any_topic, topic])].sort()) await addSums(db, tenant_id, place, sums)
  return fitting.length
}

interface Sums {
  readonly source: string
  readonly compared: number
  readonly mass: number
  readonly loss: number
  readonly excess: number
  readonly difference: number
}

async function addSums(db: Database, tenant_id: string, topic: string, sums: readonly Sums[]): Promise<void> {
  await sql`
    INSERT INTO mata_records (tenant_id, topic, source, n, mass, loss_sum, n_compared, excess_sum, difference_sum)
    SELECT ${tenant_id}, ${topic}, r.source, 1, r.mass, r.loss, r.compared, r.excess, r.difference
    FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb) AS r (source text, compared bigint, mass float8,
      loss float8, excess float8, difference float8)
    ORDER BY r.source COLLATE "C"
    ON CONFLICT (tenant_id, topic, source) DO UPDATE SET n = mata_records.n + 1,
      mass = mata_records.mass + excluded.mass, loss_sum = mata_records.loss_sum + excluded.loss_sum,
      n_compared = mata_records.n_compared + excluded.n_compared,
      excess_sum = mata_records.excess_sum + excluded.excess_sum,
      difference_sum = mata_records.difference_sum + excluded.difference_sum`.execute(db)
}

/** Who has a record already, and as many others as fit, both overall and in the topic. */
async function withRoom(
  { db, tenant_id }: OperationContext,
  topic: string,
  scored: readonly ScoredForecast[],
): Promise<ScoredForecast[]> {
  let fitting = [...scored]
  for (const place of new Set([any_topic, topic])) {
    const sources = fitting.map(({ source }) => source)
    const known_rows = await sql<{ source: string }>`
      SELECT source FROM mata_records
      WHERE tenant_id = ${tenant_id} AND topic = ${place} AND source = ANY(${sources})`.all(db)
    const recorded = new Set(known_rows.map(({ source }) => source))
    const row = await sql<{ others: string }>`
      SELECT count(*) AS others FROM (
        SELECT FROM mata_records WHERE tenant_id = ${tenant_id} AND topic = ${place} LIMIT ${sources_max}
      ) counted`.first(db)
    let room = sources_max - Number(row!.others)
    fitting = fitting.filter(({ source }) => recorded.has(source) || room-- > 0)
  }
  return fitting
}

/** Null removes the manual weight. */
export async function setWeight(
  { db, tenant_id }: OperationContext,
  { source, topic }: { source: string; topic: string },
  weight: number | null,
  authority: string,
): Promise<void> {
  await requireRoom(db, tenant_id, topic, source)
  await sql`
    INSERT INTO mata_sources (tenant_id, topic, source, manual_weight, authority)
    VALUES (${tenant_id}, ${topic}, ${source}, ${weight}, ${authority})
    ON CONFLICT (tenant_id, topic, source) DO UPDATE SET manual_weight = excluded.manual_weight,
      authority = excluded.authority`.execute(db)
}

async function requireRoom(db: Database, tenant_id: string, topic: string, source: string): Promise<void> {
  const inserted = await sql`
    SELECT FROM mata_sources WHERE tenant_id = ${tenant_id} AND topic = ${topic} AND source = ${source}`.execute(
    db,
  )
  if (inserted.rows.length > 0) return
  const row = await sql<{ others: string }>`
    SELECT count(*) AS others FROM (
      SELECT FROM mata_sources WHERE tenant_id = ${tenant_id} AND topic = ${topic} LIMIT ${sources_max}
    ) counted`.first(db)
  if (Number(row!.others) < sources_max) return
  throw refuse(
    'policy_denied',
    `The topic ${topic} has ${sources_max} sources, which is the maximum; use a narrower topic.`,
    { reason: 'too many sources' },
  )
}

/** The sources of a topic; requested ones without history count as average. */
export async function judgeTopic(
  context: OperationContext,
  topic: string,
  sources: readonly string[],
  half_life_days = half_life_days_default,
): Promise<{ readonly known: boolean; readonly judged: ReadonlyMap<string, Reliability> }> {
  const tallies =
    half_life_days === half_life_days_default
      ? await storedTallies(context, topic)
      : await countedTallies(context, topic, half_life_days)
  const named = new Set(tallies.map(({ source }) => source))
  const others = [...new Set(sources)].filter((source) => !named.has(source)).map(emptyTally)
  const judged = new Map(
    judgeSources([...tallies, ...others]).map((reliability) => [reliability.source, reliability]),
  )
  const is_known = sources.some((source) => named.has(source))
  return { known: is_known, judged }
}

/** The weight of each source on a topic, 0 to 1, not normalised. Equal if nothing is known. */
export async function sourceWeights(
  context: OperationContext,
  topic: string,
  sources: readonly string[],
): Promise<Record<string, number>> {
  const { judged } = await judgeTopic(context, topic, sources)
  return Object.fromEntries(sources.map((source) => [source, judged.get(source)!.weight]))
}

interface RecordRow {
  source: string
  n: string
  n_compared: string
  mass: number
  loss_sum: number
  excess_sum: number
  difference_sum: number
}

async function storedTallies(context: OperationContext, topic: string): Promise<Tally[]> {
  const { db, tenant_id, now } = context
  const rows = await sql<RecordRow>`
    SELECT source, n, n_compared, mass, loss_sum, excess_sum, difference_sum FROM mata_records
    WHERE tenant_id = ${tenant_id} AND topic = ${topic} ORDER BY source LIMIT ${sources_max}`.all(db)
  return withManual(context, topic, rows, 1 / massAt(Date.parse(now)))
}

/** From the scores themselves; the age is capped, as the weight would underflow. */
async function countedTallies(
  context: OperationContext,
  topic: string,
  half_life_days: number,
): Promise<Tally[]> {
  const { db, tenant_id, now } = context
  const in_topic = topic === any_topic ? sql`` : sql`AND topic = ${topic}`
  const rows = await sql<RecordRow>`
    SELECT source, count(*) AS n, count(excess) AS n_compared, sum(mass) AS mass, sum(mass * loss) AS loss_sum,
      coalesce(sum(mass * excess), 0) AS excess_sum, coalesce(sum(mass * abs(excess)), 0) AS difference_sum
    FROM (
      SELECT source, loss, excess, share * power(2.0::float8, greatest(-500,
        extract(epoch FROM at - ${now}::timestamptz)::float8 / 86400 / ${half_life_days}::float8)) AS mass
      FROM mata_scores WHERE tenant_id = ${tenant_id} ${in_topic} ORDER BY at DESC LIMIT ${scores_read_max}
    ) counted GROUP BY source ORDER BY source LIMIT ${sources_max}`.all(db)
  return withManual(context, topic, rows, 1)
}

/** Adds the weights that the organization has set, also of sources without a record. */
async function withManual(
  { db, tenant_id }: OperationContext,
  topic: string,
  records: readonly RecordRow[],
  decay: number,
): Promise<Tally[]> {
  const set_rows = await sql<{ source: string; manual_weight: NotNull<number> }>`
    SELECT source, manual_weight FROM mata_sources
    WHERE tenant_id = ${tenant_id} AND topic = ${topic} AND manual_weight IS NOT NULL
    ORDER BY source LIMIT ${sources_max}`.all(db)
  const manual = new Map(set_rows.map(({ source, manual_weight }) => [source, manual_weight]))
  const tallies = records.map(({ source, n, n_compared, mass, loss_sum, excess_sum, difference_sum }) => ({
    source,
    n: Number(n),
    n_compared: Number(n_compared),
    n_effective: mass * decay,
    loss_sum: loss_sum * decay,
    excess_sum: excess_sum * decay,
    difference_sum: difference_sum * decay,
    manual_weight: manual.get(source) ?? null,
  }))
  for (const { source } of records) manual.delete(source)
  const unproven = [...manual].map(([source, manual_weight]) => ({ ...emptyTally(source), manual_weight }))
  return [...tallies, ...unproven]
}
