import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LiveFigures } from '../../../../generated/sdk-types.ts'
import {
  bytesText,
  callSeries,
  durationText,
  keepNewest,
  kept_max,
  refusalBars,
  rounded,
} from './stored-figures.ts'

const figures = (instance: string, success: number) =>
  ({
    engine: { instance },
    second: { calls: success, by_outcome: { success, refused: 0, error: 0 }, by_code: {} },
  }) as unknown as LiveFigures

test('the number of stored figures is bounded, and another process starts a new series', () => {
  let live_figures: readonly LiveFigures[] = []
  for (let i = 0; i < kept_max + 10; i++) live_figures = keepNewest(live_figures, figures('a', i))
  assert.equal(live_figures.length, kept_max)
  assert.equal(callSeries(live_figures)[0]?.values.at(-1), kept_max + 9)
  assert.equal(keepNewest(live_figures, figures('b', 1)).length, 1)
})

test('refusals are sorted by frequency', () => {
  const bars = refusalBars({ ok: 90, rate_limited: 2, capability_denied: 5, timeout: 2 })
  assert.deepEqual(
    bars.map(({ name }) => name),
    ['capability_denied', 'rate_limited', 'timeout'],
  )
})

test('sizes and durations in common units', () => {
  assert.deepEqual([1.0721428, 0, 0.0240625, 246.25].map(rounded), [1.07, 0, 0.0241, 246])
  assert.deepEqual([0, 1023, 1024, 1536, 1024 ** 3].map(bytesText), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 KiB',
    '1.0 GiB',
  ])
  assert.deepEqual([5, 65, 3700, 90_000].map(durationText), ['5 s', '1 min', '1 h 1 min', '1 d 1 h'])
})
