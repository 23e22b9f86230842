import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bestCuts, changepointsIn, complementaryError } from './metric-changepoint.ts'
import { bridgeGaps, compute } from './metric-detect-job.ts'
import { exclusionOf, matrixProfile, topMotif } from './metric-profile.ts'
import { medianOf, periodOf, runningMedian } from './metric-season.ts'

const few = { numRuns: 60 }

/** Reproducible noise: a linear congruential generator, roughly normal by adding four values. */
function noise(length: number, seed = 1): Float64Array {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return Float64Array.from({ length }, () => next() + next() + next() + next() - 2)
}

const point = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -20, max: 20 }) },
  { weight: 2, arbitrary: fc.integer({ min: -1e6, max: 1e6 }).map((whole) => whole / 997) },
)
const gappy = fc.oneof({ weight: 9, arbitrary: point }, { weight: 1, arbitrary: fc.constant(NaN) })

/** By definition: z-normalise both windows and compute the distance, for all pairs. */
function profileByDefinition(values: Float64Array, window: number): number[] {
  const shape = (from: number) => {
    const part = [...values.subarray(from, from + window)]
    const mean = part.reduce((sum, value) => sum + value, 0) / window
    const deviation = Math.sqrt(part.reduce((sum, value) => sum + (value - mean) ** 2, 0) / window)
    if (deviation <= 1e-10 * Math.abs(mean)) return undefined
    return part.map((value) => (value - mean) / deviation)
  }
  const between = (a: number, b: number) => {
    const [one, other] = [shape(a), shape(b)]
    if (!one || !other) return one === other ? 0 : Math.sqrt(window)
    return Math.sqrt(one.reduce((sum, value, i) => sum + (value - other[i]!) ** 2, 0))
  }
  const isWhole = (from: number) => !values.subarray(from, from + window).some(Number.isNaN)
  return Array.from({ length: Math.max(0, values.length - window + 1) }, (_, a) => {
    let least = NaN
    for (let b = 0; b + window <= values.length; b++) {
      if (Math.abs(a - b) < exclusionOf(window) || !isWhole(a) || !isWhole(b)) continue
      const distance = between(a, b)
      if (!(distance >= least)) least = distance
    }
    return least
  })
}

test('the matrix profile matches its definition, also with flat windows and gaps', () => {
  const series = fc.oneof(
    fc.array(gappy, { minLength: 4, maxLength: 60 }),
    fc.array(fc.constantFrom(0, 1, 5), { minLength: 4, maxLength: 60 }),
  )
  fc.assert(
    fc.property(series, fc.integer({ min: 3, max: 12 }), (points, window) => {
      const values = Float64Array.from(points)
      const { distances, nearest } = matrixProfile(values, window)
      profileByDefinition(values, window).forEach((expected, i) => {
        // Near 0, the square root turns a rounding error of 1e-15 in the correlation into 1e-7.
        if (Number.isNaN(expected)) assert.ok(Number.isNaN(distances[i]!) && nearest[i] === -1)
        else assert.ok(Math.abs(distances[i]! - expected) < 1e-4, `${i}: ${distances[i]} is not ${expected}`)
      })
    }),
    few,
  )
})

test('scale and level do not change the profile', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 20, maxLength: 50 }),
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: -1e6, max: 1e6 }),
      (points, scale, level) => {
        const values = Float64Array.from(points)
        const { distances } = matrixProfile(values, 5)
        const moved = matrixProfile(
          values.map((value) => value * scale + level),
          5,
        )
        for (const [i, distance] of distances.entries())
          assert.ok(!(Math.abs(distance - moved.distances[i]!) > 1e-4))
      },
    ),
    few,
  )
})

test('the top motif is the shape planted twice, at any size', () => {
  const values = noise(600)
  const shape = Float64Array.from({ length: 40 }, (_, i) => 4 * Math.sin(i / 3) + i / 8)
  values.set(shape, 100)
  values.set(
    shape.map((value) => 3 * value + 50),
    400,
  )
  const motif = topMotif(matrixProfile(values, 40), values, 40)!
  assert.ok(motif.distance < 1e-5)
  assert.deepEqual([motif.b - motif.a, Math.abs(motif.a - 100) <= 1], [300, true])
})

