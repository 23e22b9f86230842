// Special prices of each tenant: appended by the operator, never changed.

import type { Database } from '@svc/contract/database'
import type { RateVersion } from '@svc/contract/money/charge'
import { sql } from '@svc/database/sql'

export const versions_max = 1_000

/** Oldest first, without the base rate. */
export async function ratesOf(db: Database, tenant_id: string): Promise<RateVersion[]> {
  const rows = await sql<{
    version: number
    from_at: Date
    tokens: string
    seconds: string
    watts: string
  }>`
    SELECT version, from_at, tokens, seconds, watts FROM rates
    WHERE tenant_id = ${tenant_id} ORDER BY from_at, version LIMIT ${versions_max}`.all(db)
  return rows.map(({ version, from_at, tokens, seconds, watts }) => ({
    version,
    from_ms: from_at.getTime(),
    tokens: BigInt(tokens),
    seconds: BigInt(seconds),
    watts: BigInt(watts),
  }))
}

/** Serializes price changes of a tenant. */
export async function lockRates(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`rates|${tenant_id}`}, 0))`.execute(db)
}

export async function keepRate(
  db: Database,
  tenant_id: string,
  rate: RateVersion,
  by: { readonly authority: string; readonly set_by: string; readonly set_at: string },
): Promise<void> {
  await sql`
    INSERT INTO rates (tenant_id, version, from_at, tokens, seconds, watts, authority, set_by, set_at)
    VALUES (${tenant_id}, ${rate.version}, ${new Date(rate.from_ms)}, ${String(rate.tokens)},
      ${String(rate.seconds)}, ${String(rate.watts)}, ${by.authority}, ${by.set_by}, ${by.set_at})`.execute(
    db,
  )
}
