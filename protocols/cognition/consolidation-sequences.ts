// What is done again and again in the same order: sequences grow step by step where they already stand, as PrefixSpan does.

export interface Session {
  /** What was done, in the order of time. */
  readonly steps: readonly string[]
}

export interface RepeatedSequence {
  readonly steps: readonly string[]
  /** How often it was done, no call counted twice. */
  readonly support: number
}

export interface SequenceBounds {
  readonly support_min: number
  readonly length_min: number
  readonly length_max: number
}

/** So many other calls may come in between. */
const between_max = 2
const patterns_max = 2_000
const sequences_max = 50

/** The longest first; none that is part of a longer one done as often. */
export function repeatedSequences(
  sessions: readonly Session[],
  { support_min, length_min, length_max }: SequenceBounds,
): RepeatedSequence[] {
  const found: RepeatedSequence[] = []
  const open: string[][] = [[]]
  for (let looked = 0; open.length > 0 && looked < patterns_max; looked++) {
    const steps = open.shift()!
    for (const step of followersOf(sessions, steps)) {
      const longer = [...steps, step]
      const support = countSequence(sessions, longer)
      if (support < support_min) continue
      if (longer.length >= length_min) found.push({ steps: longer, support })
      if (longer.length < length_max) open.push(longer)
    }
  }
  found.sort((a, b) => b.steps.length - a.steps.length || b.support - a.support || compare(a.steps, b.steps))
  const kept: RepeatedSequence[] = []
  for (const one of found) {
    if (kept.length === sequences_max) break
    if (!kept.some((longer) => longer.support >= one.support && isWithin(one.steps, longer.steps)))
      kept.push(one)
  }
  return kept
}

/** What comes after it at least once, by name. */
function followersOf(sessions: readonly Session[], steps: readonly string[]): string[] {
  const next = new Set<string>()
  for (const session of sessions) {
    if (steps.length === 0) for (const step of session.steps) next.add(step)
    else
      for (const end of endsIn(session, steps))
        for (const step of session.steps.slice(end + 1, end + 2 + between_max)) next.add(step)
  }
  return [...next].sort()
}

/** No call is part of two. */
export function countSequence(sessions: readonly Session[], steps: readonly string[]): number {
  return sessions.reduce((sum, session) => sum + endsIn(session, steps).length, 0)
}

function endsIn(session: Session, steps: readonly string[]): number[] {
  const ends: number[] = []
  for (let at = 0; at < session.steps.length; at++) {
    const end = endFrom(session, steps, at)
    if (end === undefined) continue
    ends.push(end)
    at = end
  }
  return ends
}

function endFrom(session: Session, steps: readonly string[], start: number): number | undefined {
  if (session.steps[start] !== steps[0]) return undefined
  let at = start
  for (const step of steps.slice(1)) {
    const next = session.steps.indexOf(step, at + 1)
    if (next < 0 || next - at > 1 + between_max) return undefined
    at = next
  }
  return at
}

/** In the same order, with or without others in between. */
function isWithin(steps: readonly string[], longer: readonly string[]): boolean {
  let at = 0
  for (const step of longer) if (step === steps[at]) at++
  return at === steps.length
}

function compare(a: readonly string[], b: readonly string[]): number {
  const [one, other] = [a.join(' '), b.join(' ')]
  return one < other ? -1 : one > other ? 1 : 0
}
