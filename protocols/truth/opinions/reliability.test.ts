import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { emptyTally, excessLosses, judgeSources, massAt, type Tally, wilson } from './reliability.ts'

const tally = (source: string, n: number, excess: number, manual: number | null = null): Tally => ({
  source,
  n,
  n_compared: n,
  n_effective: n,
  loss_sum: n * (0.25 + excess),
  excess_sum: n * excess,
  difference_sum: n * Math.abs(excess),
  manual_weight: manual,
})

test('a lower loss than others gives more weight and a better rank, and no source gets zero', () => {
  const [good, bad, new_one] = judgeSources([
    tally('good', 20, -0.1),
    tally('bad', 20, 0.1),
    emptyTally('new'),
  ])
  assert.ok(good!.weight > new_one!.weight && new_one!.weight > bad!.weight)
  assert.deepEqual([good!.rank, new_one!.rank, bad!.rank], [1, 2, 3])
  const [, hopeless] = judgeSources([tally('good', 500, -0.2), tally('bad', 500, 0.5)])
  assert.ok(Math.abs(hopeless!.weight - 0.01) < 1e-9)
  assert.deepEqual(new_one!.interval95, [0, 1])
  assert.ok(good!.interval95[0]! < 0.15 && good!.interval95[1]! > 0.15)
})

test('few outcomes change a weight less than many of the same kind', () => {
  const shareAfter = (n: number) => judgeSources([tally('a', n, -0.1), tally('b', n, 0.1)])[0]!.weight
  assert.ok(shareAfter(1) < shareAfter(10) && shareAfter(10) < shareAfter(100))
  assert.equal(shareAfter(0), 0.5)
})

test('a thousand questions on which nobody differs change no weight, neither alone nor after a lucky one', () => {
  const easy = { ...tally('a', 1000, 0), loss_sum: 0 }
  assert.deepEqual(
    judgeSources([easy, emptyTally('b')]).map(({ weight }) => weight),
    [0.5, 0.5],
  )
  const lucky = tally('a', 1, -0.5)
  const padded = { ...lucky, n: 1001, n_compared: 1001, n_effective: 1001 }
  const weightOf = (one: Tally) => judgeSources([one, emptyTally('b')])[0]!.weight
  assert.equal(weightOf(padded), weightOf(lucky))
})

test('a loss is compared with the median of the other roots, of which each has one voice', () => {
  const scored = (losses: Record<string, number[]>) =>
    Object.entries(losses).flatMap(([root, each]) => each.map((loss) => ({ root, loss })))
  const near = (excesses: (number | undefined)[], expected: (number | undefined)[]) => {
    assert.equal(excesses.length, expected.length)
    for (const [place, one] of expected.entries())
      assert.ok(
        one === undefined ? excesses[place] === one : Math.abs(excesses[place]! - one) < 1e-12,
        `${excesses}`,
      )
  }
  near(excessLosses(scored({ a: [0.2] })), [undefined])
  near(excessLosses(scored({ a: [0.2, 0.9] })), [undefined, undefined])
  near(excessLosses(scored({ a: [0.01], b: [0.01], c: [0.01] })), [0, 0, 0])
  near(excessLosses(scored({ a: [0.1], b: [0.4], c: [0.9] })), [-0.55, -0.1, 0.65])
  // A hundred children who are wrong on purpose are one voice.
  near(excessLosses(scored({ a: [0.1], b: [0.2], c: Array.from({ length: 100 }, () => 1) })).slice(0, 2), [
    0.1 - 0.6,
    0.2 - 0.55,
  ])
})

test('losses compared with the others of a question are those that an exhaustive search finds', () => {
  const forecasts = fc.array(
    fc.record({
      root: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      loss: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(forecasts, (scored) => {
      for (const [place, excess] of excessLosses(scored).entries()) {
        const { root, loss } = scored[place]!
        const others = [...new Set(scored.map((one) => one.root))].filter((one) => one !== root)
        const voices = others
          .map((one) => scored.filter((each) => each.root === one).map((each) => each.loss))
          .map((losses) => losses.reduce((sum, each) => sum + each, 0) / losses.length)
          .sort((x, y) => x - y)
        const [low, high] = [voices[(voices.length - 1) >> 1], voices[voices.length >> 1]]
        if (low === undefined) assert.equal(excess, undefined)
        else assert.ok(Math.abs(excess! - (loss - (low + high!) / 2)) < 1e-12)
      }
    }),
  )
})

test('a weight set by the organization applies, and only there', () => {
  const [a, b] = judgeSources([tally('a', 50, -0.1, 0.2), tally('b', 50, 0.1)])
  const learned = judgeSources([tally('a', 50, -0.1), tally('b', 50, 0.1)])
  assert.deepEqual([a!.weight, a!.is_manual, b!.is_manual], [0.2, true, false])
  assert.equal(b!.weight, learned[1]!.weight)
})

test('weights are positive, sum to one, and do not depend on order', () => {
  const tallies = fc.uniqueArray(
    fc.record({
      source: fc.string({ minLength: 1, maxLength: 8 }),
      n: fc.integer({ min: 0, max: 1000 }),
      excess: fc.double({ min: -1, max: 1, noNaN: true }),
    }),
    { minLength: 1, maxLength: 150, selector: ({ source }) => source },
  )
  fc.assert(
    fc.property(tallies, (drawn) => {
      const judged = judgeSources(drawn.map(({ source, n, excess }) => tally(source, n, excess)))
      const back = judgeSources(drawn.toReversed().map(({ source, n, excess }) => tally(source, n, excess)))
      const whole = judged.reduce((sum, { weight }) => sum + weight, 0)
      assert.ok(Math.abs(whole - 1) < 1e-9)
      for (const [place, { weight }] of judged.entries()) {
        assert.ok(weight > 0 && weight <= 1)
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
