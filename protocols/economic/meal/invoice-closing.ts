// Closing a period freezes its statement as an invoice. Usage metered later counts in the next one.
import type { UsageEvents } from '@svc/contract/money/usage'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { lockUsage } from '../usage/api.ts'
import type { AdminInput, AdminOutput, Ordered } from './billing-order.ts'
import { type BillingPeriod, monthStart, periodOf } from './billing-period.ts'
import { billingOf, closedUntil, setClosedUntil } from './billing-store.ts'
import { advance, type Invoice, viewInvoice } from './invoice.ts'
import { keepInvoice } from './invoice-store.ts'
import { statementOf } from './statement.ts'
import { firstHour, readUsage, usedUntil } from './statement-store.ts'

const due_after_ms = 30 * 86_400_000

/** Default: the previous month. */
function periodToClose({ period }: Pick<AdminInput, 'period'>, now: string): BillingPeriod {
  if (period) return periodOf(period)
  const now_ms = Date.parse(now)
  return { from_ms: monthStart(now_ms, -1), to_ms: monthStart(now_ms) }
}

export function isEndedMonth(input: Pick<AdminInput, 'action' | 'period'>, now: string): boolean {
  if (input.action !== 'close_period') return false
  const { from_ms, to_ms } = periodToClose(input, now)
  return from_ms === monthStart(from_ms) && to_ms === monthStart(from_ms, 1) && to_ms <= Date.parse(now)
}

export async function closePeriod({
  input,
  context,
  verdict,
}: Ordered): Promise<Pick<AdminOutput, 'invoice'>> {
  const { tenant_id } = input
  const { db } = context
  const now_ms = Date.parse(context.now)
  const period = periodToClose(input, context.now)
  if (period.to_ms > now_ms) throw notOver(period)
  await context.audit_log.settled()
  // Before the lock, under which this organization's records cannot be stored.
  await context.metering.keepHours(tenant_id)
  const events = context.metering.eventsOf(tenant_id)
  const counted_seq = await lockUsage(db, tenant_id)
  await requireNextPeriod(input, context, period, events)
  const statement = statementOf(await readUsage(db, tenant_id, period, { events }))
  const { rolled_micro_usd } = await billingOf(db, tenant_id)
  const fresh: Invoice = {
    tenant_id,
    period,
    state: 'CLOSED',
    quanta: statement.totals.quanta,
    amount_micro_usd: statement.totals.amount_micro_usd,
    cumulative_micro_usd: await usedUntil(db, tenant_id, period.to_ms, events),
    event_count: statement.event_count,
    events_root: statement.events_root,
    statement_hash: statement.statement_hash,
    counted_seq,
    issued_ms: now_ms,
    due_ms: now_ms + due_after_ms,
    settled_ms: null,
    contract_id: null,
    written_off: false,
  }
  // Usage paid in advance is settled when the invoice is issued.
  const is_paid = advance(fresh, now_ms, rolled_micro_usd) === 'SETTLED'
  const invoice: Invoice = is_paid ? { ...fresh, state: 'SETTLED', settled_ms: now_ms } : fresh
  await keepInvoice(db, invoice)
  await setClosedUntil(db, tenant_id, period.to_ms)
  const view = viewInvoice(invoice, now_ms, rolled_micro_usd)
  const details = { ...view, counted_seq: Number(counted_seq), authority: verdict }
  context.audit('InvoiceIssued', details, { also: [tenant_id] })
  if (is_paid)
    context.audit('InvoiceSettled', { invoice_id: view.invoice_id, by: 'runway' }, { also: [tenant_id] })
  return { invoice: view }
}

/** Periods have no gaps or overlaps, so that every event is in exactly one invoice. */
async function requireNextPeriod(
  { tenant_id }: AdminInput,
  { db }: Ordered['context'],
  { from_ms }: BillingPeriod,
  events: UsageEvents,
): Promise<void> {
  const closed_ms = await closedUntil(db, tenant_id)
  if (closed_ms === from_ms) return
  if (closed_ms !== undefined) throw notNext(closed_ms)
  const first_ms = await firstHour(db, tenant_id)
  if (first_ms === undefined || first_ms >= from_ms) return
  for await (const some of events({ from_ms: first_ms, to_ms: from_ms }))
    if (some.length > 0) throw notNext(monthStart(first_ms))
}

function notOver({ to_ms }: BillingPeriod): Refusal {
  return refuse(
    'policy_denied',
    `The period ends ${new Date(to_ms).toISOString()}, which is still to come; close it then.`,
    { reason: 'period is OPEN; close_period needs an ended one' },
  )
}

function notNext(expected_ms: number): Refusal {
  const expected = new Date(expected_ms).toISOString()
  return refuse('policy_denied', `Usage is closed up to ${expected}; the next period begins there.`, {
    reason: 'periods are closed in order',
    expected_from: expected,
  })
}
