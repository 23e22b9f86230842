// How much a reading is worth: wrong by what the sensor can measure, odd among its neighbours, old, or good. Pure.
import { OneOf } from '@svc/contract/schema'
import type { Static } from 'typebox'
import { noiseOf, type Sensor } from './device-descriptor.ts'
import type { Reading } from './device-report.ts'
import { findSuspects } from './sensor-filter.ts'

export const Quality = OneOf('good', 'stale', 'suspect', 'bad')
export type Quality = Static<typeof Quality>

/** The worst that can be said of it. */
export function qualityOf(sensor: Sensor, value: number, is_suspect: boolean, is_stale: boolean): Quality {
  if (!(value >= sensor.low && value <= sensor.high)) return 'bad'
  if (is_suspect) return 'suspect'
  return is_stale ? 'stale' : 'good'
}

/** The newest of some readings, oldest first, as its neighbours see it. Undefined where there is none. */
export function judgeLatest(
  sensor: Sensor,
  readings: readonly Reading[],
  is_stale: (age_ms: number) => boolean,
  now_ms: number,
): { readonly reading: Reading; readonly quality: Quality; readonly age_ms: number } | undefined {
  const reading = readings.at(-1)
  if (!reading) return undefined
  const suspects = findSuspects(
    readings.map(({ value }) => value),
    noiseOf(sensor),
  )
  // A device's clock may run ahead a little; nothing is younger than now.
  const age_ms = Math.max(0, now_ms - reading.observed_at.getTime())
  const quality = qualityOf(sensor, reading.value, suspects.at(-1) === true, is_stale(age_ms))
  return { reading, quality, age_ms }
}
