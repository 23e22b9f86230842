import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { crpsOf, pinballOf, scoreEvent, scoreQuantiles, scoreShares } from './forecast-score.ts'

const near = (value: number, expected: number, by = 1e-9) =>
  assert.ok(Math.abs(value - expected) < by, `${value} is not ${expected}`)

test('Brier of an event is (p - o)², and of categories the sum over all of them', () => {
  assert.deepEqual(scoreEvent(0.75, 1), { loss: 0.0625, brier: 0.0625, log: -Math.log(0.75) })
  const { brier, loss, log } = scoreShares([0.7, 0.2, 0.1], 1)
  near(brier!, 0.49 + 0.64 + 0.01)
  near(loss, brier! / 2)
  near(log!, -Math.log(0.2))
  assert.equal(scoreShares([1, 0], 1).brier, 2)
  assert.ok(Number.isFinite(scoreEvent(0, 1).log!), 'certainty that was wrong costs much, not everything')
})

test('the CRPS of a uniform distribution and of a single value are the published ones', () => {
  const uniform = [
    [0, 0],
    [1, 1],
  ] as const
  // x³/3 + (1 - x)³/3 within, distance + 1/3 outside.
  near(crpsOf(uniform, 0.5), 1 / 12)
  near(crpsOf(uniform, 0.25), (0.25 ** 3 + 0.75 ** 3) / 3)
  near(crpsOf(uniform, 3), 2 + 1 / 3)
  near(crpsOf([[0.5, 7]], 4), 3)
})

test('the CRPS equals a numeric integral, and twice the mean pinball loss over many levels', () => {
  const rising = fc
    .tuple(
      fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 8, maxLength: 8 }),
    )
    .map(([levels, values]) => {
      const sorted = values.toSorted((a, b) => a - b)
      return levels.sort((a, b) => a - b).map((level, at) => [level / 100, sorted[at]!] as const)
    })
  fc.assert(
    fc.property(rising, fc.integer({ min: -25, max: 25 }), (curve, outcome) => {
      const share = (x: number) => {
        if (x < curve[0]![1]) return 0
        const after = curve.findIndex(([, value]) => value > x)
        if (after < 0) return 1
        const [[low_level, low], [level, value]] = [curve[after - 1]!, curve[after]!]
        return low_level + ((level - low_level) * (x - low)) / (value - low)
      }
      const step = 1 / 400
      let integral = 0
      for (let x = -26 + step / 2; x < 26; x += step)
        integral += step * (share(x) - (x >= outcome ? 1 : 0)) ** 2
      near(crpsOf(curve, outcome), integral, 0.02)
    }),
    { numRuns: 40 },
  )
  const many = Array.from({ length: 999 }, (_, at) => [(at + 1) / 1000, (at + 1) / 1000] as const)
  near(2 * pinballOf(many, 0.3), crpsOf(many, 0.3), 1e-3)
})

test('the loss that decides weights lies between 0 and 1, also far outside the range', () => {
  const { loss, crps } = scoreQuantiles([[0.5, 10]], 1e9, 100)
  assert.deepEqual([loss, crps! > 1e8], [1, true])
  near(scoreQuantiles([[0.5, 10]], 35, 100).loss, 0.25)
})
