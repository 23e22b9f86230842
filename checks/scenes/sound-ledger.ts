// Checks that balances match postings: sums, cached balances and escrow.
import assert from 'node:assert/strict'
import { asOwner } from '@svc/audit/test-audit-log'

const faults = `
    SELECT 'sum' AS fault, asset_id AS what FROM ledger_entries GROUP BY asset_id HAVING sum(amount) <> 0
    UNION ALL SELECT 'cache', account_id::text FROM ledger_balances b WHERE balance <>
      (SELECT coalesce(sum(amount), 0) FROM ledger_entries e WHERE e.account_id = b.account_id)
    UNION ALL SELECT 'escrow', coalesce(o.did, l.did) FROM (SELECT payer_did AS did, asset_id, sum(amount - settled) AS owed
      FROM obligations JOIN contracts USING (contract_id) WHERE escrow AND ended IS NULL
        AND state IN ('ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED', 'DISPUTED') GROUP BY 1, 2) o
      FULL JOIN (SELECT did, asset_id, balance FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
        WHERE a.type = 'escrow' AND balance > 0) l USING (did, asset_id) WHERE owed IS DISTINCT FROM balance`

/** Invariants 14 and 15, over all postings of this database. */
export async function assertSoundLedger(db_url: string): Promise<void> {
  const { rows } = await asOwner(db_url, (client) => client.query(faults))
  assert.deepEqual(rows, [])
}
