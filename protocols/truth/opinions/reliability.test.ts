import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { judgeSources, massAt, type Tally, wilson } from './reliability.ts'

const tally = (source: string, n: number, brier: number, manual: number | null = null): Tally => ({
  source,
  n,
  n_effective: n,
  loss_sum: n * brier,
  manual_weight: manual,
})

test('a lower loss gives more weight and a better rank, and no source gets zero', () => {
  const [good, bad, new_one] = judgeSources([
    tally('good', 20, 0.1),
    tally('bad', 20, 0.25),
    tally('new', 0, 0),
  ])
  assert.ok(good!.weight > new_one!.weight && new_one!.weight > bad!.weight)
  assert.deepEqual([good!.rank, new_one!.rank, bad!.rank], [1, 2, 3])
  const [, hopeless] = judgeSources([tally('good', 500, 0.05), tally('bad', 500, 0.6)])
  assert.ok(Math.abs(hopeless!.weight - 0.01) < 1e-9)
  assert.deepEqual(new_one!.interval95, [0, 1])
  assert.ok(good!.interval95[0]! < 0.1 && good!.interval95[1]! > 0.1)
})

test('few outcomes change a weight less than many of the same kind', () => {
  const shareAfter = (n: number) => judgeSources([tally('a', n, 0.1), tally('b', n, 0.3)])[0]!.weight
  assert.ok(shareAfter(1) < shareAfter(10) && shareAfter(10) < shareAfter(100))
  assert.equal(shareAfter(0), 0.5)
})

test('a weight set by the organization applies, and only there', () => {
  const [a, b] = judgeSources([tally('a', 50, 0.1, 0.2), tally('b', 50, 0.2)])
  const learned = judgeSources([tally('a', 50, 0.1), tally('b', 50, 0.2)])
  assert.deepEqual([a!.weight, a!.is_manual, b!.is_manual], [0.2, true, false])
  assert.equal(b!.weight, learned[1]!.weight)
})

test('weights are positive, sum to one, and do not depend on order', () => {
  const tallies = fc.uniqueArray(
    fc.record({
      source: fc.string({ minLength: 1, maxLength: 8 }),
      n: fc.integer({ min: 0, max: 1000 }),
      brier: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 150, selector: ({ source }) => source },
  )
  fc.assert(
    fc.property(tallies, (drawn) => {
      const judged = judgeSources(drawn.map(({ source, n, brier }) => tally(source, n, brier)))
      const back = judgeSources(drawn.toReversed().map(({ source, n, brier }) => tally(source, n, brier)))
      const whole = judged.reduce((sum, { weight }) => sum + weight, 0)
      assert.ok(Math.abs(whole - 1) < 1e-9)
      for (const [place, { weight, interval95 }] of judged.entries()) {
        assert.ok(weight > 0 && weight <= 1)
        assert.ok(interval95[0]! >= 0 && interval95[0]! <= interval95[1]! && interval95[1]! <= 1)
        assert.ok(Math.abs(weight - back.at(-1 - place)!.weight) < 1e-9)
      }
    }),
  )
})

test('an outcome counts half as much as one a half-life later', () => {
  const day = 86_400_000
  const now = Date.parse('2027-03-01T00:00:00Z')
  assert.ok(Math.abs(massAt(now - 180 * day) / massAt(now) - 0.5) < 1e-12)
})

test('the Wilson interval of 7 in 10 matches the published one', () => {
  const [low, high] = wilson(0.7, 10)
  assert.ok(Math.abs(low - 0.396_775) < 1e-5 && Math.abs(high - 0.892_209) < 1e-5, `${low} ${high}`)
})
