import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

export const signals_kept_ms = 7 * 86_400_000
/** Of one organization; beyond either the oldest go. */
const batches_max = 20_000
const bytes_max = 256 * 1024 * 1024
const deleted_at_once_max = 5_000
const sweep_rounds_max = 100

/** Runs as the engine, over all tenants. */
export async function forgetOldSignals(db: Database, now_ms: number): Promise<void> {
  const oldest = new Date(now_ms - signals_kept_ms)
  await inRounds(() =>
    sql`
      DELETE FROM signal_batches WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM signal_batches WHERE received_at < ${oldest}::timestamptz
        LIMIT ${sql.lit(deleted_at_once_max)} FOR UPDATE SKIP LOCKED))`.execute(db),
  )
  const crowded = await sql<{ tenant_id: string }>`
    SELECT tenant_id FROM signal_batches GROUP BY tenant_id
    HAVING count(*) > ${sql.lit(batches_max)} OR sum(bytes) > ${sql.lit(bytes_max)}`.all(db)
  for (const { tenant_id } of crowded)
    await inRounds(() =>
      sql`
        DELETE FROM signal_batches WHERE ctid = ANY(ARRAY(
          SELECT k.ctid FROM (
            SELECT ctid, row_number() OVER newest AS place, sum(bytes) OVER newest AS total FROM signal_batches
            WHERE tenant_id = ${tenant_id} WINDOW newest AS (ORDER BY received_at DESC, batch_id DESC)
          ) k WHERE k.place > ${sql.lit(batches_max)} OR k.total > ${sql.lit(bytes_max)}
          LIMIT ${sql.lit(deleted_at_once_max)}))`.execute(db),
    )
}

async function inRounds(remove: () => Promise<{ numAffectedRows?: bigint }>): Promise<void> {
  for (let round = 0; round < sweep_rounds_max; round++) {
    const { numAffectedRows = 0n } = await remove()
    if (numAffectedRows < deleted_at_once_max) return
  }
}
