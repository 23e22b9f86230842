// Shapley values: each factor's mean contribution to the worst 5 %, over orders of the factors.
import { worstMean } from './risk.ts'
import { mixWord } from './risk-draw.ts'

const orders_max = 24
/** Total periods examined; with many factors fewer orders are tried. */
const work_max = 6_000_000

/** Shares that sum to one; all zero if there is no loss. */
export function contributionsOf(parts: readonly Float64Array[], seed: number): number[] {
  const [factors, periods] = [parts.length, parts[0]!.length]
  const pairs = Math.min(orders_max / 2, Math.max(1, Math.floor(work_max / (2 * factors * periods))))
  const shares = new Float64Array(factors)
  for (let round = 0; round < pairs; round++) {
    const order = shuffled(factors, mixWord(seed ^ Math.imul(round + 1, 0x9e3779b9)))
    // Each order and its reverse (antithetic sampling).
    for (const turn of [order, order.toReversed()]) addInOrder(parts, turn, shares)
  }
  const whole = shares.reduce((sum, share) => sum + share, 0)
  return Array.from(shares, (share) => (whole > 0 ? share / whole : 0))
}

function addInOrder(parts: readonly Float64Array[], order: readonly number[], shares: Float64Array): void {
  const together = new Float64Array(parts[0]!.length)
  let before = 0
  for (const factor of order) {
    const part = parts[factor]!
    for (let at = 0; at < together.length; at++) together[at]! += part[at]!
    const now = worstMean(together)
    shares[factor]! += now - before
    before = now
  }
}

function shuffled(count: number, seed: number): number[] {
  const order = Array.from({ length: count }, (_, at) => at)
  let state = seed
  for (let last = count - 1; last > 0; last--) {
    state = mixWord(state + 0x9e3779b9)
    const other = (state >>> 0) % (last + 1)
    ;[order[last], order[other]] = [order[other]!, order[last]!]
  }
  return order
}
