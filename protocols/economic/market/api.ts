// MARKET: order books, their orders and trades.

// The tables of order books, orders and trades.
export { market_migrations, market_rule_migrations } from './market-migrations.ts'
// Locks, reads and advances an order book, and tells whether a trade is settled.
export { advanceBook, lockBook, readBook, tradeIsSettled } from './market-store.ts'
// Ends orders whose time is over, and logs the end of any.
export { endLogged, sweepOrders } from './order-expiry.ts'
// The ledger journal that reserves for an order, or releases it.
export { reserveJournal } from './order-journals.ts'
// Reads orders and ends them.
export { endOrders, is_open, type Order, type OrderRow, order_columns, orderOf } from './order-store.ts'
