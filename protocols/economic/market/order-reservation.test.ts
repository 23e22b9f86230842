import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FeeCharge, feeOf } from '../ledger/fees.ts'
import { type Incoming, matchOrder, type Resting } from './order-matching.ts'
import { amount_max, averagePrice, billOf, chargesOf, quoteLegs, reservationOf } from './order-reservation.ts'

const taker: Incoming = {
  order_id: 'taker',
  seq: 100,
  owner_tenant: 'acme',
  owner_did: 'a',
  side: 'buy',
  price: 100n,
  remaining: 250n,
  expires_ms: null,
  time_in_force: 'GTC',
  post_only: false,
}
const maker = (seq: number, price: bigint, remaining: bigint, side: 'buy' | 'sell' = 'sell'): Resting => ({
  order_id: `m${seq}`,
  seq,
  owner_tenant: 'globex',
  owner_did: 'g',
  side,
  price,
  remaining,
  expires_ms: null,
})

/** `exact`: what was due before, in ten-thousandths. */
function bill(incoming: Incoming, makers: Resting[], fee_bps = 25, lot_size = 1n, exact = 0n) {
  const matching = matchOrder(incoming, makers, 0)
  assert.ok(matching.rejected === null)
  const pricing = { fee_bps, lot_size }
  const charges = chargesOf(incoming, matching.fills, pricing, 'usd')
  return billOf(incoming, matching, pricing, feesInTurn(charges, exact))
}

/** As the ledger charges them. */
function feesInTurn(charges: readonly FeeCharge[], exact: bigint): bigint[] {
  let total = exact
  return charges.map(({ amount, bps }) => {
    const before = (total + 5_000n) / 10_000n
    total += amount * BigInt(bps)
    return (total + 5_000n) / 10_000n - before
  })
}

test('a buyer reserves its limit and the taker fee, and gets the improvement back', () => {
  const made = bill(taker, [maker(3, 99n, 80n), maker(1, 100n, 80n), maker(2, 100n, 80n)])
  assert.deepEqual(
    made.fills.map(({ notional, fee }) => [notional, fee]),
    [
      [7920n, 20n],
      [8000n, 20n],
      [8000n, 20n],
    ],
  )
  assert.equal(made.reserve, 25_000n + 60n)
  assert.equal(made.keep, 1000n)
  assert.equal(made.release, 25_060n - 23_920n - 60n - 1000n)
})

test('several trades cost what one of their sum costs, whatever was charged before', () => {
  const makers = [1, 2, 3].map((seq) => maker(seq, 100n, 2n))
  const made = bill({ ...taker, remaining: 6n }, makers)
  assert.equal(feeOf(600n, 25), 2n)
  assert.deepEqual(
    made.fills.map(({ fee }) => fee),
    [1n, 0n, 1n],
  )
  assert.deepEqual([made.reserve, made.release], [602n, 0n])
  // Of what was due before, less than half a unit is not charged yet: the reservation has room for it.
  const after_others = bill({ ...taker, remaining: 1n }, [maker(1, 100n, 1n)], 25, 1n, 4_999n)
  assert.deepEqual([after_others.fills[0]!.fee, after_others.reserve, after_others.release], [1n, 101n, 0n])
})

test('money is conserved: reservations are spent, kept or released, and always sufficient', () => {
  const amounts = fc.record({
    side: fc.constantFrom('buy' as const, 'sell' as const),
    price: fc.option(fc.bigInt(1n, 300n)),
    lots: fc.bigInt(1n, 50n),
    lot_size: fc.constantFrom(1n, 3n, 1000n),
    fee_bps: fc.constantFrom(0, 5, 15, 25),
    ioc: fc.boolean(),
    makers: fc.array(fc.tuple(fc.bigInt(1n, 300n), fc.bigInt(1n, 20n)), { maxLength: 6 }),
    exact: fc.bigInt(0n, 20_000n),
  })
  fc.assert(
    fc.property(amounts, ({ side, price, lots, lot_size, fee_bps, ioc, makers, exact }) => {
      const other = side === 'buy' ? 'sell' : 'buy'
      const resting = makers
        .sort(([a], [b]) => Number(side === 'buy' ? a - b : b - a))
        .map(([at, size], seq) => maker(seq, at, size * lot_size, other))
      const tif = ioc ? ('IOC' as const) : ('GTC' as const)
      const incoming = { ...taker, side, price, remaining: lots * lot_size, time_in_force: tif }
      const made = bill(incoming, resting, fee_bps, lot_size, exact)
      let spent = 0n
      for (const fill of made.fills) {
        const { paid, received, fee } = quoteLegs(side, fill)
        assert.equal(paid, received + fee)
        assert.ok(received >= 0n && fee >= 0n)
        spent += side === 'buy' ? paid : fill.quantity
      }
      assert.equal(made.reserve, spent + made.keep + made.release)
      assert.ok(made.keep >= 0n && made.release >= 0n)
    }),
  )
})

test('a resting order reserves exactly its notional, or its quantity', () => {
  assert.equal(reservationOf({ side: 'buy', price: 7n, remaining: 3000n }, 1000n), 21n)
  assert.equal(reservationOf({ side: 'sell', price: 7n, remaining: 3000n }, 1000n), 3000n)
})

test('an average price is a reduced fraction', () => {
  assert.equal(averagePrice(0n, 0n, 1n), undefined)
  assert.deepEqual(averagePrice(23_920n, 240n, 1n), { num: '299', den: '3' })
  assert.deepEqual(averagePrice(7n, 3n, 1n), { num: '7', den: '3' })
  assert.deepEqual(averagePrice(21n, 3_000n, 1_000n), { num: '7', den: '1' })
})

test('the fee is reserved at the limit, and nothing where no trade has a fee', () => {
  const reserved = (price: bigint, remaining: bigint) =>
    bill({ ...taker, remaining }, [maker(1, price, remaining)]).reserve - 100n * remaining
  // At 25 basis points: 4,000 cost 10, at the limit 8,000 cost 20.
  assert.equal(reserved(50n, 80n), 20n)
  assert.equal(reserved(50n, 8n), 2n)
  assert.equal(reserved(10n, 10n), 0n)
})

test('a trade within one organization has no fee', () => {
  const fill = { maker: { ...maker(1, 100n, 80n), owner_tenant: 'acme' }, price: 100n, quantity: 80n }
  const matching = { rejected: null, fills: [fill], left: 1n, cut: null }
  const incoming = { ...taker, remaining: 81n }
  const pricing = { fee_bps: 25, lot_size: 1n }
  const charges = chargesOf(incoming, matching.fills, pricing, 'usd')
  const made = billOf(incoming, matching, pricing, feesInTurn(charges, 4_999n))
  assert.equal(made.fills[0]!.fee, 0n)
  // The one that is left keeps its price reserved.
  assert.deepEqual([made.reserve, made.keep, made.release], [8_100n, 100n, 0n])
})

test('a buying taker pays the fee on top, a selling one gets less', () => {
  const fill = { maker: maker(1, 100n, 80n), price: 100n, quantity: 80n, notional: 8_000n, fee: 20n }
  assert.deepEqual(quoteLegs('buy', fill), { paid: 8_020n, received: 8_000n, fee: 20n })
  assert.deepEqual(quoteLegs('sell', fill), { paid: 8_000n, received: 7_980n, fee: 20n })
})

test('the largest amount has 31 digits', () => assert.equal(String(amount_max), '9'.repeat(31)))
