// Two published assets form an instrument. A venue's order book for it starts with the first order.

import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { findAssets } from '../ledger/api.ts'
import { type BookState, type Instrument, lockBook, openInstrument, readBook } from './market-store.ts'
import type { LockedBook } from './order-entry.ts'
import { expireOrders } from './order-expiry.ts'

/** Refused if one of its assets was never published. */
export async function findInstrument(db: Database, instrument: string): Promise<Instrument> {
  const [base_asset = '', quote_asset = ''] = instrument.split('/')
  const assets = await findAssets(db, [base_asset, quote_asset])
  const [base, quote] = [assets.get(base_asset), assets.get(quote_asset)]
  if (base && quote && base !== quote)
    return { instrument, base_asset, quote_asset, lot_size: base.lot_size, tick_size: quote.tick_size }
  throw refuse(
    'policy_denied',
    `${instrument} is not traded: an instrument is two different assets, both published with MADE.`,
    { reason: 'instrument unknown' },
  )
}

/** Locks this order book until the transaction ends, and ends its expired orders first. */
export async function openLockedBook(context: OperationContext, instrument: string): Promise<LockedBook> {
  const { db, tenant_id } = context
  await lockBook(db, tenant_id, instrument)
  const now = new Date(context.now)
  const book = (await readBook(db, tenant_id, instrument, now)) ?? (await beginBook(context, instrument, now))
  return { ...book, expiry: await expireOrders(db, tenant_id, book, context) }
}

async function beginBook({ db, tenant_id }: OperationContext, name: string, now: Date): Promise<BookState> {
  const instrument = await findInstrument(db, name)
  await openInstrument(db, tenant_id, instrument, now)
  return (await readBook(db, tenant_id, name, now))!
}
