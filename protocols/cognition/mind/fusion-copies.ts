// Who copies from whom, as ACCU-COPY finds it (Dong, Berti-Equille, Srivastava 2009): to share a mistake is strong evidence of
// copying, to share a truth weak, to differ speaks against it. What is probably copied counts as said once.
import type { Question, Reliability, Vote } from './fusion-question.ts'

/** The share of its answers that a copier takes over. */
const copied_share = 0.8
/** Before anything is known of two sources. */
const prior = 0.2
/** Two who met on fewer questions are taken for independent. */
const shared_questions_min = 3
/** As in the vote: wrong answers that are equally likely. */
const wrong_answers = 10
const certain_min = 0.01
/** Whatever is less probable than this is left at nothing: honest sources agree, too. */
const told_min = 0.5

/** Probability that one of two voices copies from the other, by both. */
export interface Dependence {
  between(one: string, other: string): number
  /** Pairs that probably depend, the surest first. */
  readonly pairs: readonly { readonly voices: readonly [string, string]; readonly probability: number }[]
}

/** `truths` are the probabilities of each question's candidates, in their order. */
export function dependenceOf(
  questions: readonly Question[],
  truths: readonly (readonly number[])[],
  reliability: Reliability,
): Dependence {
  const answers = questions.map(answersOf)
  const names = [...new Set(answers.flatMap((by_voice) => [...by_voice.keys()]))].sort()
  const index = new Map(names.map((name, at) => [name, at]))
  const right = accuracies(questions, names, index, reliability)
  const size = names.length
  // Of each ordered pair: how much likelier their answers are if the first copies from the second.
  const copying = new Float64Array(size * size)
  const met = new Uint32Array(size * size)
  for (const [place, by_voice] of answers.entries()) {
    const voters = [...by_voice].map(([voice, candidate]) => [index.get(voice)!, candidate] as const)
    voters.sort(([a], [b]) => a - b)
    const posteriors = truths[place]!
    for (const [at, [one, answer]] of voters.entries())
      for (const [other, other_answer] of voters.slice(at + 1)) {
        const truth = answer === other_answer ? posteriors[answer]! : undefined
        copying[one * size + other]! += logRatio(right[one]!, right[other]!, truth)
        copying[other * size + one]! += logRatio(right[other]!, right[one]!, truth)
        met[one * size + other]! += 1
      }
  }
  const probability = (one: number, other: number) => {
    const [low, high] = one < other ? [one, other] : [other, one]
    if (met[low * size + high]! < shared_questions_min) return 0
    const odds = (Math.exp(copying[low * size + high]!) + Math.exp(copying[high * size + low]!)) / 2
    const probable = Number.isFinite(odds) ? (prior * odds) / (prior * odds + 1 - prior) : 1
    return probable >= told_min ? probable : 0
  }
  const pairs = names.flatMap((one, at) =>
    names.slice(at + 1).map((other, further) => ({
      voices: [one, other] as const,
      probability: probability(at, at + 1 + further),
    })),
  )
  return {
    between: (one, other) => {
      const [at, further] = [index.get(one), index.get(other)]
      return at === undefined || further === undefined ? 0 : probability(at, further)
    },
    pairs: pairs
      .filter((pair) => pair.probability >= told_min)
      .sort((a, b) => b.probability - a.probability || (a.voices.join() < b.voices.join() ? -1 : 1)),
  }
}

/** What each voice answers; a voice that says two things says neither. */
function answersOf({ candidates }: Question): Map<string, number> {
  const answers = new Map<string, number>()
  const torn = new Set<string>()
  for (const [place, { votes }] of candidates.entries())
    for (const { voice } of votes) {
      if (voice === undefined) continue
      if ((answers.get(voice) ?? place) !== place) torn.add(voice)
      answers.set(voice, place)
    }
  for (const voice of torn) answers.delete(voice)
  return answers
}

/** Of a voice the mean of its sources. */
function accuracies(
  questions: readonly Question[],
  names: readonly string[],
  index: ReadonlyMap<string, number>,
  reliability: Reliability,
): Float64Array {
  const members = names.map(() => new Set<string>())
  for (const { candidates } of questions)
    for (const { votes } of candidates)
      for (const { voice, source } of votes) {
        const at = voice === undefined ? undefined : index.get(voice)
        if (at !== undefined) members[at]!.add(source)
      }
  return Float64Array.from(members, (sources) => {
    const sum = [...sources].sort().reduce((all, source) => all + reliability.get(source)!, 0)
    return Math.min(1 - certain_min, Math.max(certain_min, sum / sources.size))
  })
}

/** `truth` is the probability of the answer they share; undefined where they differ. */
function logRatio(copier: number, source: number, truth: number | undefined): number {
  if (truth === undefined) return Math.log(1 - copied_share)
  const both_right = copier * source
  const both_wrong = ((1 - copier) * (1 - source)) / wrong_answers
  const apart = truth * both_right + (1 - truth) * both_wrong
  const right = copied_share * source + (1 - copied_share) * both_right
  const wrong = copied_share * (1 - source) + (1 - copied_share) * both_wrong
  return Math.log((truth * right + (1 - truth) * wrong) / apart)
}

/** Each vote counts by how probably it is not copied from a better voice that says the same. */
export function withoutCopies<Q extends Question>(
  question: Q,
  dependence: Dependence,
  reliability: Reliability,
): Q {
  if (dependence.pairs.length === 0) return question
  const candidates = question.candidates.map((candidate) => {
    const own = originality(candidate.votes, dependence, reliability)
    const votes = candidate.votes.map((vote) => ({ ...vote, share: vote.share * (own.get(vote.voice) ?? 1) }))
    return { ...candidate, votes }
  })
  return { ...question, candidates }
}

function originality(
  votes: readonly Vote[],
  dependence: Dependence,
  reliability: Reliability,
): Map<string | undefined, number> {
  const best = new Map<string, number>()
  for (const { voice, source } of votes)
    if (voice !== undefined)
      best.set(voice, Math.max(best.get(voice) ?? 0, Math.round(reliability.get(source)! * 1e6)))
  const order = [...best].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([voice]) => voice)
  return new Map(
    order.map((voice, at) => [
      voice,
      order
        .slice(0, at)
        .reduce((own, earlier) => own * (1 - copied_share * dependence.between(voice, earlier)), 1),
    ]),
  )
}
