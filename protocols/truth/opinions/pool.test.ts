import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { curvesOf, poolCurves } from '../mata/pool-quantiles.ts'
import {
  disagreementOf,
  divergence,
  entropyOf,
  normalise,
  poolLinear,
  poolLog,
  poolMedian,
  weightedMedian,
} from './pool.ts'
import { type Opinion, requireOneKind, sharesOf } from './pool-opinion.ts'

const near = (a: number, b: number, slack = 1e-9) => assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b}`)
const allNear = (a: readonly number[], b: readonly number[], slack = 1e-9) => {
  assert.equal(a.length, b.length)
  for (const [at, value] of a.entries()) near(value, b[at]!, slack)
}

const share = fc.double({ min: 0, max: 1, noNaN: true })
const shares = (labels: number) =>
  fc.array(share, { minLength: labels, maxLength: labels }).map((parts) => normalise(parts))
const scene = fc
  .record({ labels: fc.integer({ min: 2, max: 5 }), sources: fc.integer({ min: 1, max: 6 }) })
  .chain(({ labels, sources }) =>
    fc.record({
      opinions: fc.array(shares(labels), { minLength: sources, maxLength: sources }),
      weights: fc.array(share, { minLength: sources, maxLength: sources }).map((parts) => normalise(parts)),
    }),
  )

test('every pool is normalised, preserves unanimity, and does not depend on order', () => {
  fc.assert(
    fc.property(scene, ({ opinions, weights }) => {
      const back = <T>(list: readonly T[]) => [...list].reverse()
      for (const pool of [poolLinear, poolLog, poolMedian]) {
        const pooled = pool(opinions, weights)
        if (!pooled) continue
        near(
          pooled.reduce((sum, part) => sum + part, 0),
          1,
        )
        assert.ok(pooled.every((part) => part >= 0 && part <= 1))
        allNear(pool(back(opinions), back(weights))!, pooled)
        const same = opinions.map(() => opinions[0]!)
        allNear(pool(same, weights)!, opinions[0]!)
      }
    }),
  )
})

test('the linear pool is between the opinions', () => {
  fc.assert(
    fc.property(scene, ({ opinions, weights }) => {
      for (const [label, part] of poolLinear(opinions, weights).entries()) {
        const label_shares = opinions.map((shares) => shares[label]!)
        assert.ok(part >= Math.min(...label_shares) - 1e-12 && part <= Math.max(...label_shares) + 1e-12)
      }
    }),
  )
})

test('the log pool is externally Bayesian: evidence may be applied before or after pooling', () => {
  const inner = (labels: number) =>
    fc.array(fc.double({ min: 0.1, max: 1, noNaN: true }), { minLength: labels, maxLength: labels })
  const scenes = fc.record({
    opinions: fc.array(
      inner(3).map((parts) => normalise(parts)),
      { minLength: 2, maxLength: 5 },
    ),
    likelihood: inner(3),
    parts: fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }),
  })
  fc.assert(
    fc.property(scenes, ({ opinions, likelihood, parts }) => {
      const weights = normalise(parts.slice(0, opinions.length))
      const learn = (shares: readonly number[]) =>
        normalise(shares.map((part, label) => part * likelihood[label]!))
      allNear(poolLog(opinions.map(learn), weights), learn(poolLog(opinions, weights)))
    }),
  )
})

test('the log pool of two sources is the weighted product, clamped if one is certain', () => {
  const product = 0.8 ** 0.25 * 0.4 ** 0.75
  const against = 0.2 ** 0.25 * 0.6 ** 0.75
  allNear(
    poolLog(
      [
        [0.8, 0.2],
        [0.4, 0.6],
      ],
      [0.25, 0.75],
    ),
    [product / (product + against), against / (product + against)],
  )
  const certain = [
    [1, 0],
    [0.5, 0.5],
  ]
  const odds = Math.sqrt((1 - 1e-4) / 1e-4)
  near(poolLog(certain, [0.5, 0.5])[0]!, odds / (1 + odds))
  assert.ok(
    poolLog(certain, [0.5, 0.5], { extremize: 2 })[0]! > poolLog(certain, [0.5, 0.5])[0]!,
    'extremizing moves it away from the middle',
  )
  const none = [
    [0, 0.5, 0.5],
    [0, 0.9, 0.1],
  ]
  assert.equal(poolLog(none, [0.5, 0.5])[0], 0, 'what all rule out stays ruled out')
})

test('medians: weighted, the midpoint on a tie, and none if each label is outvoted', () => {
  assert.equal(weightedMedian([3, 1, 2], [1, 1, 1]), 2)
  assert.equal(weightedMedian([1, 2, 3, 4], [0.25, 0.25, 0.25, 0.25]), 2.5)
  assert.equal(weightedMedian([1, 5], [0.9, 0.1]), 1)
  const outvoted = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ]
  assert.equal(poolMedian(outvoted, [1 / 3, 1 / 3, 1 / 3]), undefined)
})

test('disagreement is 0 for one voice, 1 for certain and opposite ones, and its parts sum to it', () => {
  assert.equal(disagreementOf([[0.3, 0.7]], [1]).degree, 0)
  const opposite = disagreementOf(
    [
      [1, 0],
      [0, 1],
    ],
    [0.5, 0.5],
  )
  near(opposite.degree, 1)
  allNear(opposite.parts, [0.5, 0.5])
  near(entropyOf([0.5, 0.5]), 1)
  near(divergence([1, 0], [0.25, 0.75]), 2)
  fc.assert(
    fc.property(scene, ({ opinions, weights }) => {
      const { degree, parts } = disagreementOf(opinions, weights)
      assert.ok(degree >= 0 && degree <= 1)
      if (degree > 0)
        near(
          parts.reduce((sum, part) => sum + part, 0),
          1,
        )
    }),
  )
})

const says = (more: Partial<Opinion>[]): Opinion[] =>
  more.map((opinion, place) => ({ source: `maven://claim/${place}`, ...opinion }))
