// Each principle's score of an action, from -1 (against) to 1 (for), with reasons. None decides alone.
import { type Effect, type JudgedAction, type PrincipleId, principle_ids } from './ethics-action.ts'
import { felt, spreadOf, weightOf } from './ethics-welfare.ts'

export interface PrincipleScore {
  readonly id: PrincipleId
  readonly score: number
  readonly reasons: readonly string[]
}

export interface WeighedPrinciple {
  readonly id: PrincipleId
  readonly weight: number
}

/** Opposite scores within this difference count as balanced. */
const tie = 0.15
const half_at = 0.5
const reasons_max = 5
const name_length_max = 64

type Judged = Omit<PrincipleScore, 'id'>

const judges: Readonly<Record<PrincipleId, (judged_action: JudgedAction) => Judged>> = {
  beneficence({ effects }) {
    const good = effects.filter(({ magnitude = 0, probability }) => magnitude > 0 && probability > 0)
    return said(squash(sumOf(good, stakeOf)), good.map(tellEffect), 'Nobody is known to gain by it.')
  },

  non_maleficence({ effects }) {
    const harm = effects.filter(isHarm)
    const pain = (effect: Effect) =>
      (weightOf(effect) * effect.probability * -felt(effect.magnitude ?? 0)) / 2
    return said(-squash(sumOf(harm, pain)), harm.map(tellEffect), 'Nobody is known to be harmed.')
  },

  autonomy({ effects }) {
    const chosen = effects.filter((effect) => stakeOf(effect) > 0 && consentCounts(effect) !== 0)
    const sum = sumOf(chosen, (effect) => stakeOf(effect) * consentCounts(effect))
    const reasons = chosen.map((effect) => `${tellEffect(effect)} Consent: ${effect.consent}.`)
    return said(squash(sum), reasons, 'Nobody has decided for or against it.')
  },

  justice({ effects }) {
    const nets = new Map<string, number>()
    for (const effect of effects) {
      const net = weightOf(effect) * effect.probability * (effect.magnitude ?? 0)
      nets.set(effect.party, (nets.get(effect.party) ?? 0) + net)
    }
    const gains = [...nets.values()].filter((net) => net > 0)
    const losers = [...nets].filter(([, net]) => net < 0)
    const [gained, lost] = [total(gains), -total(losers.map(([, net]) => net))]
    if (gained > 0 && lost > 0)
      return said(
        -squash(Math.min(gained, lost)),
        losers.map(([party]) => `${nameOf(party)} bears it for the gain of others.`),
      )
    if (gains.length < 2) return said(0, [], 'It shares nothing out between parties.')
    const evenness = 1 - unevenness(gains)
    return said(squash(gained) * evenness, [`${gains.length} parties gain; evenness ${shown(evenness)}.`])
  },

  fidelity({ duties: { kept, broken }, forbidden }) {
    const against = [...broken, ...forbidden.map(({ rule_ref }) => rule_ref)]
    const count = kept.length + against.length
    const reasons = [
      ...against.map((ref) => `${ref} does not hold for it, or forbids it.`),
      ...kept.map((ref) => `It is done under ${ref}.`),
    ]
    return said((kept.length - against.length) / (count + 1), reasons, 'No duty was named.')
  },

  precaution(judged_action) {
    if (judged_action.reversible) return said(0, [], 'It can be undone.')
    const worst = Math.max(0, ...judged_action.effects.map((effect) => worstOf(effect)))
    const spread = spreadOf(judged_action)
    const reasons = [`It cannot be undone; worst loss ${shown(worst)}, spread of outcomes ${shown(spread)}.`]
    return said(-squash(Math.max(worst, spread)), reasons)
  },
}

export function scorePrinciples(
  judged_action: JudgedAction,
  principles: readonly WeighedPrinciple[],
): PrincipleScore[] {
  return principles.map(({ id }) => ({ id, ...judges[id](judged_action) }))
}

export const default_principles: readonly WeighedPrinciple[] = principle_ids.map((id) => ({ id, weight: 1 }))

/** Whether two weighted principles are about balanced in opposite directions. */
export function isTorn(scores: readonly PrincipleScore[], principles: readonly WeighedPrinciple[]): boolean {
  const heaviest = Math.max(...principles.map(({ weight }) => weight))
  if (heaviest <= 0) return false
  const pulls = scores.map(({ score }, place) => (score * principles[place]!.weight) / heaviest)
  const [plus, minus] = [pulls.filter((pull) => pull > 0), pulls.filter((pull) => pull < 0)]
  return plus.some((one) => minus.some((other) => Math.abs(one + other) <= tie))
}

function tellEffect({ party, interest, magnitude = 0, probability }: Effect): string {
  const how = magnitude < 0 ? 'loses' : 'gains'
  return `${nameOf(party)} ${how} ${shown(Math.abs(magnitude))} of ${interest} with probability ${shown(probability)}.`
}

export function nameOf(party: string): string {
  return party.length <= name_length_max ? party : `${party.slice(0, name_length_max - 1)}…`
}

export function shown(value: number): string {
  return String(Number(value.toFixed(3)))
}

/** 0.5 at half a unit; below 1, and monotone. */
function squash(value: number): number {
  return value / (half_at + Math.abs(value))
}

function stakeOf(effect: Effect): number {
  return weightOf(effect) * effect.probability * Math.abs(effect.magnitude ?? 0)
}

function worstOf(effect: Effect): number {
  return weightOf(effect) * effect.probability * Math.max(0, -(effect.magnitude ?? -1))
}

function isHarm({ magnitude = 0, probability }: Effect): boolean {
  return magnitude < 0 && probability > 0
}

/** Silence is not consent to harm; a benefit against somebody's will counts as half a wrong. */
function consentCounts({ magnitude = 0, consent }: Effect): number {
  if (consent === 'yes') return 0.5
  if (magnitude < 0) return consent === 'no' ? -1 : -0.5
  return consent === 'no' ? -0.5 : 0
}

/** The Gini coefficient. */
function unevenness(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const ranked = total(sorted.map((value, place) => (2 * (place + 1) - sorted.length - 1) * value))
  return ranked / (sorted.length * total(sorted))
}

function said(score: number, reasons: readonly string[], otherwise = 'Nothing speaks to it.'): Judged {
  // Normalizes -0, which canonical JSON does not have.
  const listed_reasons = reasons.length > 0 ? reasons.slice(0, reasons_max) : [otherwise]
  return { score: score === 0 ? 0 : score, reasons: listed_reasons }
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function sumOf(effects: readonly Effect[], measure: (effect: Effect) => number): number {
  return total(effects.map(measure))
}
