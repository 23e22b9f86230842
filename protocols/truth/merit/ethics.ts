// Ethical verdict: rules first, then harm to individuals, then total welfare, caution, and alternatives.
import type { Effect, JudgedAction, PrincipleId, Reading, Rule } from './ethics-action.ts'
import { isVital } from './ethics-action.ts'
import {
  isTorn,
  nameOf,
  type PrincipleScore,
  scorePrinciples,
  shown,
  type WeighedPrinciple,
} from './ethics-principles.ts'
import { violationsOf } from './ethics-rules.ts'
import { dominates, spreadOf, welfareOf } from './ethics-welfare.ts'

/** Worst to best. */
export const verdicts = ['prohibit', 'review', 'permit_with_conditions', 'permit'] as const
export type Verdict = (typeof verdicts)[number]

export const condition_kinds = ['consent', 'estimate', 'precaution', 'alternative'] as const

const harm_max = 0.2
const spread_max = 0.25
const named_max = 20

export interface Condition {
  readonly kind: (typeof condition_kinds)[number]
  readonly text: string
}

/** What has to be known before anybody can permit it. */
export interface Missing {
  readonly field: 'affected' | 'magnitude' | 'consent'
  readonly text: string
}

export interface Dissent {
  readonly principle: PrincipleId
  readonly score: number
  readonly reason: string
}

export interface BestAlternative {
  readonly index: number
  readonly verdict: Verdict
  readonly welfare: number
  /** Nobody is worse off than with the action. */
  readonly dominates: boolean
}

export interface EthicsQuestion {
  readonly judged_action: JudgedAction
  readonly alternatives: readonly JudgedAction[]
  readonly principles: readonly WeighedPrinciple[]
}

export interface EthicsFinding {
  readonly verdict: Verdict
  readonly principles: readonly PrincipleScore[]
  readonly violated: readonly Rule[]
  readonly conditions: readonly Condition[]
  readonly missing: readonly Missing[]
  readonly read: readonly Reading[]
  readonly dissent: readonly Dissent[]
  readonly welfare: number
  readonly spread: number
  /** Principles are balanced in opposite directions. */
  readonly ambiguous: boolean
  readonly best_alternative?: BestAlternative
}

export function judge(question: EthicsQuestion, elapsed_ms: () => number): EthicsFinding {
  const { judged_action, alternatives, principles } = question
  const alone = judgeAlone(judged_action, principles, elapsed_ms)
  const others = alternatives.map((other, index) => ({
    index,
    ...judgeAlone(other, principles, elapsed_ms),
    dominates: dominates(other, judged_action),
  }))
  const best = bestOf(alone.verdict, others)
  const is_dominated = best?.dominates === true && alone.verdict !== 'prohibit'
  const conditions = is_dominated
    ? [...alone.conditions, instead(best.index, alternatives)]
    : alone.conditions
  const verdict = is_dominated ? atMost(alone.verdict, 'permit_with_conditions') : alone.verdict
  const dissent = dissentOf(verdict, alone.principles)
  return { ...alone, verdict, conditions, dissent, ...(best && { best_alternative: best }) }
}

type Alone = Omit<EthicsFinding, 'dissent' | 'best_alternative'>

function judgeAlone(
  judged_action: JudgedAction,
  weighed: readonly WeighedPrinciple[],
  elapsed_ms: () => number,
): Alone {
  const principles = scorePrinciples(judged_action, weighed)
  const violated = violationsOf(judged_action, elapsed_ms)
  const [welfare, spread] = [welfareOf(judged_action), spreadOf(judged_action)]
  const missing = missingOf(judged_action)
  const read = judged_action.readings
  const measured = { principles, violated, missing, read, welfare: welfare === 0 ? 0 : welfare, spread }
  // A violated hard rule is final: nothing is weighed against it.
  if (violated.length > 0) return { ...measured, verdict: 'prohibit', conditions: [], ambiguous: false }
  const ambiguous = isTorn(principles, weighed)
  const unasked = judged_action.effects.filter(isUnaskedHarm)
  const unknown = judged_action.effects.filter(
    ({ magnitude, probability }) => magnitude === undefined && probability > 0,
  )
  const is_risky = !judged_action.reversible && spread > spread_max
  const conditions = [
    ...unasked.slice(0, named_max).map(askFirst),
    ...unknown.slice(0, named_max).map(estimateFirst),
    ...(is_risky ? [cautionFor(spread)] : []),
  ]
  let verdict: Verdict = 'permit'
  if (conditions.length > 0) verdict = 'permit_with_conditions'
  // Nothing said is not nothing harmed.
  const is_open = missing.length > 0 || read.length > 0
  if (unasked.length > 0 || welfare < 0 || ambiguous || is_open) verdict = atMost(verdict, 'review')
  return { ...measured, verdict, conditions, ambiguous }
}

