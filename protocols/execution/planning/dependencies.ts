// The necessary dependencies: the orders of the methods, and tasks that change facts others read. Any
// order that respects them works, so all other tasks may run in parallel.
import { type FactPath, overlaps } from './facts.ts'
import { changedBy, collide, decisionReads, type Footprint, footprintOf, meet } from './footprint.ts'
import type { Solution, Step } from './solution.ts'
import { ancestry, type Decomposition, isOrderedBefore } from './task-network.ts'

interface Touched extends Footprint {
  /** What the methods above and before it read, each with the number of steps before that read. */
  readonly decided: readonly Look[]
}

interface Look {
  readonly at: number
  readonly reads: readonly FactPath[]
}

/** For each step, the indexes of the steps it waits for, without transitive ones. */
export function dependenciesOf({ steps, settled }: Pick<Solution, 'steps' | 'settled'>): number[][] {
  const lookOf = looksIn(steps)
  const touched = steps.map((step) => touchedBy(step, settled, lookOf))
  const reached: Uint8Array[] = []
  return steps.map((step, later) => {
    const behind = new Uint8Array(steps.length)
    const direct: number[] = []
    const waitFor = (earlier: number) => {
      direct.push(earlier)
      behind[earlier] = 1
      for (const [place, is_behind] of reached[earlier]!.entries()) if (is_behind) behind[place] = 1
    }
    for (let earlier = later - 1; earlier >= 0; earlier--) {
      if (behind[earlier]) continue
      const waits =
        isOrderedBefore(steps[earlier]!.node, step.node) ||
        collide(touched[earlier]!, touched[later]!) ||
        looksAt(touched[later]!, changedBy(touched[earlier]!), earlier)
      if (waits) waitFor(earlier)
    }
    for (const [earlier, { makes }] of touched.slice(0, later).entries()) {
      if (behind[earlier]) continue
      const looked_into = makes.filter((made) => looksAt(touched[later]!, [made], earlier))
      const is_there = (made: FactPath) =>
        touched.some(({ adds }, place) => behind[place] && adds.some((one) => isBelow(one, made)))
      if (!looked_into.every(is_there)) waitFor(earlier)
    }
    reached.push(behind)
    return direct.filter((one) => !direct.some((other) => reached[other]![one])).sort((a, b) => a - b)
  })
}

/** Whether it, or a method that led to it, reads a change made by an earlier step. */
function looksAt({ reads, decided }: Touched, changed: readonly FactPath[], place: number): boolean {
  return meet(changed, reads) || decided.some((look) => place < look.at && meet(changed, look.reads))
}

function isBelow(path: FactPath, above: FactPath): boolean {
  return path.length > above.length && overlaps(path, above)
}

function touchedBy(
  step: Step,
  settled: readonly Decomposition[],
  lookOf: (decomposition: Decomposition) => Look,
): Touched {
  const { node } = step
  const decided = settled.filter((one) => isOrderedBefore(one.node, node)).map(lookOf)
  for (const { parent } of ancestry(node)) if (parent) decided.push(lookOf(parent))
  return { ...footprintOf(step), decided }
}

/** What a method read, computed once for all steps below it. */
function looksIn(steps: readonly Step[]): (decomposition: Decomposition) => Look {
  const firsts = new Map<Decomposition, number>()
  for (const [place, { node }] of steps.entries())
    for (const { parent } of ancestry(node)) if (parent && !firsts.has(parent)) firsts.set(parent, place)
  const looks = new Map<Decomposition, Look>()
  return (decomposition) => {
    const cached = looks.get(decomposition)
    if (cached) return cached
    const { at } = decomposition
    const look = { at: Math.min(at, firsts.get(decomposition) ?? at), reads: decisionReads(decomposition) }
    looks.set(decomposition, look)
    return look
  }
}
