// Repairs that only add rows: usage that is in the audit log alone, and a journal for usage marked as booked.

import { quanta_per_micro_usd, usd_asset } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { balanceOf, postJournal, tellBooks } from '../ledger/api.ts'
import { lockUsage } from '../usage/api.ts'
import { readPosition } from './reconcile-ledger.ts'
import { addLost, addMoved } from './reconcile-sums.ts'
import { hour_ref, type UsageFindings } from './reconcile-usage.ts'
import { roll_up_kind } from './roll-up.ts'

/** Returns how many rows were added. What only a deletion could repair stays reported. */
export async function repairBooks(
  context: OperationContext<'budgets' | 'engine'>,
  { of_sums, of_hours, lost, unmoved }: UsageFindings,
): Promise<number> {
  const { db, tenant_id } = context
  await lockUsage(db, tenant_id)
  if (of_hours.length > 0)
    await sql`UPDATE meter_hours SET root = NULL WHERE tenant_id = ${tenant_id}
      AND hour = ANY(${of_hours.map(({ ref }) => ref.slice(hour_ref.length))}::timestamptz[])`.execute(db)
  const added = of_hours.length + (await addLost(db, lost)) + (await addMoved(db, tenant_id, unmoved))
  // Once every sum is complete, the spent total is their sum.
  if (lost.length === of_sums.length) await countAgain(context)
  return added + (await postMissing(context))
}

/** Usage in the audit log that was never counted is charged to the runway from now on. */
async function countAgain(context: OperationContext<'budgets'>): Promise<void> {
  const { db, tenant_id } = context
  const { events_quanta, spent_quanta } = await readPosition(db, tenant_id)
  if (events_quanta === spent_quanta) return
  await sql`
    UPDATE spend SET (quanta, calls) =
      (SELECT coalesce(sum(quanta), 0), coalesce(sum(calls), 0) FROM meter_sums WHERE tenant_id = ${tenant_id})
    WHERE tenant_id = ${tenant_id} AND budget_counter = 'runway'`.execute(db)
  await tellBooks(db, tenant_id)
  if (events_quanta > spent_quanta) context.budgets.countSpent(events_quanta - spent_quanta)
}

/** Posts missing roll-up journals if the runway covers them; only the operator refunds double ones. */
async function postMissing({
  db,
  tenant_id,
  engine: { operator_tenant_id },
  invoke,
  now,
}: OperationContext<'engine'>): Promise<number> {
  const { rolled_quanta, journals_quanta, spent_quanta } = await readPosition(db, tenant_id)
  const amount = (rolled_quanta - journals_quanta) / quanta_per_micro_usd
  if (amount <= 0n || rolled_quanta > spent_quanta) return 0
  const runway = { tenant_id, asset_id: usd_asset, type: 'runway' } as const
  if ((await balanceOf(db, runway)) < amount) return 0
  await postJournal(db, {
    tenant_id,
    kind: roll_up_kind,
    ref: `meal://repair/${invoke.correlation_id}`,
    correlation_id: invoke.correlation_id,
    at: now,
    entries: [
      { ...runway, amount: -amount },
      { tenant_id: operator_tenant_id, asset_id: usd_asset, type: 'revenue', amount },
    ],
  })
  return 1
}