function atMost(verdict: Verdict, best: Verdict): Verdict {
  return verdicts.indexOf(verdict) <= verdicts.indexOf(best) ? verdict : best
}

function missingOf({ effects, reversible }: JudgedAction): Missing[] {
  if (effects.length === 0) {
    const undone = reversible ? '' : ', all the more as it cannot be undone'
    const text = `Say who is affected, how, and whether they agree${undone}; name the actor if it is nobody else.`
    return [{ field: 'affected', text }]
  }
  const unestimated = effects.filter(({ magnitude }) => magnitude === undefined)
  const unasked = effects.filter(needsConsent)
  return [
    ...unestimated.slice(0, named_max).map(({ party, interest }) => ({
      field: 'magnitude' as const,
      text: `Say how much of the ${interest} of ${nameOf(party)} is gained or lost.`,
    })),
    ...unasked.slice(0, named_max).map(({ party, interest }) => ({
      field: 'consent' as const,
      text: `Say whether ${nameOf(party)}, whose ${interest} is affected, agrees.`,
    })),
  ]
}

/** Nobody has to agree to a gain, except in life, health and liberty. */
function needsConsent({ interest, magnitude = -1, probability, consent }: Effect): boolean {
  return consent === 'unknown' && probability > 0 && (magnitude < 0 || isVital(interest))
}

/** An unestimated effect counts as the worst case. */
function isUnaskedHarm({ interest, magnitude = -1, probability, consent }: Effect): boolean {
  return isVital(interest) && consent !== 'yes' && magnitude < 0 && probability * -magnitude > harm_max
}

/** The best that leaves nobody worse off; if the action is not permitted, the best of all. */
function bestOf(
  verdict: Verdict,
  others: readonly (Alone & { readonly index: number; readonly dominates: boolean })[],
): BestAlternative | undefined {
  const rank = (one: Verdict) => verdicts.indexOf(one)
  const is_permitted = rank(verdict) >= rank('permit_with_conditions')
  const better = others.filter((other) =>
    other.dominates ? other.verdict !== 'prohibit' : !is_permitted && rank(other.verdict) > rank(verdict),
  )
  const [best] = better.sort(
    (a, b) =>
      Number(b.dominates) - Number(a.dominates) ||
      rank(b.verdict) - rank(a.verdict) ||
      b.welfare - a.welfare ||
      a.index - b.index,
  )
  return (
    best && { index: best.index, verdict: best.verdict, welfare: best.welfare, dominates: best.dominates }
  )
}

function dissentOf(verdict: Verdict, principles: readonly PrincipleScore[]): Dissent[] {
  const is_for = verdict === 'permit' || verdict === 'permit_with_conditions'
  return principles
    .filter(({ score }) => (is_for ? score < 0 : score > 0))
    .map(({ id, score, reasons }) => ({ principle: id, score, reason: reasons[0]! }))
}

function askFirst({ party, interest }: Effect): Condition {
  return { kind: 'consent', text: `Ask ${nameOf(party)}, whose ${interest} is at stake, for consent first.` }
}

function estimateFirst({ party, interest }: Effect): Condition {
  const text = `Estimate what it does to the ${interest} of ${nameOf(party)}; until then the worst is assumed.`
  return { kind: 'estimate', text }
}

function cautionFor(spread: number): Condition {
  const text =
    `Begin with a small part that can be stopped, and look again before the rest: ` +
    `it cannot be undone, and its outcomes lie far apart (${shown(spread)}).`
  return { kind: 'precaution', text }
}

function instead(index: number, alternatives: readonly JudgedAction[]): Condition {
  const text = `Do alternative ${index} (${nameOf(alternatives[index]!.kind)}) instead, or say why not: nobody is worse off with it.`
  return { kind: 'alternative', text }
}
