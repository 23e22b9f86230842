// What others may use of estate.

export { type Creditor, type Estate, hasBalances, openEstate, viewEstate } from './estate.ts'
export { debtsOf, findOpenContracts, parseObligationRef } from './estate-claims.ts'
export { estate_lock, estate_migrations } from './estate-migrations.ts'
export { handOver, type Transfer, transferable, transferFault } from './estate-novation.ts'
export { cancelOrdersOf, hasOpenOrders } from './estate-orders.ts'
export { payEstate } from './estate-payment.ts'
export { releaseAll } from './estate-release.ts'
export { closeUsage, forgiveUsage, hasUnsettledInvoices } from './estate-usage.ts'
