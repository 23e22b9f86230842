// What was spent of a purse, as the database knows it. Limits are held elsewhere, and begin from here.
import type { Database } from '@svc/contract/operation-context'
import { parsePurse } from '@svc/contract/purse'
import { sql } from 'kysely'

export interface Spent {
  readonly quanta: bigint
  readonly calls: bigint
}

const span = { week: sql`interval '7 days'`, hour: sql`interval '1 hour'` }

export async function spentOf(db: Database, tenant_id: string, purse: string): Promise<Spent> {
  const parsed = parsePurse(purse)
  if (parsed.kind === 'runway' || parsed.kind === 'envelope') {
    const { rows } = await sql<{ quanta: string; calls: string }>`
      SELECT quanta, calls FROM spend WHERE tenant_id = ${tenant_id} AND purse = ${purse}`.execute(db)
    return asSpent(rows[0])
  }
  const { kind, from, did, capability } = parsed
  const { rows } = await sql<{ quanta: string; calls: string }>`
    SELECT coalesce(sum(quanta), 0) AS quanta, count(*) AS calls FROM meter_events
    WHERE tenant_id = ${tenant_id} AND at >= ${from} AND at < ${from}::timestamptz + ${span[kind]}
      AND caller_did = ${did} AND grant_name = ${capability}`.execute(db)
  return asSpent(rows[0])
}

function asSpent(row: { quanta: string; calls: string } | undefined): Spent {
  return { quanta: BigInt(row?.quanta ?? 0), calls: BigInt(row?.calls ?? 0) }
}