const reason = (expected: string) => (error: unknown) =>
  (error as { details: { reason: string } }).details.reason === expected

test('only comparable opinions are accepted', () => {
  const twice = says([{ probability: 1 }, { probability: 0 }]).map((one) => ({ ...one, source: 'm://a' }))
  assert.throws(() => requireOneKind(twice), reason('duplicate_source'))
  assert.throws(() => requireOneKind(says([{}])), reason('one_kind_each'))
  const mixed = says([{ probability: 1 }, { distribution: { a: 1, b: 0 } }])
  assert.throws(() => requireOneKind(mixed), reason('kinds_differ'))
  const apart = says([{ distribution: { a: 0.5, b: 0.5 } }, { distribution: { a: 0.5, c: 0.5 } }])
  assert.throws(() => sharesOf(apart, 'distribution', false), reason('labels_differ'))
  assert.deepEqual(sharesOf(apart, 'distribution', true), {
    labels: ['a', 'b', 'c'],
    vectors: [
      [0.5, 0.5, 0],
      [0.5, 0, 0.5],
    ],
  })
  const short = says([{ distribution: { a: 0.5, b: 0.4 } }])
  assert.throws(() => sharesOf(short, 'distribution', false), reason('not_normalised'))
})

test('quantiles are averaged at common levels; a source entirely outside dissents', () => {
  const curves = curvesOf(
    says([
      {
        quantiles: [
          [0.1, 10],
          [0.5, 20],
          [0.9, 40],
        ],
      },
      {
        quantiles: [
          [0.1, 20],
          [0.9, 60],
        ],
      },
    ]),
  )
  const { quantiles, disagreement, dissenting } = poolCurves(curves, [0.5, 0.5], 'average')
  assert.deepEqual(quantiles, [
    [0.1, 15],
    [0.5, 30],
    [0.9, 50],
  ])
  assert.ok(disagreement > 0 && disagreement < 1)
  assert.deepEqual(dissenting, [false, false])
  const remote = curvesOf(says([{ quantiles: [[0.5, 1]] }, { quantiles: [[0.5, 9]] }]))
  assert.deepEqual(poolCurves(remote, [0.9, 0.1], 'median').dissenting, [false, true])
  const falling: [number, number][] = [
    [0.1, 2],
    [0.2, 1],
  ]
  assert.throws(() => curvesOf(says([{ quantiles: falling }])), reason('bad_quantiles'))
  const strangers = curvesOf(says([{ quantiles: [[0.1, 1]] }, { quantiles: [[0.9, 1]] }]))
  assert.throws(() => poolCurves(strangers, [0.5, 0.5], 'average'), reason('levels_differ'))
})
