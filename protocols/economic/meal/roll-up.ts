// Books usage in whole micro-USD from the runway to the operator's revenue. Remainders are carried exactly.

import type { Database } from '@svc/contract/database'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { quanta_per_micro_usd, usd_asset } from '@svc/contract/money/money'
import type { Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'
import { balanceOf, postJournal } from '../ledger/api.ts'
import { keepHours, lockUsage, spentOf } from '../usage/api.ts'
import { billingOf } from './billing-store.ts'
import { settlePaid } from './invoice-settling.ts'

export const roll_up_kind = 'roll-up'
const page_rows = 200
const pages_max = 5_000

/** Whole micro-USD of unbooked usage, limited by the account's balance. */
export function bookable(spent_quanta: bigint, rolled_micro_usd: bigint, balance_micro_usd: bigint): bigint {
  const unbooked = spent_quanta / quanta_per_micro_usd - rolled_micro_usd
  const amount = unbooked < balance_micro_usd ? unbooked : balance_micro_usd
  return amount > 0n ? amount : 0n
}

/** Runs as the engine's role. Returns the number of journals posted. Several engines may run it at once. */
export async function rollUp(db: Database, operator_tenant_id: string, tick: Tick): Promise<number> {
  let posted = 0
  let after = ''
  for (let page = 0; page < pages_max; page++) {
    const tenant_ids = await tenantsAfter(db, after)
    for (const tenant_id of tenant_ids) {
      if ((await rollUpTenant(db, tenant_id, operator_tenant_id, tick)) > 0n) posted++
      await keepHours(db, tenant_id, tick.now.getTime())
    }
    if (tenant_ids.length < page_rows) break
    after = tenant_ids.at(-1)!
  }
  return posted
}

async function tenantsAfter(db: Database, after: string): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }>`
    SELECT tenant_id FROM spend WHERE budget_counter = 'runway' AND tenant_id > ${after}
    ORDER BY tenant_id LIMIT ${page_rows}`.all(db)
  return rows.map(({ tenant_id }) => tenant_id)
}

/** Returns the micro-USD booked. The journal and the rolled total commit together. */
async function rollUpTenant(
  db: Database,
  tenant_id: string,
  operator_tenant_id: string,
  tick: Tick,
): Promise<bigint> {
  const at = tick.now.toISOString()
  // Most have nothing to post, so check without a lock first.
  if ((await bookableOf(db, tenant_id)) === 0n) return 0n
  return db.transaction(async (transaction) => {
    await lockUsage(transaction, tenant_id)
    const amount = await bookableOf(transaction, tenant_id)
    if (amount === 0n) return 0n
    await sql`
      INSERT INTO billing AS kept (tenant_id, rolled_micro_usd) VALUES (${tenant_id}, ${String(amount)})
      ON CONFLICT (tenant_id) DO UPDATE
      SET rolled_micro_usd = kept.rolled_micro_usd + excluded.rolled_micro_usd`.execute(transaction)
    await settlePaid(transaction, tenant_id, operator_tenant_id, tick)
    await postJournal(transaction, {
      tenant_id,
      kind: roll_up_kind,
      ref: `meal://usage/${tenant_id}/${at}`,
      correlation_id: tick.newId(),
      at,
      entries: [
        { tenant_id, asset_id: usd_asset, type: 'runway', amount: -amount },
        { tenant_id: operator_tenant_id, asset_id: usd_asset, type: 'revenue', amount },
      ],
    })
    return amount
  })
}

async function bookableOf(db: Database, tenant_id: string): Promise<bigint> {
  const { quanta } = await spentOf(db, tenant_id, runway_counter)
  const { rolled_micro_usd } = await billingOf(db, tenant_id)
  const balance = await balanceOf(db, { tenant_id, asset_id: usd_asset, type: 'runway' })
  return bookable(quanta, rolled_micro_usd, balance)
}
