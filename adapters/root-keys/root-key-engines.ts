// Which root keys each engine holds, seals with and may still have in its journal. A renewal waits for all of them.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

export interface EngineKeys {
  readonly journal_id: string
  readonly journal_dir: string
  /** The newest version it can open. */
  readonly opens: number
  /** The version it seals with, since when. */
  readonly seals: number
  readonly seals_since: Date
  /** Nothing in its journal is sealed by an older version. */
  readonly journalled: number
}

/** Before an engine loads its keys, so that none becomes current that it does not know yet. */
export async function registerEngine(db: Database, journal_id: string, journal_dir: string): Promise<void> {
  await sql`
    INSERT INTO root_key_engines (journal_id, journal_dir, opens, seals, journalled, seals_since, seen_at)
    VALUES (${journal_id}, ${journal_dir}, 0, 0, 0, now(), now())
    ON CONFLICT (journal_id) DO UPDATE SET opens = 0, seals = 0, journal_dir = excluded.journal_dir, seen_at = now()`.execute(
    db,
  )
}

export async function reportEngine(db: Database, engine: EngineKeys): Promise<void> {
  const { journal_id, journal_dir, opens, seals, seals_since, journalled } = engine
  await sql`
    INSERT INTO root_key_engines (journal_id, journal_dir, opens, seals, journalled, seals_since, seen_at)
    VALUES (${journal_id}, ${journal_dir}, ${opens}, ${seals}, ${journalled}, ${seals_since}, now())
    ON CONFLICT (journal_id) DO UPDATE SET opens = excluded.opens, seals = excluded.seals,
      journalled = excluded.journalled, seals_since = excluded.seals_since, seen_at = now()`.execute(db)
}

/** Its journal is empty, or gone for good. */
export async function forgetEngine(db: Database, journal_id: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    DELETE FROM root_key_engines WHERE journal_id = ${journal_id}::uuid`.execute(db)
  return numAffectedRows === 1n
}

export interface EngineRow extends EngineKeys {
  readonly seen_at: Date
}

export async function listEngines(db: Database): Promise<EngineRow[]> {
  return await sql<EngineRow>`
    SELECT journal_id, journal_dir, opens, seals, seals_since, journalled, seen_at FROM root_key_engines
    ORDER BY seen_at`.all(db)
}
