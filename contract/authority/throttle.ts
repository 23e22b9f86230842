// The share of its rate a group of callers keeps: the most specific rule decides, and of equals the strictest.
import type { Throttle } from '../money/books.ts'
import { namesThatGrant } from './capability.ts'

export const factor_bps_whole = 10_000
/** Matches every call. */
export const match_all = '*'

/** Basis points of a capability's usual rate; the full rate where no rule matches. */
export function factorFor(throttles: readonly Throttle[], capability: string): number {
  if (throttles.length === 0) return factor_bps_whole
  for (const match of [...namesThatGrant(capability), match_all]) {
    let strictest: number | undefined
    for (const rule of throttles)
      if (rule.match === match) strictest = Math.min(strictest ?? factor_bps_whole, rule.factor_bps)
    if (strictest !== undefined) return strictest
  }
  return factor_bps_whole
}
