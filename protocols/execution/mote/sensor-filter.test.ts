import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { findDisagreements, findSuspects, fuseOpinions, medianOf } from './sensor-filter.ts'

const number = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const opinions = fc.array(
  fc.record({
    sensor_id: fc.uuid(),
    value: number,
    sd: fc.double({ min: 1e-3, max: 1e3, noNaN: true }),
  }),
  { minLength: 1, maxLength: 16 },
)

test('a spike among its neighbours is the only suspect value', () => {
  const readings = [20, 20.1, 19.9, 20, 35, 20.1, 20, 19.9, 20]
  assert.deepEqual(
    findSuspects(readings, 0.1).flatMap((is_suspect, at) => (is_suspect ? [at] : [])),
    [4],
  )
  assert.deepEqual(
    findSuspects([...readings.slice(0, 4), 35], 0.1).at(-1),
    true,
    'also where it is the newest',
  )
  assert.deepEqual(findSuspects([20, 90], 0.1), [false, false], 'two say nothing of each other')
  assert.deepEqual(findSuspects([20, 20, 20, 20.1, 20], 0.1), Array(5).fill(false), 'noise is not suspect')
})

test('suspects do not change when values are shifted or scaled', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 40 }), fc.integer({ min: -1000, max: 1000 }), (values, by) => {
      const whole = values.map(Math.round)
      const suspects = findSuspects(whole, 0.5)
      assert.equal(suspects.length, values.length)
      assert.deepEqual(
        findSuspects(
          whole.map((value) => value + by),
          0.5,
        ),
        suspects,
      )
      assert.deepEqual(
        findSuspects(
          whole.map((value) => value * 4),
          2,
        ),
        suspects,
      )
      assert.deepEqual(findSuspects(whole, 1e9), Array(whole.length).fill(false))
    }),
  )
})

test('the median is in the middle', () => {
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 30 }), (values) => {
      const median = medianOf(values)
      assert.ok(values.filter((value) => value < median).length <= values.length / 2)
      assert.ok(values.filter((value) => value > median).length <= values.length / 2)
    }),
  )
})

test('the fused value is between its sensors, independent of their order, and more certain than each unless they disagree', () => {
  fc.assert(
    fc.property(opinions, (sample) => {
      const { value, sd } = fuseOpinions(sample)!
      const values = sample.map((one) => one.value)
      const rounding = 1e-9 * Math.max(1, ...values.map(Math.abs))
      assert.ok(value >= Math.min(...values) - rounding && value <= Math.max(...values) + rounding)
      const strain = sample.reduce((sum, one) => sum + ((one.value - value) / one.sd) ** 2, 0)
      const agrees = strain <= sample.length - 1
      const most_certain = Math.min(...sample.map((one) => one.sd))
      if (agrees) assert.ok(sd <= most_certain * (1 + 1e-12))
      const one_tenth = fuseOpinions(sample.map((one) => ({ ...one, sd: one.sd / 10 })))!
      if (strain > sample.length)
        assert.ok(Math.abs(one_tenth.sd / sd - 1) < 1e-6, 'then their own words count no more')
      const turned = fuseOpinions(sample.toReversed())!
      assert.ok(Math.abs(turned.value - value) <= rounding && Math.abs(turned.sd - sd) <= 1e-9 * sd)
      const doubled = fuseOpinions([...sample, ...sample])!
      assert.ok(Math.abs(doubled.value - value) <= rounding, 'the same again says the same')
    }),
  )
  assert.equal(fuseOpinions([]), undefined)
  assert.deepEqual(
    fuseOpinions([
      { sensor_id: 'a', value: 0, sd: 1 },
      { sensor_id: 'b', value: 10, sd: 3 },
    ])?.value,
    1,
  )
  const apart = [0, 10].map((value, at) => ({ sensor_id: `s${at}`, value, sd: 1 }))
  assert.deepEqual(fuseOpinions(apart), { value: 5, sd: 5 })
})

test('disagreeing sensors are more than three standard deviations apart, the widest first', () => {
  fc.assert(
    fc.property(opinions, (sample) => {
      const disagreements = findDisagreements(sample)
      for (const [at, { sigmas }] of disagreements.entries())
        assert.ok(sigmas > 3 && (at === 0 || sigmas <= disagreements[at - 1]!.sigmas))
      const same = sample.map((one) => ({ ...one, value: 1 }))
      assert.deepEqual(findDisagreements(same), [])
    }),
  )
})
