// Events in time order: per request, and per caller between long pauses.
import {
  BestPatterns,
  inBps,
  isCaseSeen,
  liftInBps,
  type Mining,
  type MiningBounds,
  type MiningBudget,
  type Pattern,
  type Seen,
  type Step,
  sequence_length_max,
} from '../precedents/api.ts'
import { type EventList, type FrequentSequence, frequentSequences, type Standing } from './sequence.ts'

const gap_ms_max = 86_400_000

type Basis = Extract<Pattern, { kind: 'sequence' }>['per']

interface SeenList extends EventList {
  readonly seen: readonly Seen[]
}

interface Numbered {
  readonly lists: readonly SeenList[]
  readonly steps: readonly Step[]
  /** Number of lists that contain each step. */
  readonly holding: readonly number[]
}

/** `whole` is false if longer sequences were not searched; shorter lengths are complete. */
export function* mineSequences(
  events: readonly Seen[],
  bounds: MiningBounds,
  budget: MiningBudget,
): Mining<{ best: BestPatterns; whole: boolean }> {
  const best = new BestPatterns(bounds)
  let whole = true
  for (const per of ['correlation', 'caller'] as const) {
    const lists = listsOf(events, per)
    yield
    const numbered = numberSteps(lists)
    yield
    const search = yield* deepen(numbered, per, bounds, budget)
    best.take(search.best)
    whole &&= search.whole
  }
  return { best, whole }
}

/** One length after the other: each reported length is complete, and memory use stays small. */
function* deepen(
  numbered: Numbered,
  per: Basis,
  bounds: MiningBounds,
  budget: MiningBudget,
): Mining<{ best: BestPatterns; whole: boolean }> {
  let best = new BestPatterns(bounds)
  for (let length_max = 2; length_max <= sequence_length_max; length_max++) {
    const deeper = new BestPatterns(bounds)
    const limits = { support_min: bounds.recurrences_min, length_max, gap_ms_max }
    const search = yield* frequentSequences(numbered.lists, limits, budget, (frequent_sequence) =>
      deeper.offer(candidateOf(frequent_sequence, numbered, per)),
    )
    if (search === 'budget spent') return { best, whole: false }
    best = deeper
    if (search === 'whole') break
  }
  return { best, whole: true }
}

/** Consistency: of the lists with all steps but the last, the share in which the last one follows. */
function candidateOf({ steps, standing, before }: FrequentSequence, numbered: Numbered, per: Basis) {
  const { lists, holding } = numbered
  const sequence = steps.map((step) => numbered.steps[step]!)
  const last = steps.at(-1)!
  const ending = ({ list, ends }: Standing) => lists[list]!.seen[ends[0]!]!
  return {
    pattern: { kind: 'sequence', per, sequence, outcome: sequence.at(-1)!.outcome },
    recurrences: standing.length,
    consistency_bps: inBps(standing.length, before.length),
    lift: liftInBps(standing.length, before.length, holding[last]!, lists.length),
    examples() {
      const holding_lists = new Set(standing.map(({ list }) => list))
      return {
        held: standing.map(ending),
        broken: before.filter(({ list }) => !holding_lists.has(list)).map(ending),
      }
    },
  } as const
}

function listsOf(events: readonly Seen[], per: Basis): Seen[][] {
  const in_time = events.toSorted((a, b) => a.at_ms - b.at_ms || a.seq - b.seq)
  if (per === 'correlation') return [...Map.groupBy(in_time, (one) => one.correlation_id).values()]
  // The events of a call follow from it, so per caller only calls are mined.
  const calls = Map.groupBy(in_time.filter(isCaseSeen), (one) => one.caller_did)
  return [...calls.values()].flatMap(cutAtPauses)
}

function cutAtPauses(events: readonly Seen[]): Seen[][] {
  const lists: Seen[][] = []
  for (const [place, event] of events.entries()) {
    const before = events[place - 1]
    if (before && event.at_ms - before.at_ms <= gap_ms_max) lists.at(-1)!.push(event)
    else lists.push([event])
  }
  return lists
}

/** A list of one event has no sequence, but counts for the frequency of its step. */
function numberSteps(lists: readonly Seen[][]): Numbered {
  const numbers = new Map<string, number>()
  const steps: Step[] = []
  const holding: number[] = []
  const numberOf = ({ step }: Seen): number => {
    const key = JSON.stringify([step.event_type, step.protocol, step.operation, step.outcome])
    const number = numbers.get(key)
    if (number !== undefined) return number
    numbers.set(key, steps.length)
    holding.push(0)
    return steps.push(step) - 1
  }
  const numbered = lists.map((events) => {
    const numbers_here = events.map(numberOf)
    for (const step of new Set(numbers_here)) holding[step]!++
    return { seen: events, steps: numbers_here, at_ms: events.map(({ at_ms }) => at_ms) }
  })
  return { lists: numbered, steps, holding }
}
