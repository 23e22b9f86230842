// What must really wait for what: the orders of the methods, and tasks that change what others look at. Any order that keeps
// to this can be carried out, so all that it leaves open may run side by side.
import { type FactPath, overlaps } from './facts.ts'
import type { Step } from './solution.ts'
import { ancestry, type Decomposition, isOrderedBefore } from './task-network.ts'

interface Touched {
  readonly reads: readonly FactPath[]
  /** Facts set or removed. */
  readonly writes: readonly FactPath[]
  /** Sums do not care in which order they are added up. */
  readonly counts: readonly FactPath[]
  /** What the methods above it looked at, each with the number of steps that came before that look. */
  readonly decided: readonly { readonly at: number; readonly reads: readonly FactPath[] }[]
}

/** Per step, the places of the steps it waits for; what follows from the others is left out. */
export function dependenciesOf(steps: readonly Step[]): number[][] {
  const looks = new Map<Decomposition, FactPath[]>()
  const touched = steps.map((step) => touchedBy(step, looks))
  const reached: Uint8Array[] = []
  return steps.map((step, later) => {
    const behind = new Uint8Array(steps.length)
    const direct: number[] = []
    for (let earlier = later - 1; earlier >= 0; earlier--) {
      if (behind[earlier]) continue
      const waits =
        isOrderedBefore(steps[earlier]!.node, step.node) ||
        collide(touched[earlier]!, touched[later]!, earlier)
      if (!waits) continue
      direct.push(earlier)
      behind[earlier] = 1
      for (const [place, is_behind] of reached[earlier]!.entries()) if (is_behind) behind[place] = 1
    }
    reached.push(behind)
    return direct.reverse()
  })
}

function collide(earlier: Touched, later: Touched, place: number): boolean {
  const changed = [...earlier.writes, ...earlier.counts]
  return (
    meet(changed, later.reads) ||
    meet(changed, later.writes) ||
    meet(earlier.writes, later.counts) ||
    meet(earlier.reads, [...later.writes, ...later.counts]) ||
    later.decided.some(({ at, reads }) => place < at && meet(changed, reads))
  )
}

function meet(some: readonly FactPath[], others: readonly FactPath[]): boolean {
  return some.some((one) => others.some((other) => overlaps(one, other)))
}

function touchedBy({ node, operator }: Step, looks: Map<Decomposition, FactPath[]>): Touched {
  const { args } = node
  const effects = operator?.effects ?? []
  const pathsOf = (is_count: boolean) =>
    effects.filter(({ kind }) => (kind === 'increment') === is_count).map(({ path }) => path(args))
  const reads = [
    ...(operator?.preconditions ?? []).flatMap((condition) => condition.reads(args)),
    ...effects.flatMap(({ value }) => value.reads(args)),
    ...(operator?.payload?.reads(args) ?? []),
  ]
  const decided = []
  for (const { parent } of ancestry(node))
    if (parent) decided.push({ at: parent.at, reads: looksOf(parent, looks) })
  return { reads, writes: pathsOf(false), counts: pathsOf(true), decided }
}

function looksOf(decomposition: Decomposition, known: Map<Decomposition, FactPath[]>): FactPath[] {
  const found = known.get(decomposition)
  if (found) return found
  const { method, args } = decomposition
  const paths = [
    ...method.choices.flatMap(({ from }) => from.reads(args)),
    ...method.preconditions.flatMap((condition) => condition.reads(args)),
    ...method.subtasks.flatMap((subtask) => subtask.args.reads(args)),
  ]
  known.set(decomposition, paths)
  return paths
}
