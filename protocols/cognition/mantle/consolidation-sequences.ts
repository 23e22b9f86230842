// Repeated call sequences, grown step by step at their known occurrences, as in PrefixSpan.

export interface Session {
  /** The calls, in order of time. */
  readonly steps: readonly string[]
}

export interface RepeatedSequence {
  readonly steps: readonly string[]
  /** The number of non-overlapping occurrences. */
  readonly support: number
}

export interface SequenceBounds {
  readonly support_min: number
  readonly length_min: number
  readonly length_max: number
}

/** The maximum number of other calls between two steps. */
const between_max = 2
const occurrences_max = 1_000_000
/** A sequence takes the memory of as many occurrences. */
const sequence_occurrences = 15
const found_max = 5_000
const sequences_max = 50

/** By the next step: session, possible start and first end of each occurrence, flat, because objects take twice the memory. */
type Occurrences = Map<string, number[]>
const occurrence_width = 3

interface Grown extends RepeatedSequence {
  readonly standing: readonly number[]
}

/** Longest first; without those contained in a longer one that is as frequent. */
export function repeatedSequences(
  sessions: readonly Session[],
  { support_min, length_min, length_max }: SequenceBounds,
): RepeatedSequence[] {
  const repeated_sequences: RepeatedSequence[] = []
  let open = frequent(begin(sessions), [], support_min)
  let occurrences = 0
  // By length: if the limit is reached, shorter sequences are complete.
  for (let length = 1; open.length > 0 && length <= length_max; length++) {
    if (length >= length_min)
      for (const { steps, support } of open.slice(0, found_max - repeated_sequences.length))
        repeated_sequences.push({ steps, support })
    const longer: Grown[] = []
    for (const grown of open) {
      if (occurrences > occurrences_max) break
      for (const one of frequent(grow(sessions, grown), grown.steps, support_min)) {
        occurrences += one.standing.length / occurrence_width + sequence_occurrences
        longer.push(one)
      }
    }
    open = longer
  }
  return longestOnly(repeated_sequences)
}

/** The rest is dropped at once: nearly all of what a long log gives is too rare. */
function frequent(next: Occurrences, steps: readonly string[], support_min: number): Grown[] {
  return [...next]
    .map(([step, standing]) => ({ step, standing, support: countApart(standing) }))
    .filter(({ support }) => support >= support_min)
    .sort((a, b) => (a.step < b.step ? -1 : 1))
    .map(({ step, standing, support }) => ({ steps: [...steps, step], standing, support }))
}

function begin(sessions: readonly Session[]): Occurrences {
  const first: Occurrences = new Map()
  for (const [session, { steps }] of sessions.entries())
    for (const [start, step] of steps.entries()) add(first, step, session, start, start)
  return first
}

/** Searched only at its occurrences. */
function grow(sessions: readonly Session[], { standing }: Grown): Occurrences {
  const next: Occurrences = new Map()
  for (let i = 0; i < standing.length; i += occurrence_width) {
    const [session, start, end] = [standing[i]!, standing[i + 1]!, standing[i + 2]!]
    const calls = sessions[session]!.steps
    const last = Math.min(calls.length - 1, end + 1 + between_max)
    for (let at = end + 1; at <= last; at++) {
      const step = calls[at]!
      // Only the first of equal calls ends an occurrence.
      if (calls.indexOf(step, end + 1) === at) add(next, step, session, start, at)
    }
  }
  return next
}

function add(occurrences: Occurrences, step: string, session: number, start: number, end: number): void {
  const standing = occurrences.get(step)
  if (standing) standing.push(session, start, end)
  else occurrences.set(step, [session, start, end])
}

/** Counts non-overlapping occurrences. */
function countApart(standing: readonly number[]): number {
  let count = 0
  let [session, end] = [-1, -1]
  for (let i = 0; i < standing.length; i += occurrence_width) {
    if (standing[i] === session && standing[i + 1]! <= end) continue
    count++
    session = standing[i]!
    end = standing[i + 2]!
  }
  return count
}

function longestOnly(repeated_sequences: RepeatedSequence[]): RepeatedSequence[] {
  repeated_sequences.sort(
    (a, b) => b.steps.length - a.steps.length || b.support - a.support || compare(a.steps, b.steps),
  )
  const longest: RepeatedSequence[] = []
  for (const one of repeated_sequences) {
    if (longest.length === sequences_max) break
    const is_part = longest.some(
      (longer) => longer.support >= one.support && isWithin(one.steps, longer.steps),
    )
    if (!is_part) longest.push(one)
  }
  return longest
}

/** In the same order, with or without others between. */
function isWithin(steps: readonly string[], longer: readonly string[]): boolean {
  let at = 0
  for (const step of longer) if (step === steps[at]) at++
  return at === steps.length
}

function compare(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join(' '), b.join(' ')]
  return one < other ? -1 : one > other ? 1 : 0
}
