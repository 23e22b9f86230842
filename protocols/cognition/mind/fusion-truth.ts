// Truth discovery: a Bayesian vote of sources, weighted by how often each was right, iterated to a fixpoint.

import { type Dependence, dependenceOf, withoutCopies } from './fusion-copies.ts'
import type { Candidate, Question, Reliability, Vote } from './fusion-question.ts'

/** Assumed number of wrong answers per question: the fewer, the less agreement proves. */
const wrong_answers = 10
const rounds_max = 20
const change_min = 1e-4
/** Comparing every pair on every question costs more than a vote. */
const copy_rounds = 4
/** No source is always right or wrong, and a few questions do not outweigh its history. */
const reliability_min = 0.01
const reliability_max = 0.99
const prior_strength = 4
/** Of the modified z-score; 0.6745 scales it to standard deviations. */
const outlier_min = 3.5
const deviation_unit = 0.6745
const rounding = 1e9

export type Rule = 'reliability' | 'weighted_median' | 'latest' | 'majority'

export interface Verdict {
  readonly chosen: number
  readonly confidence: number
  /** One per candidate. */
  readonly posteriors: readonly number[]
  readonly rule: Rule
  /** Numbers too far from the others to be counted. */
  readonly outliers: readonly number[]
}

export type Strategy = 'reliability' | 'latest' | 'majority'

export interface Discovered {
  readonly reliability: ReadonlyMap<string, number>
  readonly dependence: Dependence
}

/** The reliability of each source and who copies from whom, after all questions. */
export function discoverReliability(questions: readonly Question[], start: Reliability): Discovered {
  const first = new Map([...start].map(([source, value]) => [source, clamp(value)]))
  let now = first
  // At first no answer counts as truer than another: otherwise many copies would decide what is true, and so whether to copy it is a mistake.
  const unjudged = questions.map(({ candidates }) => candidates.map(() => 1 / candidates.length))
  let dependence = dependenceOf(questions, unjudged, now)
  for (let round = 0; round < rounds_max; round++) {
    if (round > 0 && round < copy_rounds) dependence = dependenceAfter(questions, now, dependence)
    const original = questions.map((question) => withoutCopies(question, dependence, now))
    const next = reestimate(original, first, now)
    const change = Math.max(0, ...[...next].map(([source, value]) => Math.abs(value - now.get(source)!)))
    now = next
    if (round >= copy_rounds && change < change_min) break
  }
  return { reliability: now, dependence }
}

/** Once the votes of copies count less, what they share may turn out to be wrong. */
function dependenceAfter(
  questions: readonly Question[],
  reliability: Reliability,
  so_far: Dependence,
): Dependence {
  const truths = questions.map(
    (question) => judge(withoutCopies(question, so_far, reliability), reliability, 'reliability').posteriors,
  )
  return dependenceOf(questions, truths, reliability)
}

function reestimate(
  questions: readonly Question[],
  first: Reliability,
  now: Reliability,
): Map<string, number> {
  const right = new Map<string, { sum: number; answers: number }>()
  for (const question of questions) {
    const verdict = judge(question, now, 'reliability')
    for (const [place, { votes }] of question.candidates.entries()) {
      for (const { source } of votes) {
        const { sum, answers } = right.get(source) ?? { sum: 0, answers: 0 }
        right.set(source, { sum: sum + creditOf(verdict, place), answers: answers + 1 })
      }
    }
  }
  return new Map(
    [...first].map(([source, prior]) => {
      const { sum, answers } = right.get(source) ?? { sum: 0, answers: 0 }
      return [source, clamp(round((prior_strength * prior + sum) / (prior_strength + answers)))]
    }),
  )
}

/** Numbers close enough to the chosen one count as equally right. */
function creditOf({ rule, posteriors, outliers, confidence }: Verdict, place: number): number {
  if (rule !== 'weighted_median') return posteriors[place]!
  return outliers.includes(place) ? 0 : confidence
}

/** Ties go to the more certain, then the newest, then the first by name. */
export function judge({ candidates }: Question, reliability: Reliability, strategy: Strategy): Verdict {
  if (strategy === 'latest')
    return judgeBy('latest', candidates, reliability, (candidate) =>
      hasVoice(candidate) ? candidate.newest : -Infinity,
    )
  if (strategy === 'majority')
    return judgeBy('majority', candidates, reliability, ({ votes }) => voicesBehind(votes))
  const is_numeric = candidates.length > 1 && candidates.every(({ value }) => typeof value === 'number')
  return is_numeric ? judgeNumbers(candidates, reliability) : judgeVotes(candidates, reliability)
}

function judgeVotes(candidates: readonly Candidate[], reliability: Reliability): Verdict {
  const scores = candidates.map((candidate) =>
    hasVoice(candidate)
      ? sumOf(
          candidate.votes.map(({ source, confidence, share }) => {
            const right = clamp(reliability.get(source)!)
            return share * confidence * Math.log((wrong_answers * right) / (1 - right))
          }),
        )
      : -Infinity,
  )
  // Unstated answers share the rest: a single source is believed as far as it is reliable.
  const unsaid = Math.max(0, wrong_answers + 1 - candidates.filter(hasVoice).length)
  const top = Math.max(0, ...scores)
  const total = sumOf(scores.map((score) => Math.exp(score - top))) + unsaid * Math.exp(-top)
  const posteriors = scores.map((score) => round(Math.exp(score - top) / total))
  const chosen = best(candidates, posteriors)
  return { chosen, confidence: posteriors[chosen]!, posteriors, rule: 'reliability', outliers: [] }
}

