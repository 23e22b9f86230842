// What was measured in one short while, on its way from the process that saw it to the table that keeps it.
import { type RefusalCode, refusals } from '../refusal.ts'

/** The finest that is kept: all that is measured of a series within it becomes one point. */
export const point_ms = 10_000

export type MetricKind = 'counter' | 'gauge' | 'histogram'
export type MetricLabels = Readonly<Record<string, string>>

export interface MeasuredPoint {
  /** Whose series it is; what is measured of the engine itself is its operator's. */
  readonly tenant_id: string
  readonly name: string
  readonly labels: MetricLabels
  readonly kind: MetricKind
  /** Emitted by the tenant; then a counter's `last` is a running total, and what it grew by is for the table to say. */
  readonly own: boolean
  /** Upper bounds of a histogram's buckets, without the last, which has none. */
  readonly bounds?: readonly number[] | undefined
  /** Any moment within the point. */
  readonly at_ms: number
  /** What an engine's counter grew by; the sum of what a gauge showed, or of what a histogram was given. */
  readonly value: number
  /** How often that was. */
  readonly count: number
  readonly max: number | null
  readonly last: number
  /** How many fell into each bucket alone; one more than there are bounds. */
  readonly buckets?: readonly number[] | undefined
}

/** The engine as it sees itself: what an operation about its state may ask. */
export interface EngineHealth {
  /** What this engine was told of this tenant is in the tables, as far as they can be reached. */
  settled(tenant_id: string): Promise<void>
  state(): EngineState
}

export interface EngineState {
  readonly in_flight: number
  readonly audit: { readonly state: string; readonly pending_bytes: number }
}

/** A refusal by rule is the service as promised; what failed, ran out of time or was not there to answer is not. */
export function isKept(code: string): boolean {
  return code === 'ok' || (code in refusals && refusals[code as RefusalCode].status < 500)
}

/** What a counter has grown by. One that shows less than before began again from nothing, as Prometheus takes it. */
export function grownBy(before: number | undefined, now: number): number {
  return before === undefined || now < before ? now : now - before
}

/** The place of a value among the buckets: the first whose bound it does not pass. */
export function bucketOfValue(value: number, bounds: readonly number[]): number {
  const place = bounds.findIndex((bound) => value <= bound)
  return place < 0 ? bounds.length : place
}
