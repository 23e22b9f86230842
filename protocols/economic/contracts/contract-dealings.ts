// An agent's contract history: from contracts and settlements, never from its own statements.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

const assets_max = 256

export interface Dealings {
  readonly completed: number
  /** Those in which it was one of the debtors. */
  readonly defaulted: number
  /** The total it was ever paid, by asset. */
  readonly earnings: readonly { readonly asset_id: string; readonly amount: bigint }[]
}

/** As far as the calling tenant may see contracts of this identity. */
export async function dealingsOf(db: Database, did: string): Promise<Dealings> {
  const row = await sql<{ completed: number; defaulted: number }>`
    SELECT count(*) FILTER (WHERE state IN ('SETTLED', 'FINAL'))::integer AS completed,
      count(*) FILTER (WHERE defaulted_at IS NOT NULL AND EXISTS (SELECT FROM obligations o
        WHERE o.contract_id = c.contract_id AND o.payer_did = ${did}))::integer AS defaulted
    FROM contracts c WHERE proposer_did = ${did} OR counterparty_did = ${did}`.first(db)
  const paid = await sql<{ asset_id: string; amount: string }>`
    SELECT asset_id, sum(settled) AS amount FROM obligations WHERE payee_did = ${did} AND settled > 0
    GROUP BY asset_id ORDER BY asset_id LIMIT ${assets_max}`.all(db)
  const earnings = paid.map(({ asset_id, amount }) => ({ asset_id, amount: BigInt(amount) }))
  return { ...row!, earnings }
}
