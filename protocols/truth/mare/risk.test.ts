import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cvssScore } from './cvss.ts'
import { bandOf, isAmbiguous, scoreOf, simulate, tailOf, worstMean } from './risk.ts'
import { contributionsOf } from './risk-contributions.ts'
import { Draws, normalQuantile, poissonQuantile, quantileOf } from './risk-draw.ts'
import { factorsOf, type ScoreInput } from './risk-input.ts'
import { compute } from './risk-job.ts'

type Factor = NonNullable<ScoreInput['factors']>[number]

const near = (a: number, b: number, slack: number) =>
  assert.ok(Math.abs(a - b) <= slack, `${a} is not ${b} within ${slack}`)
const run = (factors: Factor[], horizon_days: number, iterations: number) =>
  compute({
    factors: factorsOf(factors, 'a subject', horizon_days),
    iterations,
    appetite_usd: 1000,
    seed: 1,
  })
const scoreFor = (factors: Factor[], horizon_days = 365) =>
  scoreOf(worstMean(simulate(factorsOf(factors, 'a subject', horizon_days), 400).totals), 1000)

const amount = (max: number) => fc.double({ min: 0, max, noNaN: true })
const points = (max: number) =>
  fc.array(amount(max), { minLength: 3, maxLength: 3 }).map((drawn) => {
    const [low, mode, high] = drawn.toSorted((a, b) => a - b) as [number, number, number]
    return { low, mode, high }
  })
const factor = fc.record({
  id: fc.constantFrom('a', 'b', 'c'),
  frequency: fc.oneof(amount(5), points(5), fc.constantFrom(0, 63.9, 64, 200)),
  loss_usd: fc.oneof(
    amount(5000),
    points(5000),
    fc.record({ p5: fc.constant(10), p95: fc.double({ min: 10, max: 5000, noNaN: true }) }),
  ),
  controls: fc.array(fc.record({ name: fc.constant('x'), effectiveness: amount(1) }), { maxLength: 2 }),
})
const factors = fc.uniqueArray(factor, { minLength: 1, maxLength: 3, selector: ({ id }) => id })
const growth = fc.double({ min: 1, max: 4, noNaN: true })

function scaled<T extends Factor['frequency'] | Factor['loss_usd']>(quantity: T, by: number): T {
  if (typeof quantity === 'number') return (quantity * by) as T
  return Object.fromEntries(Object.entries(quantity).map(([name, value]) => [name, value * by])) as T
}

test('higher frequency or loss never lowers the risk; a control never raises it; equal input is reproducible', () => {
  fc.assert(
    fc.property(factors, growth, amount(1), (drawn, by, effectiveness) => {
      const [first, ...rest] = drawn as [Factor, ...Factor[]]
      const score = scoreFor(drawn)
      const more = (change: Partial<Factor>) => scoreFor([{ ...first, ...change }, ...rest])
      assert.ok(more({ frequency: scaled(first.frequency, by) }) >= score, 'frequency')
      assert.ok(more({ loss_usd: scaled(first.loss_usd, by) }) >= score, 'loss')
      const controls = [...(first.controls ?? []), { name: 'new', effectiveness }]
      assert.ok(more({ controls }) <= score, 'control')
      assert.ok(scoreFor(drawn, 365 * by) >= score, 'horizon')
      assert.ok(scoreFor([...drawn, { id: 'd', frequency: 1, loss_usd: 100 }]) >= score, 'a factor')
      assert.equal(scoreFor(drawn), score)
    }),
    { numRuns: 15 },
  )
})

test('a higher mode, or all three points raised, never lowers the risk', () => {
  fc.assert(
    fc.property(points(1000), amount(1), amount(500), (loss, part, up) => {
      const at = (loss_usd: Factor['loss_usd']) => scoreFor([{ id: 'a', frequency: 1, loss_usd }])
      const mode = loss.mode + part * (loss.high - loss.mode)
      assert.ok(at({ ...loss, mode }) >= at(loss) - 1e-9)
      const moved = { low: loss.low + up, mode: loss.mode + up, high: loss.high + up }
      assert.ok(at(moved) >= at(loss) - 1e-9)
    }),
    { numRuns: 15 },
  )
})

test('draws have the expected mean and quantiles', () => {
  const mean = (quantile: (u: number) => number) => {
    let sum = 0
    for (let at = 0; at < 20_000; at++) sum += quantile((at + 0.5) / 20_000)
    return sum / 20_000
  }
  near(mean(quantileOf({ kind: 'pert', low: 10, mode: 20, high: 60 })), (10 + 80 + 60) / 6, 1e-3)
  const lognormal = quantileOf({ kind: 'lognormal', p5: 10, p95: 1000 })
  near(lognormal(0.05), 10, 1e-6)
  near(lognormal(0.95), 1000, 1e-4)
  near(mean(quantileOf({ kind: 'jeffreys', hits: 3, trials: 40, scale: 1 })), 3.5 / 41, 1e-5)
  near(mean(quantileOf({ kind: 'jeffreys', hits: 0, trials: 5000, scale: 1 })), 0.5 / 5001, 1e-6)
  near(normalQuantile(0.975), 1.959_963_985, 1e-8)
  assert.equal(quantileOf({ kind: 'pert', low: 5, mode: 5, high: 5 })(0.3), 5)
})

