import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grownBy } from '@svc/contract/needs/measurement'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { countUpTo, quantileOf, requireFunction, windowValue } from './function.ts'
import { coarsestFor, rangeOf, resolutionFor } from './range.ts'

const bounds = [0.1, 0.5, 1, 5]
const filled = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 5, maxLength: 5 })

test('a quantile is computed like histogram_quantile', () => {
  assert.equal(quantileOf(0.5, [0, 10, 0, 0, 0], bounds), 0.1 + 0.4 * 0.5)
  assert.equal(quantileOf(0.9, [10, 0, 0, 0, 0], bounds), 0.09)
  assert.equal(quantileOf(0.99, [1, 1, 0, 0, 8], bounds), 5, 'the highest bound is all that is known')
  assert.equal(quantileOf(0.5, [0, 0, 0, 0, 0], bounds), undefined)
  assert.equal(quantileOf(0.5, [3, 1], [-2]), -2)
  assert.equal(quantileOf(0.5, [3], []), undefined)
})

test('quantiles are monotone, and half of the count is below the median', () => {
  fc.assert(
    fc.property(filled, (buckets) => {
      const [p50, p95, p99] = [0.5, 0.95, 0.99].map((quantile) => quantileOf(quantile, buckets, bounds))
      const total = buckets.reduce((sum, count) => sum + count, 0)
      if (p50 === undefined) return assert.equal(total, 0)
      assert.ok(p50 <= p95! && p95! <= p99!)
      if (p50 < 5) assert.ok(Math.abs(countUpTo(p50, buckets, bounds) - total / 2) < 1e-9 * (1 + total))
    }),
  )
})

test('the count up to a value never falls, and is exact at every bound', () => {
  fc.assert(
    fc.property(
      filled,
      fc.double({ min: 0, max: 9, noNaN: true }),
      fc.double({ min: 0, max: 9, noNaN: true }),
      (buckets, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        assert.ok(countUpTo(low, buckets, bounds) <= countUpTo(high, buckets, bounds) + 1e-9)
        bounds.forEach((bound, i) => {
          const below = buckets.slice(0, i + 1).reduce((sum, count) => sum + count, 0)
          assert.equal(countUpTo(bound, buckets, bounds), below)
        })
      },
    ),
  )
})

test('the increase of a counter that was reset counts from zero', () => {
  const shown = [5, 9, 2, 2, 6]
  const grown = shown.map((value, i) => grownBy(shown[i - 1], value))
  assert.deepEqual(grown, [5, 4, 2, 0, 4])
})

test('a function that does not apply to a kind is refused', () => {
  for (const [metric_function, kind] of [['rate', 'gauge'], ['p95', 'counter'], ['avg', 'counter'], ['p50', 'gauge'], ['sum', 'counter'], ['count', 'counter'], ['min', 'counter']] as const) // biome-ignore format: kept on one line
    assert.throws(() => requireFunction(metric_function, kind, 'x'), (thrown) => thrown instanceof Refusal && thrown.details.reason === 'wrong_function') // biome-ignore format: kept on one line
  requireFunction('raw', 'gauge', 'x')
  const sum = { value: 30, count: 4, min: 3, max: 12, last: 7, buckets: null }
  const of = (metric_function: Parameters<typeof windowValue>[0], kind: 'counter' | 'gauge' | 'histogram') =>
    windowValue(metric_function, kind, sum, 10_000, [])
  assert.deepEqual(
    [
      of('rate', 'counter'),
      of('increase', 'histogram'),
      of('sum', 'gauge'),
      of('count', 'gauge'),
      of('min', 'gauge'),
      of('avg', 'gauge'),
      of('max', 'gauge'),
      of('raw', 'gauge'),
    ],
    [3, 4, 30, 4, 3, 7.5, 12, 7],
  )
})

test('the finest resolution that reaches back is read, a coarser one only if it aligns', () => {
  const now_ms = Date.parse('2026-11-18T12:34:56Z')
  const ago = (hours: number) => now_ms - hours * 3_600_000
  assert.deepEqual([1, 25, 24 * 31, 24 * 500].map((hours) => resolutionFor(ago(hours), now_ms).seconds), [10, 300, 3600, 3600]) // biome-ignore format: kept on one line
  const range = rangeOf('2026-11-18T10:00:00Z', '2026-11-18T12:00:00Z')
  const seconds = (step_ms: number, of = range) => coarsestFor(of, step_ms, now_ms).seconds
  assert.deepEqual([10_000, 60_000, 300_000, 600_000, 3_600_000, 5_400_000].map((step) => seconds(step)), [10, 10, 300, 300, 3600, 300]) // biome-ignore format: kept on one line
  assert.equal(seconds(3_600_000, { ...range, to_ms: range.to_ms + 1000 }), 10)
  for (const [from, to] of [
    ['2026-11-18T10:00:00Z', '2026-11-18T10:00:00Z'],
    ['2026-02-30T10:00:00Z', '2026-11-18T10:00:00Z'],
  ] as const)
    assert.throws(() => rangeOf(from, to), Refusal)
})
