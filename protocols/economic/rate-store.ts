// Prices of each tenant beside the base rate: appended by the operator, never changed.
import type { RateVersion } from '@svc/contract/charge'
import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'

const versions_max = 1_000

/** From the oldest to the newest, without the base rate. */
export async function ratesOf(db: Database, tenant_id: string): Promise<RateVersion[]> {
  const { rows } = await sql<{
    version: number
    from_at: Date
    tokens: string
    seconds: string
    watts: string
  }>`
    SELECT version, from_at, tokens, seconds, watts FROM rates
    WHERE tenant_id = ${tenant_id} ORDER BY from_at, version LIMIT ${versions_max}`.execute(db)
  return rows.map(({ version, from_at, tokens, seconds, watts }) => ({
    version,
    from_ms: from_at.getTime(),
    tokens: BigInt(tokens),
    seconds: BigInt(seconds),
    watts: BigInt(watts),
  }))
}
