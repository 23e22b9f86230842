// Frequent sequences by PrefixSpan: a sequence is extended only where it already occurs.
import type { Mining, MiningBudget } from '../precedents/api.ts'

export interface EventList {
  readonly steps: readonly number[]
  /** Times, ascending. */
  readonly at_ms: readonly number[]
}

/** All end positions of a sequence in a list: a later one may reach steps that the first cannot. */
export interface Standing {
  readonly list: number
  readonly ends: readonly number[]
}

export interface FrequentSequence {
  readonly steps: readonly number[]
  /** One per list that contains it. */
  readonly standing: readonly Standing[]
  /** The lists that contain all steps but the last. */
  readonly before: readonly Standing[]
}

export interface SequenceBounds {
  readonly support_min: number
  readonly length_max: number
  /** Between consecutive steps. */
  readonly gap_ms_max: number
}

export type SequenceSearch = 'whole' | 'cut at length_max' | 'budget spent'

/** Passes each frequent sequence of two or more steps to `found`; storing all would need too much memory. */
export function* frequentSequences(
  lists: readonly EventList[],
  bounds: SequenceBounds,
  budget: MiningBudget,
  onSequence: (sequence: FrequentSequence) => void,
): Mining<SequenceSearch> {
  let was_cut = false
  const everywhere = lists.map((_, list) => ({ list, ends: [-1] }))
  const open: { steps: readonly number[]; standing: readonly Standing[] }[] = [
    { steps: [], standing: everywhere },
  ]
  for (let next = open.pop(); next; next = open.pop()) {
    if (budget.is_spent) return 'budget spent'
    const { grown, visited } = growth(lists, next.standing, bounds.gap_ms_max)
    budget.spend(visited)
    if (budget.isTurnOver()) yield
    for (const [step, standing] of grown) {
      if (standing.length < bounds.support_min) continue
      const steps = [...next.steps, step]
      if (steps.length > 1) onSequence({ steps, standing, before: next.standing })
      if (steps.length < bounds.length_max) open.push({ steps, standing })
      else was_cut = true
    }
  }
  return was_cut ? 'cut at length_max' : 'whole'
}

/** Following steps, list by list. */
function growth(lists: readonly EventList[], from: readonly Standing[], gap_ms_max: number) {
  const grown = new Map<number, { list: number; ends: number[] }[]>()
  let visited = from.length
  for (const { list, ends } of from) {
    const { steps, at_ms } = lists[list]!
    let last = 0
    for (let at = ends[0]! + 1; at < steps.length; at++) {
      visited++
      while (last + 1 < ends.length && ends[last + 1]! < at) last++
      // The latest end is the nearest: if it is too far, all are.
      const end = ends[last]!
      if (end >= 0 && at_ms[at]! - at_ms[end]! > gap_ms_max) {
        if (last + 1 === ends.length) break
        continue
      }
      const standing = grown.get(steps[at]!)
      const here = standing?.at(-1)
      if (here?.list === list) here.ends.push(at)
      else if (standing) standing.push({ list, ends: [at] })
      else grown.set(steps[at]!, [{ list, ends: [at] }])
    }
  }
  return { grown, visited }
}
