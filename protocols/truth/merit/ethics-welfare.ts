// Total welfare of an action: losses weigh more than gains, and large losses more than proportionally.
import { type Effect, interest_weights, type JudgedAction } from './ethics-action.ts'

/** Concave: the last part of a loss hurts most. A full loss weighs as much as two full gains. */
export function felt(magnitude: number): number {
  return magnitude >= 0 ? magnitude : magnitude - magnitude * magnitude
}

export function weightOf({ interest }: Effect): number {
  return interest_weights[interest]
}

/** Prioritarian welfare; an unestimated effect counts as zero here, and as the worst case under caution. */
export function welfareOf({ effects }: Pick<JudgedAction, 'effects'>): number {
  let sum = 0
  for (const effect of effects) sum += weightOf(effect) * effect.probability * felt(effect.magnitude ?? 0)
  return sum
}

/** Standard deviation of welfare, with independent effects. */
export function spreadOf({ effects }: Pick<JudgedAction, 'effects'>): number {
  let variance = 0
  for (const effect of effects) {
    const { magnitude, probability } = effect
    const size = weightOf(effect) * (magnitude === undefined ? 1 : felt(magnitude))
    const chance = magnitude === undefined ? probability : probability * (1 - probability)
    variance += chance * size * size
  }
  return Math.sqrt(variance)
}

/** A party's expectation for an interest, at worst and at best. */
interface Outlook {
  low: number
  high: number
}

/** Better if nobody is worse off in anything, somebody is better off, and it is undoable if the other is. */
export function dominates(better: JudgedAction, worse: JudgedAction): boolean {
  if (worse.reversible && !better.reversible) return false
  const [gains, losses] = [outlooksOf(better), outlooksOf(worse)]
  const nothing = { low: 0, high: 0 }
  let is_strict = better.reversible && !worse.reversible
  for (const key of new Set([...gains.keys(), ...losses.keys()])) {
    const [one, other] = [gains.get(key) ?? nothing, losses.get(key) ?? nothing]
    if (one.low < other.high) return false
    if (one.low > other.high) is_strict = true
  }
  return is_strict
}

/** Effects with and without a party's consent are kept separate. */
function outlooksOf({ effects }: JudgedAction): Map<string, Outlook> {
  const outlooks = new Map<string, Outlook>()
  for (const { party, interest, magnitude, probability, consent } of effects) {
    const is_harm = (magnitude ?? -1) < 0
    const key = JSON.stringify([party, interest, is_harm && consent !== 'yes'])
    const outlook = outlooks.get(key) ?? { low: 0, high: 0 }
    outlook.low += probability * (magnitude ?? -1)
    outlook.high += probability * (magnitude ?? 1)
    outlooks.set(key, outlook)
  }
  return outlooks
}