function judgeNumbers(candidates: readonly Candidate[], reliability: Reliability): Verdict {
  const weights = candidates.map((candidate) => weightOf(candidate, reliability))
  const all = candidates.map((_, place) => place)
  const middle = candidates[medianOf(all, candidates, weights)]!.value as number
  const distances = candidates.map(({ value }) => Math.abs((value as number) - middle))
  const spread = upperMedian(distances, weights)
  const isRemote = (place: number) =>
    spread === 0 ? distances[place]! > 0 : (deviation_unit * distances[place]!) / spread > outlier_min
  const outliers = all.filter(isRemote)
  const inliers = all.filter((place) => !isRemote(place))
  const chosen = medianOf(inliers, candidates, weights)
  const total = sumOf(weights)
  const posteriors = weights.map((weight) => (total > 0 ? round(weight / total) : 0))
  const share = total > 0 ? sumOf(inliers.map((place) => weights[place]!)) / total : 0
  const behind = inliers.flatMap((place) => candidates[place]!.votes)
  const confidence = round(share * believedBy(behind, reliability))
  return { chosen, confidence, posteriors, rule: 'weighted_median', outliers }
}

function judgeBy(
  rule: 'latest' | 'majority',
  candidates: readonly Candidate[],
  reliability: Reliability,
  measure: (candidate: Candidate) => number,
): Verdict {
  const measures = candidates.map(measure)
  const top = Math.max(...measures)
  const weights = candidates.map((candidate) => weightOf(candidate, reliability))
  const tied = candidates.map((_, place) => place).filter((place) => measures[place] === top)
  const chosen = best(candidates, weights, tied)
  const total = sumOf(rule === 'majority' ? measures : weights)
  const posteriors = candidates.map((_, place) =>
    total > 0 ? round((rule === 'majority' ? measures : weights)[place]! / total) : 0,
  )
  const confidence =
    rule === 'majority' ? posteriors[chosen]! : round(believedBy(candidates[chosen]!.votes, reliability))
  return { chosen, confidence, posteriors, rule, outliers: [] }
}

/** The probability that at least one voice is right: sources of one root are one, as sure as they are on average. */
export function believedBy(votes: readonly Vote[], reliability: Reliability): number {
  const beliefs = new Map<string, { parts: number[]; surest: number }>()
  for (const { source, confidence, voice, share } of votes) {
    if (voice === undefined) continue
    const belief = clamp(reliability.get(source)!) * confidence
    const { parts, surest } = beliefs.get(voice) ?? { parts: [], surest: 0 }
    beliefs.set(voice, { parts: [...parts, belief * share], surest: Math.max(surest, belief) })
  }
  const doubts = [...beliefs.values()].map(({ parts, surest }) => 1 - Math.min(surest, sumOf(parts)))
  return 1 - doubts.sort((a, b) => a - b).reduce((all, doubt) => all * doubt, 1)
}

function hasVoice({ votes }: Candidate): boolean {
  return votes.some(({ voice }) => voice !== undefined)
}

function voicesBehind(votes: readonly Vote[]): number {
  return round(sumOf(votes.map(({ share }) => share)))
}

function weightOf({ votes }: Candidate, reliability: Reliability): number {
  return sumOf(
    votes.map(({ source, confidence, share }) => share * clamp(reliability.get(source)!) * confidence),
  )
}

function best(
  candidates: readonly Candidate[],
  scores: readonly number[],
  among: readonly number[] = candidates.map((_, place) => place),
): number {
  return among.toSorted((a, b) => {
    const [one, other] = [candidates[a]!, candidates[b]!]
    return scores[b]! - scores[a]! || order(other.newest, one.newest) || (one.key < other.key ? -1 : 1)
  })[0]!
}

function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** If the weight is split equally at a gap, the two neighbours are treated as a tie. */
function medianOf(
  places: readonly number[],
  candidates: readonly Candidate[],
  weights: readonly number[],
): number {
  const ordered = places.toSorted(
    (a, b) => (candidates[a]!.value as number) - (candidates[b]!.value as number),
  )
  const half = sumOf(ordered.map((place) => weights[place]!)) / 2
  let below = 0
  for (const [at, place] of ordered.entries()) {
    below += weights[place]!
    const next = ordered[at + 1]
    if (round(below) === round(half) && next !== undefined) return best(candidates, weights, [place, next])
    if (below >= half) return place
  }
  return ordered.at(-1)!
}

function upperMedian(values: readonly number[], weights: readonly number[]): number {
  const ordered = values.map((_, place) => place).sort((a, b) => values[a]! - values[b]!)
  const half = sumOf(weights) / 2
  let below = 0
  for (const place of ordered) {
    below += weights[place]!
    if (round(below) > round(half)) return values[place]!
  }
  return values[ordered.at(-1)!]!
}

/** Summed by size, so that the result does not depend on the order. */
function sumOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b).reduce((sum, number) => sum + number, 0)
}

function clamp(value: number): number {
  return Math.min(reliability_max, Math.max(reliability_min, value))
}

function round(value: number): number {
  return Math.round(value * rounding) / rounding
}
