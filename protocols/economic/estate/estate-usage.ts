// The last invoice of an organization: usage is closed and paid first, and written off if nothing is left.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { quanta_per_micro_usd, usd_asset } from '@svc/contract/money/money'
import type { Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'
import { type Journal, postJournals } from '../ledger/api.ts'
import {
  advance,
  billingOf,
  closedUntil,
  firstHour,
  type Invoice,
  keepInvoice,
  lockUnsettled,
  monthStart,
  readUsage,
  roll_up_kind,
  setClosedUntil,
  settleInvoice,
  settlePaid,
  statementOf,
  usedUntil,
  viewInvoice,
} from '../meal/api.ts'
import { lockUsage, spentOf } from '../usage/api.ts'

export interface Owing {
  readonly tenant_id: string
  readonly operator_tenant_id: string
}

export interface Billed extends Owing, Tick {}

/** Closes usage up to now, on any day of the month. Undefined if there is nothing to close. */
export async function closeUsage(db: Database, billed: Billed): Promise<string | undefined> {
  const { tenant_id, now } = billed
  const now_ms = now.getTime()
  const counted_seq = await lockUsage(db, tenant_id)
  const first_ms = await firstHour(db, tenant_id)
  const from_ms = (await closedUntil(db, tenant_id)) ?? (first_ms && monthStart(first_ms))
  if (from_ms === undefined || from_ms >= now_ms) return undefined
  const period = { from_ms, to_ms: now_ms }
  const statement = statementOf(await readUsage(db, tenant_id, period))
  const { rolled_micro_usd } = await billingOf(db, tenant_id)
  const fresh: Invoice = {
    tenant_id,
    period,
    state: 'CLOSED',
    quanta: statement.totals.quanta,
    amount_micro_usd: statement.totals.amount_micro_usd,
    cumulative_micro_usd: await usedUntil(db, tenant_id, now_ms),
    event_count: statement.event_count,
    events_root: statement.events_root,
    statement_hash: statement.statement_hash,
    counted_seq,
    issued_ms: now_ms,
    due_ms: now_ms,
    settled_ms: null,
    contract_id: null,
    written_off: false,
  }
  const is_paid = advance(fresh, now_ms, rolled_micro_usd) === 'SETTLED'
  const invoice: Invoice = is_paid ? { ...fresh, state: 'SETTLED', settled_ms: now_ms } : fresh
  await keepInvoice(db, invoice)
  await setClosedUntil(db, tenant_id, now_ms)
  const view = viewInvoice(invoice, now_ms, rolled_micro_usd)
  await tell(db, billed, 'InvoiceIssued', { ...view, counted_seq: Number(counted_seq), by: 'dissolution' })
  return view.invoice_id
}

/** Whole micro-USD of unbooked usage: what the operator is owed, invoiced or not. */
export async function usageOwed(db: Database, tenant_id: string): Promise<bigint> {
  const { quanta } = await spentOf(db, tenant_id, runway_counter)
  const { rolled_micro_usd } = await billingOf(db, tenant_id)
  const owed = quanta / quanta_per_micro_usd - rolled_micro_usd
  return owed > 0n ? owed : 0n
}

/** Counts as booked what the runway will pay; the caller posts the journal. Needs `lockUsage`. */
export async function postUsage(db: Database, billed: Billed, micro_usd: bigint): Promise<Journal[]> {
  if (micro_usd === 0n) return []
  const { tenant_id, operator_tenant_id, now } = billed
  await sql`
    INSERT INTO billing AS kept (tenant_id, rolled_micro_usd) VALUES (${tenant_id}, ${String(micro_usd)})
    ON CONFLICT (tenant_id) DO UPDATE
    SET rolled_micro_usd = kept.rolled_micro_usd + excluded.rolled_micro_usd`.execute(db)
  await settlePaid(db, tenant_id, operator_tenant_id, billed)
  return [
    {
      tenant_id,
      kind: roll_up_kind,
      ref: `meal://usage/${tenant_id}/${now.toISOString()}`,
      correlation_id: billed.newId(),
      at: now.toISOString(),
      entries: [
        { tenant_id, asset_id: usd_asset, type: 'runway', amount: -micro_usd },
        { tenant_id: operator_tenant_id, asset_id: usd_asset, type: 'revenue', amount: micro_usd },
      ],
    },
  ]
}

/** The operator pays what can no longer be paid, as when it writes an invoice off. Returns the amount. */
export async function forgiveUsage(db: Database, billed: Billed): Promise<bigint> {
  const { tenant_id, operator_tenant_id, now } = billed
  await closeUsage(db, billed)
  const owed = await usageOwed(db, tenant_id)
  const unsettled = await lockUnsettled(db, tenant_id)
  const booked = await postUsage(db, billed, owed)
  for (const invoice of unsettled) await settleInvoice(db, invoice, { at: now, written_off: true })
  if (owed === 0n) return 0n
  const write_off: Journal = {
    tenant_id: operator_tenant_id,
    kind: 'write-off',
    ref: `meal://usage/${tenant_id}/${now.toISOString()}`,
    correlation_id: billed.newId(),
    at: now.toISOString(),
    entries: [
      { tenant_id: operator_tenant_id, asset_id: usd_asset, type: 'issuance', amount: -owed },
      { tenant_id, asset_id: usd_asset, type: 'runway', amount: owed },
    ],
  }
  await postJournals(db, [write_off, ...booked])
  return owed
}

export async function hasUnsettledInvoices(db: Database, tenant_id: string): Promise<boolean> {
  return sql`
    SELECT FROM invoices WHERE tenant_id = ${tenant_id} AND state <> 'SETTLED' LIMIT 1`.exists(db)
}

async function tell(
  db: Database,
  { tenant_id, operator_tenant_id, now, newId }: Billed,
  event_type: 'InvoiceIssued',
  meta: Record<string, unknown>,
): Promise<void> {
  const correlation_id = newId()
  for (const recipient of new Set([tenant_id, operator_tenant_id]))
    await leaveInOutbox(db, {
      id: newId(),
      event_type,
      correlation_id,
      timestamp: now.toISOString(),
      tenant_id: recipient,
      caller_did: 'engine',
      protocol: 'MEAL',
      outcome: 'success',
      latency_ms: 0,
      meta,
    })
}
