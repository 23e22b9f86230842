// What others may use of market.
export { market_migrations } from './market-migrations.ts'
export { advanceBook, lockBook, readBook, tradeIsSettled } from './market-store.ts'
export { sweepOrders } from './order-expiry.ts'
export { reserveJournal } from './order-journals.ts'
export { endOrders, is_open, type Order, type OrderRow, order_columns, orderOf } from './order-store.ts'