test('event counts follow Poisson, below and above the exact rates', () => {
  for (const rate of [0.3, 7, 64, 400]) {
    let [term, passed] = [Math.exp(-rate), Math.exp(-rate)]
    for (let events = 0; events < rate; events++) {
      term *= rate / (events + 1)
      passed += term
    }
    // `passed` is now the probability of at most ceil(rate) events.
    const most = Math.ceil(rate)
    assert.ok(Math.abs(poissonQuantile(passed - 1e-6, rate) - most) <= (rate > 64 ? 1 : 0), `${rate}`)
    assert.ok(poissonQuantile(passed + 1e-6, rate) >= most)
  }
})

test('draws depend on their position only, and are uniform', () => {
  const draws = new Draws(7)
  const at = (place: number) => {
    draws.goTo(place)
    return [draws.next(), draws.next()]
  }
  assert.deepEqual(at(5), at(5))
  assert.notDeepEqual(at(5), at(6))
  let [sum, square, cross] = [0, 0, 0]
  for (let place = 0; place < 20_000; place++) {
    const [one, other] = at(place) as [number, number]
    sum += one
    square += (one - 0.5) ** 2
    cross += (one - 0.5) * (other - 0.5)
  }
  near(sum / 20_000, 0.5, 0.01)
  near(square / 20_000, 1 / 12, 0.004)
  near(cross / 20_000, 0, 0.003)
})

test('the simulated mean is the product of frequency, exposure and loss', () => {
  const { expected } = run(
    [{ id: 'a', frequency: 4, loss_usd: 100, controls: [{ name: 'half', effectiveness: 0.5 }] }],
    365,
    20_000,
  )
  near(expected, 200, 5)
  const many = run([{ id: 'a', frequency: 3000, loss_usd: { low: 0, mode: 10, high: 20 } }], 365, 2000)
  near(many.expected, 30_000, 300)
})

test('a factor that depends on another occurs only with it', () => {
  const factors: Factor[] = [
    { id: 'loss', frequency: 50, loss_usd: 1, depends_on: ['breach'] },
    { id: 'breach', frequency: 0.5, loss_usd: 0 },
  ]
  const { totals } = simulate(factorsOf(factors, 's', 365), 4000)
  near(totals.filter((total) => total > 0).length / 4000, 1 - Math.exp(-0.5), 0.03)
  const reason = (expected: string) => (error: unknown) =>
    (error as { details: { reason: string } }).details.reason === expected
  const [loss, breach] = factors as [Factor, Factor]
  const circle = [loss, { ...breach, depends_on: ['loss'] }]
  assert.throws(() => factorsOf(circle, 's', 365), reason('circular'))
  assert.throws(() => factorsOf([loss], 's', 365), reason('unknown_factor'))
  assert.throws(() => factorsOf([breach, breach], 's', 365), reason('duplicate_factor'))
  const crossed = { low: 3, mode: 2, high: 4 }
  assert.throws(() => factorsOf([{ ...breach, loss_usd: crossed }], 's', 365), reason('points_not_rising'))
})

test('the tail is the worst 5 %, and its interval contains it', () => {
  const totals = Float64Array.from({ length: 1000 }, (_, at) => (at * 7919) % 1000)
  const { var_95, cvar_95, expected, exceedance, cvar_interval } = tailOf(totals, 3)
  assert.deepEqual([expected, var_95, cvar_95], [499.5, 949, 974.5])
  assert.deepEqual(exceedance.at(-1), [998, 0.001])
  assert.ok(cvar_interval[0] < cvar_95 && cvar_95 < cvar_interval[1])
  const flat = tailOf(new Float64Array(1000).fill(5), 3)
  assert.deepEqual(flat.cvar_interval, [5, 5])
})

test('the score is 50 if the tail equals the appetite, and bands end at 25, 50 and 75', () => {
  assert.deepEqual([scoreOf(0, 10), scoreOf(10, 10), scoreOf(20, 10), scoreOf(1, 0)], [0, 50, 75, 100])
  assert.deepEqual([24.9, 25, 50, 75].map(bandOf), ['low', 'moderate', 'high', 'critical'])
  assert.ok(isAmbiguous([49, 51]) && !isAmbiguous([51, 74]) && !isAmbiguous([50, 50]))
})

test('contributions sum to one, are zero for a factor without cost, and equal for equal factors', () => {
  const losing = Float64Array.from({ length: 500 }, (_, at) => at % 17)
  const other = losing.toReversed()
  const shares = contributionsOf([losing, new Float64Array(500), losing.slice(), other], 5)
  near(
    shares.reduce((sum, share) => sum + share, 0),
    1,
    1e-12,
  )
  assert.equal(shares[1], 0)
  near(shares[0]!, shares[2]!, 0.05)
  assert.deepEqual(contributionsOf([new Float64Array(9)], 5), [0])
})

test('CVSS vectors score as published; incomplete, duplicate or other versions do not', () => {
  const base = 'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  assert.equal(cvssScore(`CVSS:3.1/${base}`), 9.8)
  assert.equal(cvssScore('CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N'), 9.3)
  for (const bad of [
    `CVSS:3.0/${base}`,
    base,
    'CVSS:3.1/AV:N',
    `CVSS:3.1/AV:L/${base}`,
    `CVSS:3.1/${base}/Z:1`,
  ])
    assert.equal(cvssScore(bad), undefined, bad)
})
