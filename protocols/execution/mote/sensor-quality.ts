// The quality of a reading: bad (out of range), suspect (outlier), stale, or good. Pure.
import { OneOf } from '@svc/contract/schema'
import type { Static } from 'typebox'
import { noiseOf, type Sensor } from './device-descriptor.ts'
import type { Reading } from './device-report.ts'
import { findSuspects } from './sensor-filter.ts'

export const Quality = OneOf('good', 'stale', 'suspect', 'bad')
export type Quality = Static<typeof Quality>

/** The worst quality that applies. */
export function qualityOf(sensor: Sensor, value: number, is_suspect: boolean, is_stale: boolean): Quality {
  if (!(value >= sensor.low && value <= sensor.high)) return 'bad'
  if (is_suspect) return 'suspect'
  return is_stale ? 'stale' : 'good'
}

/** Judges the newest of some readings, given oldest first. Undefined if there are none. */
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
  // A device's clock may run slightly ahead, so an age is never negative.
  const age_ms = Math.max(0, now_ms - reading.observed_at.getTime())
  const quality = qualityOf(sensor, reading.value, suspects.at(-1) === true, is_stale(age_ms))
  return { reading, quality, age_ms }
}
