// Checks the ledger against itself and against the metered usage. Read-only.

import type { Database } from '@svc/contract/database'
import { quanta_per_micro_usd, usd_asset } from '@svc/contract/money/money'
import { sql } from '@svc/database/sql'
import type { Drift, Position } from './reconcile.ts'
import { drift_max } from './reconcile-usage.ts'
import { roll_up_kind } from './roll-up.ts'

/** One statement, so that all four values are consistent. */
export async function readPosition(db: Database, tenant_id: string): Promise<Position> {
  const row = await sql<{ events: string; spent: string; rolled: string; journals: string }>`
    SELECT
      (SELECT coalesce(sum(quanta), 0) FROM meter_sums WHERE tenant_id = ${tenant_id}) AS events,
      coalesce((SELECT quanta FROM spend WHERE tenant_id = ${tenant_id} AND budget_counter = 'runway'), 0) AS spent,
      coalesce((SELECT rolled_micro_usd FROM billing WHERE tenant_id = ${tenant_id}), 0) AS rolled,
      (SELECT coalesce(-sum(e.amount), 0) FROM ledger_journals j
        JOIN ledger_entries e ON e.journal_id = j.id JOIN ledger_accounts a ON a.id = e.account_id
        WHERE j.tenant_id = ${tenant_id} AND j.kind = ${roll_up_kind} AND a.tenant_id = ${tenant_id}
          AND a.asset_id = ${usd_asset} AND a.type = 'runway') AS journals`.first(db)
  const { events, spent, rolled, journals } = row!
  return {
    events_quanta: BigInt(events),
    spent_quanta: BigInt(spent),
    rolled_quanta: BigInt(rolled) * quanta_per_micro_usd,
    journals_quanta: BigInt(journals) * quanta_per_micro_usd,
  }
}

/** Journals with entries of this tenant that do not sum to zero. */
export async function findUnbalanced(db: Database, tenant_id: string): Promise<Drift[]> {
  const rows = await sql<{ journal_id: string; asset_id: string; off: string }>`
    SELECT journal_id, asset_id, off FROM svc_unbalanced_journals(${tenant_id}) LIMIT ${drift_max}`.all(db)
  return rows.map(({ journal_id, asset_id, off }) => ({
    kind: 'journal_mismatch',
    ref: `made://journal/${journal_id}`,
    expected: '0',
    actual: off,
    off_quanta: inQuanta(asset_id, BigInt(off)),
  }))
}

/** Accounts whose balance differs from the sum of their entries. */
export async function findWrongBalances(db: Database, tenant_id: string): Promise<Drift[]> {
  const rows = await sql<{
    type: string
    did: string
    asset_id: string
    balance: string
    entries: string
  }>`
    SELECT a.type, a.did, a.asset_id, b.balance, coalesce(sum(e.amount), 0) AS entries
    FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id
    LEFT JOIN ledger_entries e ON e.account_id = a.id
    WHERE a.tenant_id = ${tenant_id}
    GROUP BY a.id, b.balance HAVING b.balance <> coalesce(sum(e.amount), 0)
    ORDER BY a.id LIMIT ${drift_max}`.all(db)
  return rows.map(({ type, did, asset_id, balance, entries }) => ({
    kind: 'balance_cache',
    ref: `made://account/${asset_id}/${type}${did && `/${did}`}`,
    expected: entries,
    actual: balance,
    off_quanta: inQuanta(asset_id, BigInt(balance) - BigInt(entries)),
  }))
}

/** Only the operator's currency counts as money here. */
function inQuanta(asset_id: string, amount: bigint): bigint {
  return asset_id === usd_asset ? amount * quanta_per_micro_usd : 0n
}
