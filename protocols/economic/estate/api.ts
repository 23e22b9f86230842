// Winding up an organization: its assets, the order of creditors, and how the rest is distributed.

// The balances and creditors of an organization that is being wound up.
export { type Creditor, type Estate, hasBalances, openEstate, viewEstate } from './estate.ts'
// The open contracts and debts of an organization.
export { debtsOf, findOpenContracts, parseObligationRef } from './estate-claims.ts'
// The functions and the lock that keep a sealed organization closed.
export { estate_lock, estate_migrations } from './estate-migrations.ts'
// Transfers obligations to another party that has agreed to take them.
export { handOver, keysOfSigners, type Transfer, transferable, transferFault } from './estate-novation.ts'
// Cancels the open market orders of an organization.
export { cancelOrdersOf, hasOpenOrders } from './estate-orders.ts'
// Pays creditors and heirs in one posting.
export { payEstate } from './estate-payment.ts'
// Releases holds, tenders, offers and debts of the organization to itself.
export { releaseAll } from './estate-release.ts'
// Closes and settles the last usage of an organization.
export { closeUsage, forgiveUsage, hasUnsettledInvoices } from './estate-usage.ts'
