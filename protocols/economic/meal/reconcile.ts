// Reconciliation: what must agree, and the name of each difference. No I/O.
import { microUsdOf } from '@svc/contract/money/money'

export const drift_kinds = [
  'missing_meter',
  'orphan_meter',
  'charge_mismatch',
  'duplicate',
  'journal_mismatch',
  'balance_cache',
] as const
export type DriftKind = (typeof drift_kinds)[number]

export interface Drift {
  readonly kind: DriftKind
  readonly ref: string
  readonly expected: string
  readonly actual: string
  /** The amount by which it is off; 0 if no money is involved. */
  readonly off_quanta: bigint
}

export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** Usage and its bookings, in one consistent read. */
export interface Position {
  /** Of all events. */
  readonly events_quanta: bigint
  /** As counted when each was metered. */
  readonly spent_quanta: bigint
  readonly rolled_quanta: bigint
  /** Of all roll-up journals. */
  readonly journals_quanta: bigint
}

function carryOf({ spent_quanta, rolled_quanta }: Position): bigint {
  return spent_quanta - rolled_quanta
}

/**
 * Events equal journals plus carry. Differences of single events are reported per event, so only the
 * unexplained rest is attributed to the journals.
 */
export function judgePosition(position: Position, usage_drift: readonly Drift[]): readonly Drift[] {
  const explained = usage_drift.reduce((sum, { off_quanta }) => sum + off_quanta, 0n)
  const drift: Drift[] = []
  const uncounted = position.events_quanta - explained - position.spent_quanta
  if (uncounted !== 0n)
    drift.push({
      kind: 'journal_mismatch',
      ref: 'meal://carry',
      expected: String(position.events_quanta - explained - position.rolled_quanta),
      actual: String(carryOf(position)),
      off_quanta: -uncounted,
    })
  const unbooked = position.journals_quanta - position.rolled_quanta
  if (unbooked !== 0n)
    drift.push({
      kind: 'journal_mismatch',
      ref: 'meal://roll-up',
      expected: String(position.rolled_quanta),
      actual: String(position.journals_quanta),
      off_quanta: unbooked,
    })
  return drift
}

export function isPositionSound(position: Position): boolean {
  return position.events_quanta === position.journals_quanta + carryOf(position)
}

/** The sum of absolute differences: two that cancel out still count. */
export function driftMicroUsd(drift: readonly Drift[]): bigint {
  return microUsdOf(drift.reduce((sum, { off_quanta: off }) => sum + (off < 0n ? -off : off), 0n))
}
