// Between which records of an audit log a period lies, so that a search starts there.

import type { Database } from '@svc/contract/database'
import type { Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const looking_up_migrations: readonly Migration[] = [
  {
    name: '2026-11-20-60-book-looked-up',
    sql: `
      -- Each ends in seq, so that a page is read in order from any place, and what there is little of is found at once.
      CREATE INDEX audit_records_of_protocol ON audit_records (tenant_id, protocol, seq);
      CREATE INDEX audit_records_of_operation ON audit_records (tenant_id, operation, seq);
      CREATE INDEX audit_records_of_caller ON audit_records (tenant_id, caller_did, seq);
      CREATE INDEX audit_records_of_outcome ON audit_records (tenant_id, outcome, seq) WHERE outcome <> 'success';
      CREATE INDEX audit_records_in_time ON audit_records (tenant_id, at, seq);
    `,
  },
]

export interface Period {
  readonly from?: string
  readonly to?: string
}

export interface SeqBounds {
  readonly first_seq?: number | undefined
  readonly last_seq?: number | undefined
}

/** No record of the period lies outside of these; undefined where the period is unbounded. */
export async function seqBounds(db: Database, tenant_id: string, period: Period): Promise<SeqBounds> {
  const { from, to } = period
  return {
    first_seq: from === undefined ? undefined : await firstFrom(db, tenant_id, from),
    last_seq: to === undefined ? undefined : await lastBefore(db, tenant_id, to),
  }
}

/** Records are nearly in the order of their times; early ones are found by the index alone. */
async function firstFrom(db: Database, tenant_id: string, moment: string): Promise<number> {
  const near = (await lastNearlyBefore(db, tenant_id, moment)) + 1
  // The sum keeps the planner from scanning the log in order.
  const row = await sql<{ seq: string | null }>`
    SELECT min(seq + 0) AS seq FROM audit_records
    WHERE tenant_id = ${tenant_id} AND at >= ${moment} AND seq < ${near}`.first(db)
  return Number(row?.seq ?? near)
}

async function lastBefore(db: Database, tenant_id: string, moment: string): Promise<number> {
  const near = await lastNearlyBefore(db, tenant_id, moment)
  const row = await sql<{ seq: string | null }>`
    SELECT max(seq + 0) AS seq FROM audit_records
    WHERE tenant_id = ${tenant_id} AND at < ${moment} AND seq > ${near}`.first(db)
  return Number(row?.seq ?? near)
}

const halvings_max = 64

/** By bisection: any number is correct, and one near the time makes the following search short. */
async function lastNearlyBefore(db: Database, tenant_id: string, moment: string): Promise<number> {
  const row = await sql<{ before: string }>`
    WITH RECURSIVE halved(before, past, round) AS (
      SELECT 0::bigint, coalesce((SELECT seq FROM chain_heads WHERE tenant_id = ${tenant_id}), 0) + 1, 0
      UNION ALL
      SELECT CASE WHEN is_before THEN middle ELSE before END, CASE WHEN is_before THEN past ELSE middle END, round + 1
      FROM halved, LATERAL (SELECT (before + past) / 2 AS middle) AS m, LATERAL (
        SELECT coalesce((SELECT at < ${moment}::timestamptz FROM audit_records
          WHERE tenant_id = ${tenant_id} AND seq = m.middle), false) AS is_before
      ) AS seen
      WHERE past - before > 1 AND round < ${sql.lit(halvings_max)}
    )
    SELECT before FROM halved ORDER BY round DESC LIMIT 1`.first(db)
  return Number(row?.before ?? 0)
}
