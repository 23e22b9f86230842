import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseMap, reportOn } from './calibration.ts'
import { fitMap, type Sample } from './calibration-fit.ts'
import { applyMap, fitted_methods, logit } from './calibration-map.ts'

const near = (a: number, b: number, slack = 1e-12) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`)

const sampleOf = (rows: readonly { p: number; hit: boolean; weight?: number }[]): Sample => ({
  said: Float64Array.from(rows, ({ p }) => p),
  hits: Float64Array.from(rows, ({ hit }) => Number(hit)),
  weights: Float64Array.from(rows, ({ weight }) => weight ?? 1),
})
const probability = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 0.1, 0.5, 1))
const rows = fc.array(
  fc.record({
    p: probability,
    hit: fc.boolean(),
    weight: fc.double({ min: 0.1, max: 10, noNaN: true }),
  }),
  { minLength: 10, maxLength: 80 },
)
/** Evenly spread forecasts whose hit rate is the given function of them. */
const evenly = (n: number, truth: (p: number) => number) =>
  sampleOf(
    Array.from({ length: n }, (_, i) => {
      const p = (i * 0.618_033_988_75) % 1
      return { p, hit: (i * 0.754_877_666) % 1 < truth(p) }
    }),
  )

test('the terms of Murphy add up to the Brier score, and the bins to the whole', () => {
  fc.assert(
    fc.property(rows, fc.integer({ min: 5, max: 50 }), (drawn, bins) => {
      const { brier, decomposition, curve, n, ece, mce } = reportOn(sampleOf(drawn), bins)
      const { reliability, resolution, uncertainty } = decomposition
      near(reliability - resolution + uncertainty, brier)
      assert.equal(
        curve.reduce((sum, point) => sum + point.n, 0),
        n,
      )
      assert.ok(ece >= 0 && ece <= mce + 1e-12 && mce <= 1)
      for (const { ci95, freq } of curve) assert.ok(ci95[0] <= freq + 1e-12 && freq <= ci95[1] + 1e-12)
    }),
  )
})

test('the report does not depend on order', () => {
  fc.assert(
    fc.property(rows, (drawn) => {
      const [one, other] = [reportOn(sampleOf(drawn), 7), reportOn(sampleOf(drawn.toReversed()), 7)]
      near(one.brier, other.brier)
      near(one.ece, other.ece)
      near(one.decomposition.resolution, other.decomposition.resolution)
    }),
  )
})

test('perfect forecasts have no calibration error, and bins have equal mass', () => {
  const perfect = sampleOf(Array.from({ length: 40 }, (_, i) => ({ p: i % 2, hit: i % 2 === 1 })))
  const report = reportOn(perfect, 10)
  assert.deepEqual([report.ece, report.mce, report.brier, report.base_rate], [0, 0, 0, 0.5])
  assert.deepEqual(
    reportOn(
      evenly(100, (p) => p),
      10,
    ).curve.map(({ n }) => n),
    Array.from({ length: 10 }, () => 10),
  )
})

test('every map is monotone and between 0 and 1, also for a forecaster who is always wrong', () => {
  fc.assert(
    fc.property(rows, fc.array(probability, { minLength: 2, maxLength: 20 }), (drawn, forecasts) => {
      const sample = sampleOf(drawn)
      const rising = forecasts.toSorted((a, b) => a - b)
      for (const method of fitted_methods) {
        const map = fitMap(method, sample)
        const meant = rising.map((p) => applyMap(map, p))
        for (const [at, value] of meant.entries()) {
          assert.ok(value >= 0 && value <= 1, `${method}: ${value}`)
          assert.ok(at === 0 || value >= meant[at - 1]! - 1e-12, `${method} falls`)
        }
      }
    }),
  )
})

test('an isotonic map does not fall between the smallest numbers', () => {
  const knots = [
    [0, 0.2],
    [2.5e-323, 0.33],
  ] as const
  const map = { method: 'isotonic', knots } as const
  assert.deepEqual(
    [5e-324, 2e-323, 2.5e-323].map((p) => applyMap(map, p).toFixed(3)),
    ['0.226', '0.304', '0.330'],
  )
})

test('isotonic regression never scores worse in its own sample, and finds known steps', () => {
  fc.assert(
    fc.property(rows, (drawn) => {
      const sample = sampleOf(drawn)
      const map = fitMap('isotonic', sample)
      const fitted = { ...sample, said: sample.said.map((p) => applyMap(map, p)) }
      assert.ok(reportOn(fitted, 10).brier <= reportOn(sample, 10).brier + 1e-12)
    }),
  )
  const steps = [
    [0.1, false],
    [0.2, true],
    [0.3, false],
    [0.4, true],
    [0.5, true],
  ] as const
  const map = fitMap('isotonic', sampleOf(steps.map(([p, hit]) => ({ p, hit }))))
  assert.deepEqual(
    [0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.9].map((p) => applyMap(map, p)),
    [0, 0, 0.5, 0.5, 0.5, 1, 1],
  )
})

test('each parametric map recovers the parameters of a sample', () => {
  const cooled = fitMap(
    'temperature',
    evenly(4000, (p) => 1 / (1 + Math.exp(-logit(p) / 2))),
  )
  assert.ok(cooled.method === 'temperature' && Math.abs(cooled.temperature - 2) < 0.2)
  const shifted = fitMap(
    'platt',
    evenly(4000, (p) => 1 / (1 + Math.exp(-(0.5 * logit(p) + 1)))),
  )
  assert.ok(shifted.method === 'platt' && Math.abs(shifted.a - 0.5) < 0.1 && Math.abs(shifted.b - 1) < 0.15)
})

test('auto keeps calibrated forecasts, corrects overconfident ones, and is reproducible', () => {
  const honest = chooseMap(
    evenly(300, (p) => p),
    'auto',
    5,
    10,
    1,
  )
  assert.equal(honest.chosen, 'none')
  const bold = evenly(400, (p) => 0.5 + (p - 0.5) / 3)
  const choice = chooseMap(bold, 'auto', 5, 10, 1)
  assert.notEqual(choice.chosen, 'none')
  assert.ok(choice.cross_validated[choice.chosen]!.log < choice.cross_validated.none!.log)
  assert.deepEqual(Object.keys(choice.cross_validated), ['none', ...fitted_methods])
  assert.deepEqual(chooseMap(bold, 'auto', 5, 10, 1), choice)
  const few = chooseMap(
    evenly(30, (p) => p),
    'auto',
    5,
    10,
    1,
  )
  assert.deepEqual(Object.keys(few.cross_validated), ['none', 'platt'])
})
