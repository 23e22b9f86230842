// Invariant 16: the order book against a reference that scans all orders for every trade.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { is_long } from '../../../checks/faults/scene/chance.ts'
import { applyCommand, type Book, openBook, restingOn } from './order-book.ts'
import { fills_max, type Incoming, matchOrder, type Side } from './order-matching.ts'

interface Known {
  order_id: string
  seq: number
  owner: number
  side: Side
  price: number | null
  tif: string
  post_only: boolean
  expires: number | null
  quantity: number
  filled: number
  cancelled: number
  /** Whether it rests in the order book. */
  waits: boolean
}
type Trade = readonly [taker: string, maker: string, price: number, quantity: number]

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      owner: fc.nat(3),
      side: fc.constantFrom<Side>('buy', 'sell'),
      price: fc.oneof(
        { weight: 6, arbitrary: fc.integer({ min: 1, max: 6 }) },
        { weight: 1, arbitrary: fc.constant(null) },
      ),
      quantity: fc.integer({ min: 1, max: 5 }),
      tif: fc.constantFrom('GTC', 'GTC', 'GTC', 'IOC', 'FOK', 'GTD'),
      post_only: fc.integer({ min: 0, max: 7 }).map((drawn) => drawn === 0),
      lives: fc.integer({ min: 1, max: 10 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), which: fc.nat(40) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      which: fc.nat(40),
      price: fc.integer({ min: 1, max: 6 }),
      quantity: fc.integer({ min: 1, max: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 4 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** Searches all orders for the best match every time: slow, but obviously correct. */
class Reference {
  readonly orders: Known[] = []
  readonly trades: Trade[] = []
  now = 0

  partners(taker: Known): Known[] {
    return this.orders.filter(
      (maker) =>
        maker.waits &&
        maker.side !== taker.side &&
        (maker.expires === null || maker.expires > this.now) &&
        (taker.price === null ||
          (taker.side === 'buy' ? maker.price! <= taker.price : maker.price! >= taker.price)),
    )
  }

  /** False if it is rejected; then nothing has changed. */
  place(taker: Known): boolean {
    if (taker.post_only && this.partners(taker).length > 0) return false
    const planned: [Known, number][] = []
    let left = taker.quantity - taker.filled
    while (left > 0) {
      const met = this.partners(taker).filter((maker) => !planned.some(([other]) => other === maker))
      if (met.length === 0) break
      let best = met[0]!
      for (const maker of met) {
        const gain = taker.side === 'buy' ? best.price! - maker.price! : maker.price! - best.price!
        if (gain > 0 || (gain === 0 && maker.seq < best.seq)) best = maker
      }
      if (best.owner === taker.owner) {
        if (taker.tif === 'FOK') return false
        this.settle(taker, planned)
        taker.cancelled = left
        return true
      }
      const quantity = Math.min(left, best.quantity - best.filled)
      planned.push([best, quantity])
      left -= quantity
    }
    if (left > 0 && taker.tif === 'FOK') return false
    this.settle(taker, planned)
    if (left > 0 && taker.price !== null && taker.tif !== 'IOC') taker.waits = true
    else taker.cancelled = left
    return true
  }

  settle(taker: Known, planned: readonly [Known, number][]): void {
    for (const [maker, quantity] of planned) {
      maker.filled += quantity
      taker.filled += quantity
      if (maker.filled === maker.quantity) maker.waits = false
      this.trades.push([taker.order_id, maker.order_id, maker.price!, quantity])
    }
  }
}

function incomingOf(placed: Known): Incoming {
  return {
    order_id: placed.order_id,
    seq: placed.seq,
    owner_tenant: `tenant-${placed.owner}`,
    owner_did: `did-${placed.owner}`,
    side: placed.side,
    price: placed.price === null ? null : BigInt(placed.price),
    remaining: BigInt(placed.quantity - placed.filled),
    expires_ms: placed.expires,
    time_in_force: placed.tif as Incoming['time_in_force'],
    post_only: placed.post_only,
  }
}

function placeBoth(book: Book, reference: Reference, placed: Known, trades: Trade[]): boolean {
  const matching = applyCommand(book, { kind: 'place', order: incomingOf(placed) }, reference.now)!
  const accepted = reference.place(placed)
  assert.equal(matching.rejected === null, accepted)
  if (matching.rejected !== null) return false
  let [filled, last] = [0n, matching.fills[0]?.price]
  for (const { maker, price, quantity } of matching.fills) {
    trades.push([placed.order_id, maker.order_id, Number(price), Number(quantity)])
    filled += quantity
    const limit = placed.price === null ? price : BigInt(placed.price)
    assert.ok(placed.side === 'buy' ? price <= limit : price >= limit, 'never worse than its limit')
    assert.ok(placed.side === 'buy' ? price >= last! : price <= last!, 'the best price first')
    last = price
  }
  assert.equal(filled, BigInt(placed.quantity) - matching.left - (BigInt(placed.filled) - filled))
  return true
}

function run(steps: readonly Step[]): void {
  const book = openBook()
  const reference = new Reference()
  const trades: Trade[] = []
  let seq = 0
  for (const taken of steps) {
    if (taken.kind === 'wait') reference.now += taken.ms
    else if (taken.kind === 'place') {
      const { owner, side, price, quantity, tif, post_only, lives } = taken
      seq += 1
      const facts = { order_id: `o${seq}`, seq, owner, side, price, tif, quantity }
      const expires = tif === 'GTD' ? reference.now + lives : null
      const placed: Known = { ...facts, post_only, expires, filled: 0, cancelled: 0, waits: false }
      if (placeBoth(book, reference, placed, trades)) reference.orders.push(placed)
    } else {
      const waiting = reference.orders.filter(({ waits }) => waits)
      const placed = waiting[taken.which % waiting.length]
      if (!placed) continue
      if (taken.kind === 'cancel') {
        placed.waits = false
        placed.cancelled = placed.quantity - placed.filled
        applyCommand(book, { kind: 'end', order_id: placed.order_id }, reference.now)
      } else replaceBoth(book, reference, placed, taken, trades, ++seq)
    }
    compare(book, reference, trades)
  }
}

function replaceBoth(
  book: Book,
  reference: Reference,
  placed: Known,
  to: { price: number; quantity: number },
  trades: Trade[],
  seq: number,
): void {
  if (to.quantity <= placed.filled) return
  if (to.price === placed.price && to.quantity <= placed.quantity) {
    placed.quantity = to.quantity
    const remaining = BigInt(placed.quantity - placed.filled)
    const { order_id, expires: expires_ms } = placed
    applyCommand(book, { kind: 'reduce', order_id, remaining, expires_ms }, reference.now)
    return
  }
  const old = { ...placed }
  Object.assign(placed, to, { seq, waits: false })
  if (!placeBoth(book, reference, placed, trades)) Object.assign(placed, old)
}

function compare(book: Book, reference: Reference, trades: readonly Trade[]): void {
  assert.deepEqual(trades, reference.trades)
  for (const side of ['buy', 'sell'] as const) {
    const expected = reference.orders
      .filter((placed) => placed.waits && placed.side === side)
      .sort((a, b) => (side === 'buy' ? b.price! - a.price! : a.price! - b.price!) || a.seq - b.seq)
      .map((placed) => [placed.order_id, placed.price, placed.quantity - placed.filled])
    const actual = restingOn(book, side).map((order) => [
      order.order_id,
      Number(order.price),
      Number(order.remaining),
    ])
    assert.deepEqual(actual, expected)
  }
  const live = (side: Side) =>
    restingOn(book, side).filter(({ expires_ms }) => expires_ms === null || expires_ms > reference.now)
  const [bid, ask] = [live('buy')[0], live('sell')[0]]
  assert.ok(!bid || !ask || bid.price < ask.price, 'the book is never crossed')
  for (const { quantity, filled, cancelled, waits } of reference.orders)
    assert.equal(filled + cancelled + (waits ? quantity - filled : 0), quantity)
}

test('gives the same trades and order book as an exhaustive reference', { timeout: 600_000 }, (t) => {
  const numRuns = is_long ? 100_000 : 300
  t.diagnostic(`N=${numRuns}`)
  fc.assert(fc.property(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), run), { numRuns })
})

function order(order_id: string, more: Partial<Incoming>): Incoming {
  return {
    order_id,
    seq: Number(order_id.replace(/\D/g, '')),
    owner_tenant: order_id,
    owner_did: order_id,
    side: 'sell',
    price: 100n,
    remaining: 1n,
    expires_ms: null,
    time_in_force: 'GTC',
    post_only: false,
    ...more,
  }
}

test('an order that exceeds the fill limit stops there, and its rest is cancelled', () => {
  const book = openBook()
  for (let seq = 1; seq <= fills_max + 1; seq++)
    applyCommand(book, { kind: 'place', order: order(`o${seq}`, {}) }, 0)
  const request = { side: 'buy' as const, remaining: BigInt(fills_max + 1) }
  const whole = order('o900', { ...request, time_in_force: 'FOK' })
  assert.deepEqual(applyCommand(book, { kind: 'place', order: whole }, 0), { rejected: 'no liquidity (FOK)' })
  const swept = applyCommand(book, { kind: 'place', order: order('o901', request) }, 0)!
  assert.ok(swept.rejected === null)
  assert.deepEqual([swept.fills.length, swept.left, swept.cut], [fills_max, 1n, 'fill_limit'])
  assert.deepEqual([restingOn(book, 'sell').length, restingOn(book, 'buy').length], [1, 0])
})

test('a directed quote trades only by name, also within one organization, but not with its owner', () => {
  const book = openBook()
  const quote = order('o1', { owner_tenant: 'acme', owner_did: 'a', remaining: 5n })
  applyCommand(book, { kind: 'place', order: quote, directed_to: 'b' }, 0)
  const taker = { side: 'buy' as const, owner_tenant: 'acme', time_in_force: 'IOC' as const, remaining: 3n }
  const taken = (order_id: string, owner_did: string, only?: string) => {
    const made = order(order_id, { ...taker, owner_did })
    const matching = applyCommand(book, { kind: 'place', order: made, only }, 0)!
    assert.ok(matching.rejected === null)
    return [matching.fills.length, matching.left, matching.cut]
  }
  assert.deepEqual(taken('o2', 'b'), [0, 3n, 'immediate_or_cancel'])
  assert.deepEqual(taken('o3', 'a', 'o1'), [0, 3n, 'self_trade'])
  assert.deepEqual(taken('o4', 'b', 'o1'), [1, 0n, null])
  assert.deepEqual(taken('o5', 'b', 'o1'), [1, 1n, 'immediate_or_cancel'])
  assert.deepEqual(taken('o6', 'b', 'o1'), [0, 3n, 'immediate_or_cancel'])
})

test('unless it is directed, an order does not trade with any agent of its own organization', () => {
  const maker = { ...order('o1', { owner_tenant: 'acme', owner_did: 'a' }), price: 100n }
  const taker = order('o2', { side: 'buy', owner_tenant: 'acme', owner_did: 'b' })
  assert.deepEqual(matchOrder(taker, [maker], 0), {
    rejected: null,
    fills: [],
    left: 1n,
    cut: 'self_trade',
  })
  assert.equal(fills_max, 200)
})

test('where its organization allows it, an order trades with other agents of it, and stops at its own', () => {
  const [a, b] = ['a', 'b'].map((owner_did) => ({ owner_tenant: 'acme', owner_did }))
  const book = openBook()
  applyCommand(book, { kind: 'place', order: order('o1', { ...a, price: 99n }) }, 0)
  applyCommand(book, { kind: 'place', order: order('o2', b!) }, 0)
  const taker = order('o3', { ...b, side: 'buy', remaining: 3n })
  const matching = applyCommand(book, { kind: 'place', order: taker, same_trader: 'agent' }, 0)
  assert.ok(matching?.rejected === null)
  assert.deepEqual([matching.fills.length, matching.left, matching.cut], [1, 2n, 'self_trade'])
  assert.deepEqual(
    restingOn(book, 'sell').map(({ order_id }) => order_id),
    ['o2'],
  )
})

test('a directed quote takes nothing from the lit order book', () => {
  const book = openBook()
  applyCommand(book, { kind: 'place', order: order('o1', { side: 'buy', price: 200n }) }, 0)
  applyCommand(book, { kind: 'place', order: order('o2', {}), directed_to: 'b' }, 0)
  assert.equal(restingOn(book, 'buy').length, 1)
  assert.equal(book.places.size, 2)
})

test('ending what does not rest changes nothing, and no empty price level is kept', () => {
  const book = openBook()
  assert.equal(applyCommand(book, { kind: 'end', order_id: 'o9' }, 0), undefined)
  const remaining = 1n
  assert.equal(
    applyCommand(book, { kind: 'reduce', order_id: 'o9', remaining, expires_ms: null }, 0),
    undefined,
  )
  for (const [order_id, price] of [
    ['o1', 100n],
    ['o2', 101n],
    ['o3', 101n],
  ] as const)
    applyCommand(book, { kind: 'place', order: order(order_id, { price }) }, 0)
  for (const order_id of ['o2', 'o3', 'o1']) applyCommand(book, { kind: 'end', order_id }, 0)
  assert.deepEqual(book, openBook())
})
