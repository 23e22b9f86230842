// What one engine admits by itself while Redis is away: its share of what PostgreSQL says is left.
import { wholeOf } from './own-counter.ts'
import type { SharedCounter } from './shared-counter.ts'
import type { Truth } from './truth.ts'

/** All engines divide the same remainder; each counts its own spending and reservations since then against its part. */
export function shareLeft(counter: SharedCounter, truth: Truth, limit: bigint, replicas: number): bigint {
  const { counts, exact, reserved } = counter
  const rest = limit - wholeOf(counts, truth.spent)
  const share = rest > 0n ? rest / BigInt(Math.max(1, replicas)) : rest
  return share - wholeOf(counts, exact - truth.own) - reserved
}
