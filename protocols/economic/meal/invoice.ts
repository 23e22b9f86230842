// The amount of a closed period and its payment state. No I/O.
import { MicroUsd, quanta_per_micro_usd, UsdText, usdText } from '@svc/contract/money/money'
import { Closed, described, Hash, OneOf, Period, TenantId, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import type { BillingPeriod } from './billing-period.ts'

/** The current month is OPEN and has no invoice yet. */
export const invoice_states = ['CLOSED', 'SETTLED', 'OVERDUE', 'DISPUTED'] as const
export type InvoiceState = (typeof invoice_states)[number]

export interface Invoice {
  readonly tenant_id: string
  readonly period: BillingPeriod
  /** As last stored; `advance` computes the current state. */
  readonly state: Exclude<InvoiceState, 'OVERDUE'>
  readonly quanta: bigint
  readonly amount_micro_usd: bigint
  /** Whole micro-USD of all usage until the end of the period. */
  readonly cumulative_micro_usd: bigint
  readonly event_count: bigint
  readonly events_root: string
  readonly statement_hash: string
  /** The newest record counted when it was closed. */
  readonly counted_seq: bigint
  readonly issued_ms: number
  readonly due_ms: number
  readonly settled_ms: number | null
  readonly contract_id: string | null
  readonly written_off: boolean
}

/** Roll-ups pay the oldest usage first, so the amount due is what exceeds their total. */
export function amountDue(invoice: Invoice, rolled_micro_usd: bigint): bigint {
  if (invoice.state === 'SETTLED') return 0n
  const unpaid = invoice.cumulative_micro_usd - rolled_micro_usd
  if (unpaid <= 0n || invoice.amount_micro_usd === 0n) return 0n
  return unpaid >= invoice.quanta / quanta_per_micro_usd ? invoice.amount_micro_usd : unpaid
}

/** Its state after time and roll-ups. */
export function advance(invoice: Invoice, now_ms: number, rolled_micro_usd: bigint): InvoiceState {
  if (invoice.state !== 'CLOSED') return invoice.state
  if (amountDue(invoice, rolled_micro_usd) === 0n) return 'SETTLED'
  return now_ms >= invoice.due_ms ? 'OVERDUE' : 'CLOSED'
}

export const settlement_statuses = ['open', 'invoiced', 'settled', 'overdue', 'disputed'] as const
export type SettlementStatus = (typeof settlement_statuses)[number]

/** The worst state of the invoices it overlaps; `open` while any part has no invoice. */
export function settlementStatus(
  period: BillingPeriod,
  invoices: readonly { readonly period: BillingPeriod; readonly state: InvoiceState }[],
): SettlementStatus {
  const touched = invoices
    .filter(({ period: { from_ms, to_ms } }) => from_ms < period.to_ms && to_ms > period.from_ms)
    .sort((a, b) => a.period.from_ms - b.period.from_ms)
  const states = new Set(touched.map(({ state }) => state))
  if (states.has('DISPUTED')) return 'disputed'
  if (states.has('OVERDUE')) return 'overdue'
  let covered = period.from_ms
  for (const { period: part } of touched) if (part.from_ms <= covered) covered = part.to_ms
  if (covered < period.to_ms) return 'open'
  return states.has('CLOSED') ? 'invoiced' : 'settled'
}

export const InvoiceView = Closed({
  invoice_id: Type.String({
    description: 'Names the invoice: meal://invoice/<tenant>/<start of the period>.',
  }),
  tenant_id: described(TenantId, 'Organization that is billed.'),
  period: Period,
  state: described(OneOf(...invoice_states), 'CLOSED: issued and not yet paid; SETTLED; OVERDUE; DISPUTED.'),
  amount_usd: UsdText,
  amount_micro_usd: described(MicroUsd, 'Amount of the invoice, in whole millionths of a US dollar.'),
  due_usd: UsdText,
  due_micro_usd: described(MicroUsd, 'What is still to be paid, in whole millionths of a US dollar.'),
  event_count: Type.Integer({ description: 'Metered events it charges.' }),
  events_root: described(Hash, 'Merkle root of the metered events it charges.'),
  statement_hash: described(Hash, 'Hash of the statement it was made from.'),
  issued_at: described(Timestamp, 'When it was issued.'),
  due_at: described(Timestamp, 'When it has to be paid.'),
  settled_at: Type.Optional(described(Timestamp, 'When it was paid; absent until then.')),
  contract_id: Type.Optional(Type.String({ description: 'MADE contract that paid it; absent until then.' })),
  written_off: Type.Boolean({ description: 'The operator gave up the amount due.' }),
})

export function viewInvoice(
  invoice: Invoice,
  now_ms: number,
  rolled_micro_usd: bigint,
): Static<typeof InvoiceView> {
  const due = amountDue(invoice, rolled_micro_usd)
  const { period, settled_ms, contract_id } = invoice
  return {
    invoice_id: invoiceId(invoice),
    tenant_id: invoice.tenant_id,
    period: { from: iso(period.from_ms), to: iso(period.to_ms) },
    state: advance(invoice, now_ms, rolled_micro_usd),
    amount_usd: usdText(invoice.amount_micro_usd),
    amount_micro_usd: String(invoice.amount_micro_usd),
    due_usd: usdText(due),
    due_micro_usd: String(due),
    event_count: Number(invoice.event_count),
    events_root: invoice.events_root,
    statement_hash: invoice.statement_hash,
    issued_at: iso(invoice.issued_ms),
    due_at: iso(invoice.due_ms),
    ...(settled_ms !== null && { settled_at: iso(settled_ms) }),
    ...(contract_id !== null && { contract_id }),
    written_off: invoice.written_off,
  }
}

export function invoiceId({ tenant_id, period }: Pick<Invoice, 'tenant_id' | 'period'>): string {
  return `meal://invoice/${tenant_id}/${iso(period.from_ms).replaceAll(/[-:.]/g, '')}`
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
