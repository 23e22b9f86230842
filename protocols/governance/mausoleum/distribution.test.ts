import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bps_whole, type Claim, divide, type Heir, heirsOf, uneven } from './distribution.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 24n })
const claims: fc.Arbitrary<Claim[]> = fc.array(
  fc.record({ rank: fc.integer({ min: 1, max: 3 }), ref: fc.uuid(), amount }),
  { maxLength: 8 },
)
/** Cuts of the whole, so that the shares always add up to it. */
const heirs: fc.Arbitrary<Heir[]> = fc
  .uniqueArray(fc.integer({ min: 1, max: bps_whole - 1 }), { maxLength: 5 })
  .map((cuts) => {
    const edges = [0, ...cuts.sort((a, b) => a - b), bps_whole]
    return edges.slice(1).map((edge, place) => ({ did: `heir-${place}`, share_bps: edge - edges[place]! }))
  })
const sum = (parts: readonly { readonly amount: bigint }[]) =>
  parts.reduce((all, part) => all + part.amount, 0n)

test('invariant 21: everything is divided; nobody gets more than it is owed or misses its share by a unit', () => {
  fc.assert(
    fc.property(amount, claims, heirs, (total, owed, inheriting) => {
      const { paid, shares } = divide(total, owed, inheriting)
      assert.equal(sum(paid) + sum(shares), total)
      const paid_to = new Map(paid.map((part) => [part.ref, part.amount]))
      for (const claim of owed) assert.ok((paid_to.get(claim.ref) ?? 0n) <= claim.amount)
      const rest = sum(shares)
      for (const { did, share_bps } of inheriting) {
        const got = shares.find((share) => share.did === did)?.amount ?? 0n
        const off = got * BigInt(bps_whole) - rest * BigInt(share_bps)
        assert.ok(off < BigInt(bps_whole) && -off < BigInt(bps_whole))
      }
    }),
  )
})

test('a rank is paid in full before the next one, and heirs come last', () => {
  fc.assert(
    fc.property(amount, claims, heirs, (total, owed, inheriting) => {
      const { paid, shares } = divide(total, owed, inheriting)
      const paid_to = new Map(paid.map((part) => [part.ref, part.amount]))
      const short = owed.filter((claim) => (paid_to.get(claim.ref) ?? 0n) < claim.amount)
      const worst = Math.min(...short.map(({ rank }) => rank))
      for (const claim of owed.filter(({ rank }) => rank > worst))
        assert.equal(paid_to.get(claim.ref), undefined)
      if (short.length > 0) assert.deepEqual(shares, [])
    }),
  )
})

test('three heirs of 3333, 3333 and 3334 get the last unit correctly', () => {
  const three = [3333, 3333, 3334].map((share_bps, place) => ({ did: `${place}`, share_bps }))
  const { shares } = divide(100n, [{ rank: 3, ref: 'x', amount: 1n }], three)
  assert.deepEqual(
    shares.map((share) => share.amount),
    [33n, 33n, 33n],
  )
})

test('an asset goes to its named heirs, else to the heirs of all others, else to the successor', () => {
  const shares = [
    { asset_id: 'coin', to_did: 'a', share_bps: 10_000 },
    { asset_id: '*', to_did: 'b', share_bps: 9_999 },
  ]
  assert.deepEqual(heirsOf('coin', shares, 's'), [{ did: 'a', share_bps: 10_000 }])
  assert.deepEqual(heirsOf('gold', shares, 's'), [{ did: 'b', share_bps: 9_999 }])
  assert.deepEqual(heirsOf('gold', shares.slice(0, 1), 's'), [{ did: 's', share_bps: 10_000 }])
  assert.deepEqual(uneven(shares), [{ asset_id: '*', sum_bps: 9_999 }])
})
