// Several orders of one caller for one order book, matched one after the other under one lock and stored together.
// Each has its own answer; one that is refused changes nothing for the others.
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import {
  availableTo,
  chargeFees,
  type Entry,
  type FeeCharge,
  feeCeiling,
  insufficientFunds,
  type Journal,
  postJournals,
} from '../ledger/api.ts'
import { tellFollowers } from './book-topic.ts'
import { BookWindow, storedSides } from './book-window.ts'
import { openLockedBook } from './instrument.ts'
import { sameTrader } from './market-rules.ts'
import { type LoggedCommand, type Trade, writeEntries } from './market-store.ts'
import {
  type Arrival,
  feeBps,
  type LockedBook,
  type MarketContext,
  type Matched,
  makerChange,
  match,
  orderAfter,
  placeLogged,
  tell,
  tradeOf,
} from './order-entry.ts'
import { requireFitting, requireTrader, type Trader, type Wanted } from './order-input.ts'
import { assetPutAside, type Posting, reserveJournal, tradeJournal } from './order-journals.ts'
import { fills_max } from './order-matching.ts'
import { newOrder, requireNewName } from './order-placing.ts'
import { type Bill, billOf, chargesOf } from './order-reservation.ts'
import { findByClientIds, incomingOf, type MakerChange, type Order } from './order-store.ts'
import { inTurn } from './order-turns.ts'

/** An order that was taken, before it is charged and stored. */
interface Plan {
  readonly arrival: Arrival
  readonly order: Order
  readonly matching: Matched
  /** On what the taker is charged, trade by trade. */
  readonly charges: readonly FeeCharge[]
  readonly trade_ids: readonly string[]
}

interface Charged extends Plan {
  readonly bill: Bill
}

export interface Taken {
  readonly order: Order
  readonly trades: readonly Trade[]
}

export interface BatchAnswer {
  readonly lot_size: bigint
  readonly results: readonly (Taken | Refusal)[]
}

/** What all orders of a batch share. */
interface Batch {
  readonly context: MarketContext
  readonly trader: Trader
  readonly book: LockedBook
  readonly window: BookWindow
  readonly lot_size: bigint
  readonly fee_bps: number
  /** Of the trader, by asset, after the orders so far. */
  readonly available: Map<string, bigint>
  /** Names of orders that are taken already, and which order has each. */
  readonly names: Map<string, string>
  readonly plans: Plan[]
  fills_left: number
}

type Request = () => Wanted

export function placeOrders(
  context: MarketContext,
  instrument: string,
  requests: readonly Request[],
  client_order_ids: readonly string[],
): Promise<BatchAnswer> {
  const trader = requireTrader(context)
  return inTurn(context.engine, context.tenant_id, instrument, async () => {
    const batch = await open(context, trader, instrument, client_order_ids)
    const results: (Plan | Refusal)[] = []
    for (const request of requests) results.push(await takeOrRefuse(batch, request))
    const taken = await store(batch)
    for (const [place, result] of results.entries())
      if (result instanceof Refusal) tellRefused(context, instrument, place, result)
    return {
      lot_size: batch.book.lot_size,
      results: results.map((result) => (result instanceof Refusal ? result : taken.get(result)!)),
    }
  })
}

async function open(
  context: MarketContext,
  trader: Trader,
  instrument: string,
  client_order_ids: readonly string[],
): Promise<Batch> {
  const { db, tenant_id } = context
  const book = await openLockedBook(context, instrument)
  const { owner_tenant, owner_did } = trader
  const names = await findByClientIds(db, tenant_id, owner_did, client_order_ids)
  const fee_bps = await feeBps(context, owner_tenant)
  const holder = { tenant_id: owner_tenant, did: owner_did }
  // Last: no other connection is waited for while the ledger is locked.
  const available = await availableTo(db, holder, [book.base_asset, book.quote_asset])
  return {
    ...{ context, trader, book, names, fee_bps, available, plans: [] },
    window: new BookWindow(storedSides(db, tenant_id, book)),
    lot_size: book.lot_size,
    fills_left: fills_max,
  }
}

async function takeOrRefuse(batch: Batch, request: Request): Promise<Plan | Refusal> {
  try {
    return await take(batch, request())
  } catch (thrown) {
    if (thrown instanceof Refusal && (thrown.code === 'policy_denied' || thrown.code === 'invalid_payload'))
      return thrown
    throw thrown
  }
}

async function take(batch: Batch, request: Wanted): Promise<Plan> {
  const { context, trader, book, window, plans, names } = batch
  requireFitting(request, book)
  requireNewName(request, names)
  const order = {
    ...newOrder(context, trader, request, book),
    seq: book.seq + book.expiry.commands.length + plans.length + 1,
  }
  const same_trader = sameTrader(context, book, order)
  const makers = order.directed_to === null ? await window.makersFor(order, same_trader) : []
  const arrival = { order, makers }
  const matching = match(order, arrival, book, same_trader)
  if (matching.fills.length > batch.fills_left) throw tooManyTrades()
  const charges = chargesOf(incomingOf(order), matching.fills, batch, book.quote_asset)
  // What is refused must not be charged, so an order is judged by the most that its trades may be charged.
  const most = charges.map(({ amount, bps }) => feeCeiling(amount, bps))
  const bill = billOf(incomingOf(order), matching, batch, most)
  requireFunds(batch, order, bill.reserve)
  const trade_ids = bill.fills.map(() => context.newId())
  const plan = { arrival, order: orderAfter(order, matching, bill), matching, charges, trade_ids }
  // From here on it is taken.
  const charged = { ...plan, bill }
  pay(batch, [...reserveOf(batch, charged), ...journalsOf(batch, charged).flatMap(({ entries }) => entries)])
  window.enter(plan.order, bill.fills)
  batch.fills_left -= bill.fills.length
  if (request.client_order_id !== null) names.set(request.client_order_id, order.order_id)
  plans.push(plan)
  return plan
}

