// What an action does to everybody together: losses count for more than gains, and great ones for more than their size.
import { type Effect, interest_weights, type JudgedAction } from './ethics-action.ts'

/** Concave: the last part of a loss hurts most. A whole loss weighs as much as two whole gains. */
export function felt(magnitude: number): number {
  return magnitude >= 0 ? magnitude : magnitude - magnitude * magnitude
}

export function weightOf({ interest }: Effect): number {
  return interest_weights[interest]
}

/** Prioritarian welfare; what nobody has estimated counts as nothing here, and as the worst where caution is asked. */
export function welfareOf({ effects }: Pick<JudgedAction, 'effects'>): number {
  let sum = 0
  for (const effect of effects) sum += weightOf(effect) * effect.probability * felt(effect.magnitude ?? 0)
  return sum
}

/** Standard deviation of welfare, with effects that come about each by itself. */
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

/** What a party may expect of an interest, at worst and at best. */
interface Outlook {
  low: number
  high: number
}

/** One is better where nobody is worse off in anything and somebody is better off, and it can be undone if the other can. */
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

/** With and without consent are not the same: a party's consented and unconsented lots are held apart. */
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