test('two flat windows are not a motif', () => {
  const values = Float64Array.from({ length: 100 }, () => 7)
  assert.equal(topMotif(matrixProfile(values, 8), values, 8), undefined)
  assert.deepEqual(
    [...matrixProfile(values, 8).distances].filter((distance) => distance !== 0),
    [],
  )
  assert.equal(matrixProfile(new Float64Array(3), 8).distances.length, 0)
})

/** Optimal partitioning without pruning: every end, every start. */
function cutsByDefinition(values: number[], penalty: number, length_min: number): number {
  const least = [-penalty]
  const errorOf = (from: number, until: number) => {
    const part = values.slice(from, until)
    const mean = part.reduce((sum, value) => sum + value, 0) / part.length
    return part.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  }
  for (let end = 1; end <= values.length; end++) {
    least[end] = Number.POSITIVE_INFINITY
    for (let start = 0; start <= end - length_min; start++)
      least[end] = Math.min(least[end]!, least[start]! + errorOf(start, end) + penalty)
  }
  return least[values.length]!
}

test('PELT finds the same cuts as exhaustive search', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 4, maxLength: 40 }),
      fc.double({ min: 0.5, max: 200, noNaN: true }),
      fc.integer({ min: 1, max: 5 }),
      (points, penalty, length_min) => {
        fc.pre(points.length >= 2 * length_min)
        const cuts = [0, ...bestCuts(Float64Array.from(points), penalty, length_min), points.length]
        const lengths = cuts.slice(1).map((cut, i) => cut - cuts[i]!)
        assert.ok(lengths.every((length) => length >= length_min))
        const total = cutsByDefinition(points, penalty, length_min)
        const parts = lengths.map((length, i) => {
          const part = points.slice(cuts[i], cuts[i]! + length)
          const mean = part.reduce((sum, value) => sum + value, 0) / length
          return part.reduce((sum, value) => sum + (value - mean) ** 2, 0)
        })
        const cost = parts.reduce((sum, error) => sum + error, 0) + penalty * (parts.length - 1)
        assert.ok(Math.abs(cost - total) < 1e-6 * (1 + Math.abs(total)), `${cost} is not ${total}`)
      },
    ),
    { numRuns: 150 },
  )
})

test('a changed mean is found at its position, with both values', () => {
  const values = noise(400, 3).map((value, i) => value + (i >= 150 ? 5 : 0) + (i >= 300 ? -8 : 0) + 100)
  values[20] = NaN
  const changes = changepointsIn(values, 4)
  assert.deepEqual(
    changes.map(({ at }) => Math.abs(at - (at < 200 ? 150 : 300)) <= 1),
    [true, true],
  )
  assert.ok(Math.abs(changes[0]!.before - 100) < 0.2 && Math.abs(changes[0]!.after - 105) < 0.2)
  assert.ok(changes.every(({ p }) => p >= 0 && p < 1e-6))
  assert.deepEqual(changepointsIn(noise(400, 5), 4), [])
  assert.deepEqual(changepointsIn(new Float64Array(50), 4), [])
  assert.deepEqual(changepointsIn(new Float64Array(50).fill(NaN), 4), [])
})

test('the complementary error function matches the tables', () => {
  for (const [z, expected] of [
    [0, 1],
    [0.5, 0.4795001222],
    [1, 0.1572992071],
    [2, 0.004677735],
    [4, 1.54172579e-8],
  ] as const)
    assert.ok(Math.abs(complementaryError(z) / expected - 1) < 2e-7, String(z))
})

