// The scores behind a source's record: their means, and the newest of them.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import type { StoredForecast } from './forecast-score.ts'
import { any_topic } from './pool-opinion.ts'
import type { ResolvedKind } from './reliability-store.ts'

const history_max = 50
/** Of a topic the newest are read. */
const scores_read_max = 100_000

export interface MeanScores {
  readonly brier: number | null
  readonly log_loss: number | null
  readonly crps: number | null
  readonly quantile_loss: number | null
}

/** Plain means over the newest resolved questions of a source: each is null where no question has that score. */
export async function meanScores(
  context: OperationContext,
  about: Pick<Asked, 'source' | 'topic'>,
): Promise<MeanScores> {
  const row = await sql<MeanScores>`
    SELECT avg(brier) AS brier, avg(log_loss) AS log_loss, avg(crps) AS crps, avg(quantile_loss) AS quantile_loss
    FROM (SELECT brier, log_loss, crps, quantile_loss FROM mata_scores WHERE ${aboutOf(context, about)}
      ORDER BY at DESC, question_id DESC LIMIT ${scores_read_max}) newest`.first(context.db)
  return row!
}

export interface Asked {
  readonly source: string
  readonly topic: string
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface FoundScore extends MeanScores {
  readonly question_id: string
  readonly kind: ResolvedKind
  readonly forecast: StoredForecast
  readonly outcome: number
  readonly at: string
}

/** The newest scores of a source; of every topic for `*`. */
export async function findScores(
  context: OperationContext,
  about: Asked,
  limit = history_max,
): Promise<FoundScore[]> {
  const rows = await sql<Omit<FoundScore, 'at'> & { at: Date }>`
    SELECT question_id, kind, forecast, outcome, at, brier, log_loss, crps, quantile_loss FROM mata_scores
    WHERE ${aboutOf(context, about)} ORDER BY at DESC, question_id DESC LIMIT ${limit}`.all(context.db)
  return rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}

function aboutOf({ tenant_id }: OperationContext, { source, topic, from, to }: Asked) {
  const tests = [
    ...(topic === any_topic ? [] : [sql`topic = ${topic}`]),
    ...(from === undefined ? [] : [sql`at >= ${from}`]),
    ...(to === undefined ? [] : [sql`at < ${to}`]),
  ]
  return sql.join([sql`tenant_id = ${tenant_id}`, sql`source = ${source}`, ...tests], sql` AND `)
}
