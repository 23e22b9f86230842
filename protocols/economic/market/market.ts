import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { notFound } from '@svc/contract/refusal'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import { Closed, described, Uuid } from '@svc/contract/schema'
import { Type } from 'typebox'
import { requireStanding } from '../ledger/api.ts'
import { sale_done, sale_paid } from '../made/api.ts'
import { batchAnswer, CreateOrdersAnswer, CreateOrdersInput } from './batch-input.ts'
import { followBook } from './follow-book.ts'
import { FollowAnswer, FollowInput } from './follow-input.ts'
import { findInstrument } from './instrument.ts'
import {
  BookAnswer,
  OrderAnswer,
  orderAnswer,
  shownOrder,
  TradeAnswer,
  tradeAnswer,
} from './market-answers.ts'
import { type BookQuestion, type BookView, viewBook, viewOrder } from './market-reads.ts'
import { readInternalTrades, SetRulesAnswer, SetRulesInput, setRules } from './market-rules.ts'
import { readBook } from './market-store.ts'
import { placeOrders } from './order-batch.ts'
import { CancelOrdersAnswer, CancelOrdersInput, cancelOrders } from './order-cancelling.ts'
import { changeOrder } from './order-change.ts'
import { CreateOrderInput, ExecuteTradeInput, faulty, InstrumentName, wantedOf } from './order-input.ts'
import { placeOrder } from './order-placing.ts'
import { advanceOrder } from './order-store.ts'

const depth_unless_told = 20
/** Longer than it may wait. */
const follow_deadline_ms = 75_000

const instrument = `${stand_ins.asset}/usd`
const order = { instrument, side: 'buy', quantity: '10', price: '2500000' } as const
const treaty_id = `sha256:${'7e'.repeat(32)}`
/** Who runs the engine sells on your market, which a treaty allows. */
const hours_offered: readonly SceneStep[] = [
  ...sale_done,
  {
    call: 'MOAT.propose',
    input: {
      counterparty_did: stand_ins.operator_did,
      capability_schedule: [{ capability: 'svc.market.create_order', granted_to: 'counterparty' }],
      expires_at: stand_ins.in_a_year,
    },
    answer: { treaty_id },
  },
  { call: 'MOAT.sign', input: { treaty_id } },
  { as: 'operator', call: 'MOAT.sign', input: { treaty_id } },
  {
    as: 'operator',
    tenant_id: stand_ins.tenant,
    call: 'MARKET.create_order',
    input: { ...order, side: 'sell' },
  },
]

