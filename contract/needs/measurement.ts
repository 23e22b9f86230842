// Measurements of a short interval, on their way from a process to the table that stores them.
import { type RefusalCode, refusals } from '../refusal.ts'

/** The finest resolution: all measurements of a series within it become one point. */
export const point_ms = 10_000

export type MetricKind = 'counter' | 'gauge' | 'histogram'
export type MetricLabels = Readonly<Record<string, string>>

export interface MeasuredPoint {
  /** The tenant of the series; measurements of the engine belong to its operator. */
  readonly tenant_id: string
  readonly name: string
  readonly labels: MetricLabels
  readonly kind: MetricKind
  /** Emitted by the tenant; then a counter's `last` is a running total, and the table computes the increase. */
  readonly own: boolean
  /** Upper bounds of a histogram's buckets, without the last, which has none. */
  readonly bounds?: readonly number[] | undefined
  /** Any time within the point. */
  readonly at_ms: number
  /** The increase of an engine's counter; the sum of a gauge's values, or of a histogram's observations. */
  readonly value: number
  /** Number of observations. */
  readonly count: number
  /** Null where single values are not known. */
  readonly min: number | null
  readonly max: number | null
  readonly last: number
  /** Count of each bucket alone; one more than there are bounds. */
  readonly buckets?: readonly number[] | undefined
}

/** The engine's own state, for operations that report it. */
export interface EngineHealth {
  /** Writes what this engine measured of this tenant to the tables, as far as they are reachable. */
  settled(tenant_id: string): Promise<void>
  state(): EngineState
}

export interface EngineState {
  readonly in_flight: number
  readonly audit: { readonly state: string; readonly pending_bytes: number }
}

/** A refusal by rule is service as promised; failures, timeouts and unavailability are not. */
export function isKept(code: string): boolean {
  return code === 'ok' || (code in refusals && refusals[code as RefusalCode].status < 500)
}

/** The increase of a counter. A lower value means a restart from zero, as in Prometheus. */
export function grownBy(before: number | undefined, now: number): number {
  return before === undefined || now < before ? now : now - before
}

/** The bucket of a value: the first whose bound it does not exceed. */
export function bucketOfValue(value: number, bounds: readonly number[]): number {
  let place = 0
  while (place < bounds.length && value > bounds[place]!) place++
  return place
}