function tooManyTrades(): Refusal {
  return refuse(
    'policy_denied',
    `All orders of one call make at most ${fills_max} trades, and this one would make more; send it by itself.`,
    { reason: 'trades of one call' },
  )
}

function postingOf({ context, book }: Batch): Posting {
  const { tenant_id, invoke } = context
  return { tenant_id, correlation_id: invoke.correlation_id, at: book.now.toISOString() }
}

/** What it might have needed was covered when it came; posted is what it keeps and pays. */
function reserveOf(batch: Batch, { order, bill }: Charged): readonly Entry[] {
  const [journal] = reserveJournal(postingOf(batch), batch.book, order, bill.reserve - bill.release)
  return journal?.entries ?? []
}

function journalsOf(batch: Batch, { order, bill, trade_ids }: Charged): Journal[] {
  const { operator_tenant_id } = batch.context.engine
  return bill.fills.map((fill, place) =>
    tradeJournal(postingOf(batch), batch.book, trade_ids[place]!, {
      ...{ taker: order, fill, operator_tenant_id },
    }),
  )
}

/** One journal for all that a batch reserves, named by the call's record: each order says itself what it holds back. */
function reserveAll(batch: Batch, charged: readonly Charged[]): Journal[] {
  const sums = new Map<string, Entry>()
  for (const entry of charged.flatMap((plan) => reserveOf(batch, plan))) {
    const account = `${entry.asset_id} ${entry.type}`
    sums.set(account, { ...entry, amount: entry.amount + (sums.get(account)?.amount ?? 0n) })
  }
  const entries = [...sums.values()].filter(({ amount }) => amount !== 0n)
  if (entries.length === 0) return []
  return [{ ...postingOf(batch), kind: 'market-reserve', ref: batch.context.record_id, entries }]
}

/** The worst case must be covered when an order comes, as if it came alone. */
function requireFunds({ available, book, trader, context }: Batch, { side }: Order, reserve: bigint): void {
  const asset_id = assetPutAside(side, book)
  const balance = available.get(asset_id)!
  if (balance >= reserve) return
  const { owner_tenant: tenant_id, owner_did: did } = trader
  const short = { ...{ tenant_id, did, asset_id, type: 'available' as const }, balance: String(balance) }
  throw insufficientFunds({ ...short, amount: String(-reserve) }, context.tenant_id)
}

function pay({ available, trader }: Batch, entries: readonly Entry[]): void {
  for (const { did, asset_id, type, amount } of entries)
    if (did === trader.owner_did && type === 'available')
      available.set(asset_id, available.get(asset_id)! + amount)
}

/** The fees of all trades, in order, just before they are posted. */
async function chargeAll({ context, plans, fee_bps, lot_size }: Batch): Promise<Charged[]> {
  const fees = await chargeFees(
    context.db,
    context.tenant_id,
    plans.flatMap(({ charges }) => charges),
  )
  return plans.map((plan) => {
    const own_fees = fees.splice(0, plan.charges.length)
    const incoming = incomingOf(plan.arrival.order)
    return { ...plan, bill: billOf(incoming, plan.matching, { lot_size, fee_bps }, own_fees) }
  })
}

/** One posting and one statement for all, also for orders that expired meanwhile. */
async function store(batch: Batch): Promise<ReadonlyMap<Plan, Taken>> {
  const { context, book, plans } = batch
  const { db, tenant_id } = context
  const { instrument, now, lot_size, expiry } = book
  const charged = await chargeAll(batch)
  const ahead = [...expiry.journals, ...reserveAll(batch, charged)]
  const posted = await postJournals(db, [...ahead, ...charged.flatMap((plan) => journalsOf(batch, plan))])
  let next_journal = ahead.length
  const taken = new Map<Plan, Taken>()
  const makers: MakerChange[] = []
  const logged: LoggedCommand[] = [...expiry.commands]
  for (const [n, plan] of plans.entries()) {
    const { order, bill, trade_ids, arrival } = charged[n]!
    const journal_ids = posted.slice(next_journal, next_journal + bill.fills.length)
    next_journal += bill.fills.length
    const trades = bill.fills.map((fill, place) => {
      const names = { trade_id: trade_ids[place]!, place, journal_id: journal_ids[place]! }
      return { ...names, ...tradeOf(order, fill), directed: false }
    })
    taken.set(plan, { order, trades })
    makers.push(...trades.map((trade) => makerChange(order, trade, lot_size)))
    logged.push(placeLogged(tenant_id, book, arrival, order, trades, bill.fills))
  }
  const all = [...taken.values()]
  const rows = { orders: all.map(({ order }) => order), trades: all.flatMap(({ trades }) => trades) }
  await writeEntries(db, { ...{ tenant_id, instrument, logged, at: now }, ...rows, makers })
  for (const [n, plan] of plans.entries())
    tell(context, plan.order, plan.arrival, taken.get(plan)!.trades, charged[n]!.bill)
  if (logged.length > 0) tellFollowers(context, instrument)
  return taken
}

/** A refused order of a batch is in the caller's audit log as if it had come alone. */
function tellRefused(context: OperationContext, instrument: string, place: number, refusal: Refusal): void {
  const { code, details } = refusal
  const meta = { instrument, place, venue: context.tenant_id, code, reason: details.reason }
  context.audit('OrderRefused', meta, { outcome: 'refused' })
}