test('a period is found in noise, with a slope and gaps, and not where there is none', () => {
  for (const period of [7, 24, 100]) {
    const values = noise(6 * period + 11, period).map(
      (value, i) => value / 2 + 3 * Math.sin((2 * Math.PI * i) / period) + i / 50,
    )
    for (let i = 0; i < values.length; i += 13) values[i] = NaN
    const detected = periodOf(values)!
    assert.ok(Math.abs(detected - period) <= Math.max(1, period * 0.03), `${detected} is not ${period}`)
  }
  assert.equal(periodOf(noise(500, 9)), undefined)
  assert.equal(periodOf(new Float64Array(40).fill(3)), undefined)
  assert.equal(periodOf(Float64Array.from({ length: 300 }, (_, i) => i)), undefined)
  assert.equal(periodOf(new Float64Array(0)), undefined)
})

const detect = (values: Float64Array) =>
  compute({
    values,
    window: Math.max(8, Math.floor(values.length / 20)),
    kinds: ['anomaly', 'changepoint', 'season'],
  })
const series = (length: number, at: (i: number) => number) => Float64Array.from({ length }, (_, i) => at(i))

/** Each value is a share of the one before, and a step: with 1 a random walk. */
function remembered(memory: number, steps: Float64Array): Float64Array {
  const values = steps.slice()
  for (let i = 1; i < values.length; i++) values[i]! += memory * values[i - 1]!
  return values
}

test('an anomaly is relative to season and level, so a regular peak is none', () => {
  const values = noise(480, 2).map((value, i) => value / 4 + (i % 48 < 6 ? 30 : 0) + (i > 200 ? 4 : 0))
  values[243] = 25
  values[100] = NaN
  const { anomalies } = detect(values)
  assert.equal(anomalies[0]!.at, 243)
  assert.ok(Math.abs(anomalies[0]!.expected - 34) < 3, String(anomalies[0]!.expected))
  assert.ok(
    anomalies.every(({ at }) => at === 243 || Math.abs(at - 201) < 30),
    JSON.stringify(anomalies),
  )
})

test('if nearly all points are equal, the different one is an anomaly', () => {
  const values = new Float64Array(200).fill(5)
  assert.deepEqual(detect(values).anomalies, [])
  values[70] = 6
  assert.deepEqual(
    detect(values).anomalies.map(({ at, expected }) => [at, expected]),
    [[70, 5]],
  )
  assert.deepEqual(detect(new Float64Array(9).fill(NaN)).anomalies, [])
})

test('one spike in a sine is one anomaly and no change, also between whole periods and in noise', () => {
  const spikes = [
    [24, 120, 0],
    [24, 500, 0],
    [2.5 * 2 * Math.PI, 300, 0],
    [10 * 2 * Math.PI, 400, 0],
    [30, 400, 0.3],
  ] as const
  for (const [period, length, noise_size] of spikes) {
    const off = noise(length, 7)
    const values = series(length, (i) => 3 * Math.sin((2 * Math.PI * i) / period) + noise_size * off[i]!)
    values[(length >> 1) + 3]! += 30
    const detected = detect(values)
    const text = `${period} of ${length}: ${JSON.stringify(detected)}`
    assert.deepEqual([detected.anomalies.map(({ at }) => at), detected.changepoints], [[(length >> 1) + 3], []], text) // biome-ignore format: one thought
    assert.ok(Math.abs(detected.period! - period) < period * 0.02, text)
  }
})

test('a spike near either end is one anomaly, in noise, in a sine and in a walk', () => {
  const length = 480
  const off = noise(length, 11)
  const walk = remembered(1, noise(length, 5))
  const shapes: [string, (i: number) => number, number][] = [
    ['noise', (i) => off[i]!, 10],
    ['sine', (i) => 3 * Math.sin((2 * Math.PI * i) / 24), 30],
    ['sine in noise', (i) => 3 * Math.sin((2 * Math.PI * i) / 24) + off[i]! / 4, 30],
    ['walk', (i) => walk[i]!, 60],
  ]
  for (const [name, at, size] of shapes)
    for (const place of [0, 1, 3, 7, length - 8, length - 4, length - 2, length - 1]) {
      const { anomalies } = detect(series(length, (i) => at(i) + (i === place ? size : 0)))
      assert.deepEqual(
        anomalies.map((anomaly) => anomaly.at),
        [place],
        `${name} at ${place}`,
      )
    }
})