export const market = protocol({
  id: 'MARKET',
  version: 'v1.0.0',
  plane: 'economic',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-commerce',
  summary: 'Order books where published assets are traded: by price, then by time, paid in the same moment.',

  operations: {
    create_order: operation({
      summary: 'Buy or sell: place an order, cancel it, or replace it.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['budgets', 'change_notifications', 'engine', 'tenants'],
      input: CreateOrderInput,
      output: OrderAnswer,
      example: order,
      scene: sale_paid,

      async handle(input, context) {
        if (input.action !== 'cancel') await requireStanding(context, 'an order')
        if (input.action !== undefined) {
          const { order, trades, lot_size } = await changeOrder(input, context)
          return orderAnswer(order, trades, lot_size)
        }
        const { order, trades, book } = await placeOrder(context, wantedOf(input))
        return orderAnswer(order, trades, book.lot_size)
      },
    }),

    create_orders: operation({
      summary: 'Place several orders in one order book, one after the other, each with its own answer.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      rate_cost: 10,
      engages: true,
      needs: ['budgets', 'change_notifications', 'engine', 'tenants'],
      input: CreateOrdersInput,
      output: CreateOrdersAnswer,
      example: {
        instrument,
        orders: [
          { side: 'buy', quantity: '10', price: '2500000' },
          { side: 'buy', quantity: '10', price: '2400000' },
        ],
      },
      scene: sale_paid,

      async handle({ instrument, orders }, context) {
        await requireStanding(context, 'an order')
        const requests = orders.map((each) => () => wantedOf({ ...each, instrument }))
        const names = orders.flatMap(({ client_order_id }) => client_order_id ?? [])
        return batchAnswer(await placeOrders(context, instrument, requests, names))
      },
    }),

    query_orderbook: operation({
      summary: 'See the market: price levels, last trades, and what is yours in it.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({
        instrument: InstrumentName,
        depth: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 200, description: 'Price levels of each side. Default 20.' }),
        ),
        mine: Type.Optional(
          Type.Boolean({
            description: 'Also return your open orders and quotes directed to you. Default false.',
          }),
        ),
        before_seq: Type.Optional(
          Type.Integer({ minimum: 1, description: 'The next page of my_orders: those before this seq.' }),
        ),
        order_id: Type.Optional(described(Uuid, 'Also return this order.')),
        trades_limit: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 500,
            description: 'How many of the newest trades to return. Default 0.',
          }),
        ),
      }),
      output: BookAnswer,
      example: { instrument, depth: 5 },
      scene: [...sale_paid, { call: 'MARKET.create_order', input: order }],

      async handle({ instrument, order_id, depth = depth_unless_told, ...asked }, context) {
        const { mine = false, trades_limit = 0, before_seq } = asked
        const question: BookQuestion = {
          tenant_id: context.tenant_id,
          instrument,
          viewer_did: context.caller.did,
          now: new Date(context.now),
          depth,
          mine,
          before_seq,
          trades_limit,
        }
        const view = await viewBook(context.db, question)
        const { lot_size, internal_trades } = await termsOf(context, question)
        return {
          ...shownBook(view),
          internal_trades,
          ...(mine
            ? { my_orders: view.my_orders.map((order) => shownOrder(order, context.caller.did, lot_size)) }
            : {}),
          ...(order_id === undefined ? {} : { order: await oneOrder(context, question, order_id, lot_size) }),
          ...(trades_limit > 0 ? { trades: [...view.trades] } : {}),
        }
      },
    }),

    execute_trade: operation({
      summary: 'Take what the market offers now, or a quote that was made to you.',
      effect: 'write',
      level: 'L1',
      engages: true,
      meters: ['seconds'],
      needs: ['budgets', 'change_notifications', 'engine', 'tenants'],
      input: ExecuteTradeInput,
      output: TradeAnswer,
      example: { instrument, side: 'buy', quantity: '10', limit_price: '2600000' },
      scene: hours_offered,

      async handle({ instrument, side, order_id, ...asked }, context) {
        await requireStanding(context, 'a trade')
        const [quantity, min_quantity] = [BigInt(asked.quantity), BigInt(asked.min_quantity ?? 0)]
        if (min_quantity > quantity) throw faulty('min_quantity', 'is more than the quantity')
        const price = asked.limit_price === undefined ? null : BigInt(asked.limit_price)
        const { order, trades, journal_ids } = await placeOrder(
          context,
          {
            instrument,
            side,
            type: price === null ? 'market' : 'limit',
            quantity,
            price,
            time_in_force: 'IOC',
            expires_at: null,
            post_only: false,
            directed_to: null,
            client_order_id: null,
          },
          { only: order_id, min_quantity },
        )
        return tradeAnswer(order, trades, journal_ids)
      },
    }),

    follow_book: operation({
      summary: 'Follow an order book: its trades and best prices as they change, each with the next number.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      waits: true,
      deadline_ms: follow_deadline_ms,
      needs: ['change_notifications', 'engine'],
      input: FollowInput,
      output: FollowAnswer,
      example: { instrument, depth: 5 },
      scene: [...sale_paid, { call: 'MARKET.create_order', input: order }],
      handle: followBook,
    }),

    cancel_orders: operation({
      summary: 'Cancel all your open orders at once, of one order book or side, or all.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['change_notifications'],
      input: CancelOrdersInput,
      output: CancelOrdersAnswer,
      example: { instrument, side: 'buy' },
      scene: [...sale_paid, { call: 'MARKET.create_order', input: order }],
      handle: cancelOrders,
    }),

    set_rules: operation({
      summary: 'Set whether your own agents may trade with each other in your market.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['charter'],
      input: SetRulesInput,
      output: SetRulesAnswer,
      example: { internal_trades: true },
      handle: setRules,
    }),
  },
})

function shownBook({ bids, asks, last_trade, book_seq }: BookView) {
  const [bid, ask] = [bids[0], asks[0]]
  return {
    bids: [...bids],
    asks: [...asks],
    ...(bid && ask ? { spread: String(BigInt(ask.price) - BigInt(bid.price)) } : {}),
    ...(last_trade ? { last_trade } : {}),
    book_seq,
  }
}

/** An instrument without trades has an empty order book; an invalid one has none. */
async function termsOf({ db }: OperationContext, { tenant_id, instrument, now }: BookQuestion) {
  const book = await readBook(db, tenant_id, instrument, now)
  if (book) return book
  const { lot_size } = await findInstrument(db, instrument)
  return { lot_size, internal_trades: await readInternalTrades(db, tenant_id) }
}

async function oneOrder(
  context: OperationContext,
  question: BookQuestion,
  order_id: string,
  lot_size: bigint,
) {
  const order = await viewOrder(context.db, question, order_id)
  if (!order) throw notFound('order', order_id)
  return shownOrder(advanceOrder(order, question.now), context.caller.did, lot_size)
}
