// Holds: placed, then released by a caller or by time.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'

/** Limit per tenant: every call is checked against all of them. */
export const holds_live_max = 256
const swept_max = 200

export interface PlacedHold {
  readonly hold_id: string
  readonly scope: string
  readonly reason: string
  readonly placed_by: string
  readonly placed_at: Date
  readonly until: Date
}

/** Serializes placing per tenant, so that two calls cannot both take the last free slot. */
export async function lockHolds(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`holds|${tenant_id}`}, 0))`.execute(db)
}

export async function countHolds(db: Database, tenant_id: string, now: string): Promise<number> {
  const row = await sql<{ held: number }>`
    SELECT count(*)::integer AS held FROM holds
    WHERE tenant_id = ${tenant_id} AND released_at IS NULL AND until > ${now}`.first(db)
  return row!.held
}

export async function insertHold(db: Database, tenant_id: string, hold: PlacedHold): Promise<void> {
  await sql`
    INSERT INTO holds (tenant_id, hold_id, scope, reason, placed_by, placed_at, until)
    VALUES (${tenant_id}, ${hold.hold_id}, ${hold.scope}, ${hold.reason}, ${hold.placed_by},
      ${hold.placed_at}, ${hold.until})`.execute(db)
}

/** Holds of a scope in force at a given time, newest first. */
export async function findHolds(
  db: Database,
  tenant_id: string,
  scope: string,
  now: string,
): Promise<PlacedHold[]> {
  return sql<PlacedHold>`
    SELECT hold_id, scope, reason, placed_by, placed_at, until FROM holds
    WHERE tenant_id = ${tenant_id} AND released_at IS NULL AND until > ${now} AND scope = ${scope}
    ORDER BY placed_at DESC, hold_id LIMIT ${holds_live_max} FOR UPDATE`.all(db)
}

export async function releaseHolds(
  db: Database,
  tenant_id: string,
  hold_ids: readonly string[],
  by: string,
  at: string,
): Promise<void> {
  await sql`
    UPDATE holds SET released_at = ${at}, released_by = ${by}
    WHERE tenant_id = ${tenant_id} AND hold_id = ANY(${hold_ids}::uuid[])
      AND released_at IS NULL`.execute(db)
}

/** Runs as the engine's role: expired holds, each taken by one sweeper only. */
export async function takeEnded(db: Database, now: Date): Promise<(PlacedHold & { tenant_id: string })[]> {
  return sql<PlacedHold & { tenant_id: string }>`
    UPDATE holds SET released_at = until
    WHERE (tenant_id, hold_id) IN (SELECT tenant_id, hold_id FROM holds
      WHERE released_at IS NULL AND until <= ${now} ORDER BY until LIMIT ${swept_max} FOR UPDATE SKIP LOCKED)
    RETURNING tenant_id, hold_id, scope, reason, placed_by, placed_at, until`.all(db)
}

export interface ListedHold extends PlacedHold {
  readonly released_at: Date | null
  readonly released_by: string | null
}

export interface HoldQuestion extends Bounds {
  readonly scope?: string | undefined
}

/** In force or not, newest first. */
export async function listHolds(
  db: Database,
  tenant_id: string,
  question: HoldQuestion,
): Promise<ListedHold[]> {
  const { scope } = question
  const filters = scope === undefined ? [] : [sql`scope = ${scope}`]
  return sql<ListedHold>`
    SELECT hold_id, scope, reason, placed_by, placed_at, until, released_at, released_by FROM holds
    WHERE tenant_id = ${tenant_id} AND ${pageOf(question, sql`placed_at`, sql`hold_id`, filters)}`.all(db)
}
