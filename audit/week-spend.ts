import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'

const quanta_per_micro_usd = 10_000_000_000_000n

/** What a holder's calls under one grant have cost since a moment, as their records say. */
export async function weekSpend(
  db: Database,
  holder: { tenant_id: string; did: string; capability: string },
  since: Date,
): Promise<bigint> {
  const { rows } = await sql<{ quanta: string | null }>`
    SELECT sum((body::jsonb #>> '{meta,usage,quanta}')::numeric) AS quanta FROM audit_records
    WHERE tenant_id = ${holder.tenant_id} AND caller_did = ${holder.did} AND at >= ${since}
      AND event_type = 'ProtocolInvocation' AND body::jsonb #>> '{meta,grant}' = ${holder.capability}`.execute(
    db,
  )
  const quanta = BigInt(rows[0]?.quanta ?? '0')
  return (quanta + quanta_per_micro_usd - 1n) / quanta_per_micro_usd
}