test('the ends of a random walk are no anomalies', () => {
  const places: number[] = []
  for (let seed = 1; seed <= 60; seed++)
    places.push(...detect(remembered(1, noise(600, seed * 7_919))).anomalies.map(({ at }) => at))
  assert.deepEqual(
    places.filter((at) => at < 15 || at >= 585),
    [],
  )
  assert.ok(places.length <= 1, `${places.length} anomalies in 60 walks`)
})

test('a step has one change and no season, with or without noise', () => {
  for (const size of [0, 1])
    for (const length of [120, 400, 1000]) {
      const off = noise(length, length)
      const { changepoints, period, anomalies } = detect(series(length, (i) => (i < length / 2 ? 0 : 5) + size * off[i]!)) // biome-ignore format: one thought
      assert.deepEqual([period, anomalies, changepoints.length], [undefined, [], 1], `${size} ${length}`)
      assert.ok(Math.abs(changepoints[0]!.at - length / 2) <= 1)
    }
})

test('what only follows its neighbours has neither season nor changes: walks, memory, slopes, slow curves', () => {
  let [seasons, changes, runs] = [0, 0, 0]
  for (const memory of [0, 0.5, 0.9, 1])
    for (let seed = 1; seed <= 15; seed++) {
      const detected = detect(remembered(memory, noise(300, seed * 7_919)))
      seasons += detected.period === undefined ? 0 : 1
      changes += detected.changepoints.length
      runs++
    }
  assert.deepEqual([runs, seasons], [60, 0])
  // A short walk whose steps happen to cancel cannot be told from noise.
  assert.ok(changes <= 2, `${changes} changes in ${runs} series`)
  const off = noise(300, 3)
  assert.deepEqual(detect(series(300, (i) => i / 10 + off[i]!)).changepoints, [])
  assert.deepEqual(detect(series(120, (i) => Math.sin(i / 10))).changepoints, [])
})

test('a change is found through a season and through memory', () => {
  for (const seed of [1, 2, 3]) {
    const off = noise(400, seed)
    const seasonal = detect(
      series(400, (i) => 3 * Math.sin((2 * Math.PI * i) / 24) + (i < 200 ? 0 : 6) + off[i]!),
    )
    assert.deepEqual([seasonal.changepoints.length, Math.round(seasonal.period!)], [1, 24])
    const stepped = remembered(0.5, off).map((value, i) => value + (i < 200 ? 0 : 6))
    const { changepoints } = detect(stepped)
    assert.deepEqual(
      changepoints.map(({ at, p }) => Math.abs(at - 200) <= 2 && p < 0.01),
      [true],
    )
  }
})

test('a running median is the median of the surrounding points', () => {
  fc.assert(
    fc.property(fc.array(gappy, { maxLength: 40 }), fc.integer({ min: 1, max: 50 }), (points, width) => {
      const values = Float64Array.from(points)
      const size = Math.min(width, values.length)
      runningMedian(values, width).forEach((median, i) => {
        const start = Math.min(Math.max(0, i - (size >> 1)), values.length - size)
        const around = values.subarray(start, start + size).filter((value) => !Number.isNaN(value))
        assert.equal(median, medianOf(around))
      })
    }),
    few,
  )
})

test('only requested detections run, and short gaps are interpolated', () => {
  const values = noise(100)
  assert.deepEqual(compute({ values, window: 8, kinds: ['season'] }), {
    motif: undefined,
    discord: undefined,
    anomalies: [],
    changepoints: [],
    period: undefined,
  })
  assert.ok(compute({ values, window: 8, kinds: ['motif'] }).motif)
  assert.deepEqual([...bridgeGaps(Float64Array.of(NaN, 1, NaN, NaN, 4, NaN, NaN, NaN, 8))], [NaN, 1, 2, 3, 4, NaN, NaN, NaN, 8]) // biome-ignore format: kept on one line
})
