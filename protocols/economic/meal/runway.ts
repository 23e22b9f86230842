// The runway level, relative to the amount after the last payment.
import type { RunwayLevel } from '@svc/contract/money/books'

const levels: readonly RunwayLevel[] = ['ample', 'low', 'critical', 'exhausted']
const low_percent = 20n
const critical_percent = 5n

export function levelOf(room_micro_usd: bigint, full_micro_usd: bigint): RunwayLevel {
  if (room_micro_usd <= 0n) return 'exhausted'
  const hundredfold = room_micro_usd * 100n
  if (hundredfold <= full_micro_usd * critical_percent) return 'critical'
  return hundredfold <= full_micro_usd * low_percent ? 'low' : 'ample'
}

/** The levels crossed since the last report, each for the first time. */
export function crossed(runway_level: RunwayLevel, now: RunwayLevel): readonly RunwayLevel[] {
  return levels.slice(levels.indexOf(runway_level) + 1, levels.indexOf(now) + 1)
}

export function worse(a: RunwayLevel, b: RunwayLevel): RunwayLevel {
  return levels.indexOf(a) >= levels.indexOf(b) ? a : b
}
