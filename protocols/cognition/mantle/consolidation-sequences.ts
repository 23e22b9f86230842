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
const visits_max = 500_000
const found_max = 5_000
const sequences_max = 50

/** The occurrences of a sequence: each possible start with its first end. */
interface Standing {
  readonly session: number
  readonly start: number
  readonly end: number
}

interface Grown {
  readonly steps: readonly string[]
  readonly standing: readonly Standing[]
}

/** Longest first; without those contained in a longer one that is as frequent. */
export function repeatedSequences(
  sessions: readonly Session[],
  { support_min, length_min, length_max }: SequenceBounds,
): RepeatedSequence[] {
  const repeated_sequences: RepeatedSequence[] = []
  let open: Grown[] = [...begin(sessions)]
  let visits = 0
  // By length: if the limit is reached, shorter sequences are complete.
  for (let length = 1; open.length > 0 && length <= length_max; length++) {
    const frequent: Grown[] = []
    for (const grown of open) {
      const support = countApart(grown.standing)
      if (support < support_min) continue
      frequent.push(grown)
      if (length >= length_min && repeated_sequences.length < found_max)
        repeated_sequences.push({ steps: grown.steps, support })
    }
    open = []
    for (const grown of frequent) {
      visits += grown.standing.length
      if (visits > visits_max) break
      open.push(...grow(sessions, grown))
    }
  }
  return longestOnly(repeated_sequences)
}

function* begin(sessions: readonly Session[]): Generator<Grown> {
  const first = new Map<string, Standing[]>()
  for (const [session, { steps }] of sessions.entries())
    for (const [start, step] of steps.entries()) {
      const standing = first.get(step)
      if (standing) standing.push({ session, start, end: start })
      else first.set(step, [{ session, start, end: start }])
    }
  for (const [step, standing] of byName(first)) yield { steps: [step], standing }
}

/** Searched only at its occurrences. */
function* grow(sessions: readonly Session[], { steps, standing }: Grown): Generator<Grown> {
  const next = new Map<string, Standing[]>()
  for (const { session, start, end } of standing) {
    const calls = sessions[session]!.steps
    const last = Math.min(calls.length - 1, end + 1 + between_max)
    for (let at = end + 1; at <= last; at++) {
      const step = calls[at]!
      // Only the first of equal calls ends an occurrence.
      if (calls.indexOf(step, end + 1) < at) continue
      const longer = next.get(step)
      if (longer) longer.push({ session, start, end: at })
      else next.set(step, [{ session, start, end: at }])
    }
  }
  for (const [step, longer] of byName(next)) yield { steps: [...steps, step], standing: longer }
}

function byName<V>(map: ReadonlyMap<string, V>): [string, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** Counts non-overlapping occurrences. */
function countApart(standing: readonly Standing[]): number {
  let count = 0
  let [session, end] = [-1, -1]
  for (const next of standing) {
    if (next.session === session && next.start <= end) continue
    count++
    session = next.session
    end = next.end
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
