// Counts an organization's open runs by state, and the results of those started within a day.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

const day_ms = 86_400_000

export interface RunFigures {
  readonly open: Readonly<Record<string, number>>
  readonly ended_of_last_day: Readonly<Record<string, number>>
}

export async function countRuns(db: Database, tenant_id: string, now: string): Promise<RunFigures> {
  const since = new Date(Date.parse(now) - day_ms)
  const open = await sql<{ state: string; runs: string }>`
    SELECT state, count(*) AS runs FROM moon_run
    WHERE tenant_id = ${tenant_id} AND ended_at IS NULL GROUP BY state ORDER BY state`.execute(db)
  const ended = await sql<{ state: string; runs: string }>`
    SELECT state, count(*) AS runs FROM moon_run
    WHERE tenant_id = ${tenant_id} AND created_at >= ${since} AND ended_at IS NOT NULL
    GROUP BY state ORDER BY state`.execute(db)
  const asRecord = (rows: readonly { state: string; runs: string }[]) =>
    Object.fromEntries(rows.map(({ state, runs }) => [state, Number(runs)]))
  return { open: asRecord(open.rows), ended_of_last_day: asRecord(ended.rows) }
}
