import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { any_topic } from './pool-opinion.ts'
import {
  emptyTally,
  type Forecast,
  half_life_days_default,
  judgeSources,
  massAt,
  type Outcome,
  type Reliability,
  type Tally,
} from './reliability.ts'

const sources_max = 10_000
/** With another half-life only the newest of a topic are read: older ones hardly count. */
const outcomes_read_max = 100_000
const history_max = 50

export interface Resolved {
  readonly id: string
  readonly forecast: Forecast
  readonly outcome: Outcome
  readonly at: string
  readonly brier: number
  readonly log_loss: number
}

/** Those with a new id; of two with one id the first counts. */
export async function addOutcomes(
  context: OperationContext,
  { source, topic }: { source: string; topic: string },
  reported: readonly Resolved[],
): Promise<Resolved[]> {
  const { db, tenant_id, caller, now } = context
  const outcomes = [...new Map(reported.toReversed().map((outcome) => [outcome.id, outcome])).values()]
  const rows = outcomes.map(({ forecast, outcome, ...row }) => ({
    ...row,
    forecast: JSON.stringify(forecast),
    outcome: JSON.stringify(outcome),
  }))
  const added = await sql<{ outcome_id: string }>`
    INSERT INTO mata_outcomes (tenant_id, source, topic, outcome_id, forecast, outcome, at, brier, log_loss,
      reported_by, reported_at)
    SELECT ${tenant_id}, ${source}, ${topic}, r.id, r.forecast::jsonb, r.outcome::jsonb, r.at, r.brier, r.log_loss,
      ${caller.did}, ${now}
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      AS r (id text, forecast text, outcome text, at timestamptz, brier float8, log_loss float8)
    -- In one order, so that two who report the same do not wait for each other.
    ORDER BY r.id COLLATE "C" ON CONFLICT DO NOTHING RETURNING outcome_id`.execute(db)
  const ids = new Set(added.rows.map(({ outcome_id }) => outcome_id))
  const fresh = outcomes.filter(({ id }) => ids.has(id))
  await addSums(db, tenant_id, source, topic, fresh)
  return fresh
}

async function addSums(
  db: Database,
  tenant_id: string,
  source: string,
  topic: string,
  fresh: readonly Resolved[],
): Promise<void> {
  const [sums, here] = [{ mass: 0, brier: 0, log: 0 }, new Set([any_topic, topic])]
  for (const { at, brier, log_loss } of fresh) {
    const mass = massAt(Date.parse(at))
    sums.mass += mass
    sums.brier += mass * brier
    sums.log += mass * log_loss
  }
  // The overall sum first, then the topic: a fixed order avoids deadlocks.
  for (const place of [...here].sort()) {
    await requireRoom(db, tenant_id, place, source)
    await sql`
      INSERT INTO mata_sources (tenant_id, topic, source, n, mass, brier_sum, log_sum)
      VALUES (${tenant_id}, ${place}, ${source}, ${fresh.length}, ${sums.mass}, ${sums.brier}, ${sums.log})
      ON CONFLICT (tenant_id, topic, source) DO UPDATE SET n = mata_sources.n + excluded.n,
        mass = mata_sources.mass + excluded.mass, brier_sum = mata_sources.brier_sum + excluded.brier_sum,
        log_sum = mata_sources.log_sum + excluded.log_sum`.execute(db)
  }
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

interface TallyRow {
  source: string
  n: string
  mass: number
  brier_sum: number
  log_sum: number
  manual_weight: number | null
}

async function storedTallies({ db, tenant_id, now }: OperationContext, topic: string): Promise<Tally[]> {
  const rows = await sql<TallyRow>`
    SELECT source, n, mass, brier_sum, log_sum, manual_weight FROM mata_sources
    WHERE tenant_id = ${tenant_id} AND topic = ${topic} ORDER BY source LIMIT ${sources_max}`.all(db)
  return rows.map((row) => tallyOf(row, 1 / massAt(Date.parse(now))))
}

/** From the outcomes themselves; the age is capped, as the weight would underflow. */
async function countedTallies(
  { db, tenant_id, now }: OperationContext,
  topic: string,
  half_life_days: number,
): Promise<Tally[]> {
  const in_topic = topic === any_topic ? sql`` : sql`AND topic = ${topic}`
  const rows = await sql<TallyRow>`
    SELECT s.source, s.manual_weight, coalesce(o.n, 0) AS n, coalesce(o.mass, 0) AS mass,
      coalesce(o.brier_sum, 0) AS brier_sum, coalesce(o.log_sum, 0) AS log_sum
    FROM mata_sources s LEFT JOIN (
      SELECT source, count(*) AS n, sum(mass) AS mass, sum(mass * brier) AS brier_sum, sum(mass * log_loss) AS log_sum
      FROM (
        SELECT source, brier, log_loss, power(2.0::float8, greatest(-500,
          extract(epoch FROM at - ${now}::timestamptz)::float8 / 86400 / ${half_life_days}::float8)) AS mass
        FROM mata_outcomes WHERE tenant_id = ${tenant_id} ${in_topic} ORDER BY at DESC LIMIT ${outcomes_read_max}
      ) counted GROUP BY source
    ) o ON o.source = s.source
    WHERE s.tenant_id = ${tenant_id} AND s.topic = ${topic} ORDER BY s.source LIMIT ${sources_max}`.all(db)
  return rows.map((row) => tallyOf(row, 1))
}

function tallyOf({ source, n, mass, brier_sum, log_sum, manual_weight }: TallyRow, decay: number): Tally {
  return {
    source,
    n: Number(n),
    n_effective: mass * decay,
    brier_sum: brier_sum * decay,
    log_sum: log_sum * decay,
    manual_weight,
  }
}

export interface Asked {
  readonly source: string
  readonly topic: string
  readonly from?: string
  readonly to?: string
}

/** The newest outcomes of a source; of every topic for `*`. */
export async function findOutcomes(
  { db, tenant_id }: OperationContext,
  { source, topic, from, to }: Asked,
  limit = history_max,
): Promise<Resolved[]> {
  const tests = [
    ...(topic === any_topic ? [] : [sql`topic = ${topic}`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(to === undefined ? [] : [sql`at < ${to}`]),
  ]
  const rows = await sql<Omit<Resolved, 'at'> & { at: Date }>`
    SELECT outcome_id AS id, forecast, outcome, at, brier, log_loss FROM mata_outcomes
    WHERE ${sql.join([sql`tenant_id = ${tenant_id}`, sql`source = ${source}`, ...tests], sql` AND `)}
    ORDER BY at DESC, outcome_id DESC LIMIT ${limit}`.all(db)
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}
