// Invoices: written by the operator, readable by their tenant.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { BillingPeriod } from './billing-period.ts'
import type { Invoice } from './invoice.ts'

const listed_max = 500

interface InvoiceRow {
  readonly tenant_id: string
  readonly period_from: Date
  readonly period_to: Date
  readonly state: Invoice['state']
  readonly quanta: string
  readonly amount_micro_usd: string
  readonly cumulative_micro_usd: string
  readonly event_count: string
  readonly events_root: string
  readonly statement_hash: string
  readonly counted_seq: string
  readonly issued_at: Date
  readonly due_at: Date
  readonly settled_at: Date | null
  readonly contract_id: string | null
  readonly written_off: boolean
}

function invoiceFrom(row: InvoiceRow): Invoice {
  return {
    tenant_id: row.tenant_id,
    period: { from_ms: row.period_from.getTime(), to_ms: row.period_to.getTime() },
    state: row.state,
    quanta: BigInt(row.quanta),
    amount_micro_usd: BigInt(row.amount_micro_usd),
    cumulative_micro_usd: BigInt(row.cumulative_micro_usd),
    event_count: BigInt(row.event_count),
    events_root: row.events_root,
    statement_hash: row.statement_hash,
    counted_seq: BigInt(row.counted_seq),
    issued_ms: row.issued_at.getTime(),
    due_ms: row.due_at.getTime(),
    settled_ms: row.settled_at?.getTime() ?? null,
    contract_id: row.contract_id,
    written_off: row.written_off,
  }
}

/** Oldest first; those that overlap the period. */
export async function findInvoices(
  db: Database,
  tenant_id: string,
  period: BillingPeriod,
): Promise<Invoice[]> {
  const rows = await sql<InvoiceRow>`
    SELECT * FROM invoices WHERE tenant_id = ${tenant_id} AND period_from < ${new Date(period.to_ms)}
      AND period_to > ${new Date(period.from_ms)}
    ORDER BY period_from LIMIT ${listed_max}`.all(db)
  return rows.map(invoiceFrom)
}

/** All unsettled invoices, oldest first, locked until the transaction ends. */
export async function lockUnsettled(db: Database, tenant_id: string): Promise<Invoice[]> {
  const rows = await sql<InvoiceRow>`
    SELECT * FROM invoices WHERE tenant_id = ${tenant_id} AND state <> 'SETTLED'
    ORDER BY period_from LIMIT ${listed_max} FOR UPDATE`.all(db)
  return rows.map(invoiceFrom)
}

export async function keepInvoice(db: Database, invoice: Invoice): Promise<void> {
  const { period, settled_ms } = invoice
  await sql`
    INSERT INTO invoices (tenant_id, period_from, period_to, state, quanta, amount_micro_usd, cumulative_micro_usd,
      event_count, events_root, statement_hash, counted_seq, issued_at, due_at, settled_at)
    VALUES (${invoice.tenant_id}, ${new Date(period.from_ms)}, ${new Date(period.to_ms)}, ${invoice.state},
      ${String(invoice.quanta)}, ${String(invoice.amount_micro_usd)}, ${String(invoice.cumulative_micro_usd)},
      ${String(invoice.event_count)}, ${invoice.events_root}, ${invoice.statement_hash},
      ${String(invoice.counted_seq)}, ${new Date(invoice.issued_ms)}, ${new Date(invoice.due_ms)},
      ${settled_ms === null ? null : new Date(settled_ms)})`.execute(db)
}

export interface SettledBy {
  readonly at: Date
  readonly contract_id?: string
  readonly written_off?: boolean
}

export async function settleInvoice(db: Database, invoice: Invoice, by: SettledBy): Promise<Invoice> {
  const row = await sql<InvoiceRow>`
    UPDATE invoices SET state = 'SETTLED', settled_at = ${by.at}, contract_id = ${by.contract_id ?? null},
      written_off = ${by.written_off ?? false}
    WHERE tenant_id = ${invoice.tenant_id} AND period_from = ${new Date(invoice.period.from_ms)}
    RETURNING *`.first(db)
  return invoiceFrom(row!)
}

/** Whether a contract has already paid an invoice. */
export async function isContractUsed(db: Database, contract_id: string): Promise<boolean> {
  return sql`SELECT FROM invoices WHERE contract_id = ${contract_id} LIMIT 1`.exists(db)
}
