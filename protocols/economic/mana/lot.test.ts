import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { advance, type Bid, commitmentTo, type Lot, outcomeOf } from './lot.ts'

const closes_at = new Date('2026-11-15T12:00:00.000Z')
const lot: Lot = {
  lot_id: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10',
  solicitor_did: 'did:oas:acme:agent:s',
  task: 'Translate.',
  capability: 'svc.mim.send',
  asset_id: 'usd',
  reserve_price: 100n,
  visibility: 'tenant',
  opened_at: new Date('2026-11-15T10:00:00.000Z'),
  closes_at,
  state: 'OPEN',
  bids_made: 0,
  winning_seq: null,
  clearing_price: null,
  contract_id: null,
}

function bidOf(seq: number, price: bigint, more: Partial<Bid> = {}): Bid {
  const who = { bid_id: `b${seq}`, bidder_did: `did:${seq}`, salt: 's', commitment: 'c' }
  return { seq, price, eta_seconds: 60, valid_until: null, treaty_id: null, ...who, ...more }
}

test('of 80, 60 and 70 the second wins and is paid 70; a single bid is paid the reserve', () => {
  const bids = [bidOf(1, 80n), bidOf(2, 60n), bidOf(3, 70n)]
  assert.deepEqual(outcomeOf(lot, bids), { state: 'AWARDED', winning_seq: 2, clearing_price: 70n })
  assert.deepEqual(outcomeOf(lot, [bids[1]!]), { state: 'AWARDED', winning_seq: 2, clearing_price: 100n })
  assert.deepEqual(outcomeOf(lot, [bidOf(1, 101n)]), {
    state: 'EXPIRED',
    winning_seq: null,
    clearing_price: null,
  })
})

test('equal bids are ranked by merit, then by time; bids expired before closing do not count', () => {
  assert.equal(outcomeOf(lot, [bidOf(2, 60n), bidOf(1, 60n)]).winning_seq, 1)
  assert.equal(outcomeOf(lot, [bidOf(1, 60n), bidOf(2, 60n, { merit: 5001 })]).winning_seq, 2)
  const gone = bidOf(1, 10n, { valid_until: new Date(closes_at.getTime() - 1) })
  const just = bidOf(2, 20n, { valid_until: closes_at })
  assert.deepEqual(outcomeOf(lot, [gone, just]), { state: 'AWARDED', winning_seq: 2, clearing_price: 100n })
})

test('a lot stays open until its closing time, and later checks give the same outcome', () => {
  const bids = [bidOf(1, 80n), bidOf(2, 60n)]
  assert.equal(advance(lot, bids, new Date(closes_at.getTime() - 1).toISOString()), lot)
  const then = advance(lot, bids, closes_at.toISOString())
  assert.deepEqual([then.state, then.winning_seq, then.clearing_price], ['AWARDED', 2, 80n])
  assert.deepEqual(advance(lot, bids, '2027-11-15T12:00:00.000Z'), then)
  const cancelled: Lot = { ...lot, state: 'CANCELLED' }
  assert.equal(advance(cancelled, bids, closes_at.toISOString()), cancelled)
})

const price = fc.bigInt({ min: 1n, max: 120n })
const bidsOf = fc
  .array(fc.record({ price, merit: fc.integer({ min: 4998, max: 5002 }) }), { minLength: 1, maxLength: 12 })
  .map((made) => made.map((one, place) => bidOf(place + 1, one.price, { merit: one.merit })))

test('invariant 17: the winner is paid at least its bid, at most the reserve, and the same for any winning bid', () => {
  fc.assert(
    fc.property(bidsOf, price, fc.integer(), (bids, other_price, turn) => {
      const outcome = outcomeOf(lot, bids)
      const eligible = bids.filter((bid) => bid.price <= lot.reserve_price)
      if (eligible.length === 0) return assert.equal(outcome.state, 'EXPIRED')
      const winner = bids.find(({ seq }) => seq === outcome.winning_seq)!
      assert.ok(eligible.every((bid) => bid.price >= winner.price))
      assert.ok(outcome.clearing_price! >= winner.price && outcome.clearing_price! <= lot.reserve_price)
      const at = Math.abs(turn) % bids.length
      const turned = [...bids.slice(at), ...bids.slice(0, at)]
      assert.deepEqual(outcomeOf(lot, turned), outcome, 'the order of rows says nothing')
      const otherwise = bids.map((bid) => (bid === winner ? { ...bid, price: other_price } : bid))
      const again = outcomeOf(lot, otherwise)
      if (again.winning_seq === winner.seq) assert.equal(again.clearing_price, outcome.clearing_price)
      else assert.ok(other_price > winner.price, 'asking less never loses what was won')
    }),
  )
})

test('a commitment binds every field of a bid, and reveals nothing without its salt', () => {
  const { seq: _, commitment: __, ...said } = bidOf(1, 60n)
  const first = commitmentTo(lot.lot_id, said)
  assert.match(first, /^sha256:[0-9a-f]{64}$/)
  assert.equal(commitmentTo(lot.lot_id, { ...said }), first)
  const changes = [
    { price: 61n },
    { eta_seconds: 61 },
    { salt: 't' },
    { bidder_did: 'x' },
    { valid_until: closes_at },
  ]
  for (const change of changes) assert.notEqual(commitmentTo(lot.lot_id, { ...said, ...change }), first)
  assert.notEqual(commitmentTo('another', said), first)
})
