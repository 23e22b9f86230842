// MEAL: prices, usage statements, invoices and the runway of a tenant.

// The start of a calendar month.
export { monthStart } from './billing-period.ts'
// The credit line of a tenant, and up to when its usage is invoiced.
export { billingOf, closedUntil, setClosedUntil, setCreditLine } from './billing-store.ts'
// Everything that limits the spending of a tenant, read in one snapshot.
export { readBooks } from './books-store.ts'
// An invoice, its state at a given time, and its view.
export { advance, type Invoice, viewInvoice } from './invoice.ts'
// Settles invoices that the roll-ups have paid.
export { settlePaid } from './invoice-settling.ts'
// Writes, locks and settles invoices.
export { keepInvoice, lockUnsettled, settleInvoice } from './invoice-store.ts'
// The tables of metering and billing.
export { meter_migrations } from './meter-migrations.ts'
// Posts usage to the ledger in whole micro-USD.
export { roll_up_kind, rollUp } from './roll-up.ts'
// Notes the runway of a tenant, and counts those that are low.
export { countLowRunways, noteRunway } from './runway-store.ts'
// Computes a usage statement from metered events and prices.
export { statementOf } from './statement.ts'
// Reads the usage of a period, the cost of all before a given time, and when the first was.
export { firstHour, readUsage, usedUntil } from './statement-store.ts'
