// The facts that a step touches: two steps that do not collide may run in either order.
import { type FactPath, type Facts, overlaps, readFact } from './facts.ts'
import type { Step } from './solution.ts'
import type { Decomposition } from './task-network.ts'

export interface Footprint {
  readonly reads: readonly FactPath[]
  /** Facts set or removed. */
  readonly writes: readonly FactPath[]
  /** Sums do not depend on the order of addition. */
  readonly counts: readonly FactPath[]
  /** Facts set or counted, which are there afterwards with all containers around them. */
  readonly adds: readonly FactPath[]
  /** Containers of facts that are created with them: visible without the fact itself. */
  readonly makes: readonly FactPath[]
}

export function footprintOf({ node, operator, before }: Omit<Step, 'payload'>): Footprint {
  const { args } = node
  const effects = (operator?.effects ?? []).map(({ kind, path }) => ({ kind, path: path(args) }))
  const pathsOf = (is_count: boolean) =>
    effects.filter(({ kind }) => (kind === 'increment') === is_count).map(({ path }) => path)
  const reads = [
    ...(operator?.preconditions ?? []).flatMap((condition) => condition.reads(args)),
    ...(operator?.effects ?? []).flatMap(({ value }) => value.reads(args)),
    ...(operator?.payload?.reads(args) ?? []),
  ]
  const adds = effects.filter(({ kind }) => kind !== 'unset').map(({ path }) => path)
  const makes = adds.flatMap((path) => madeBy(path, before))
  return { reads, writes: pathsOf(false), counts: pathsOf(true), adds, makes }
}

/** What was read to choose the method. */
export function decisionReads({ method, args }: Pick<Decomposition, 'method' | 'args'>): FactPath[] {
  return [
    ...method.choices.flatMap(({ from }) => from.reads(args)),
    ...method.preconditions.flatMap((condition) => condition.reads(args)),
    ...method.subtasks.flatMap((subtask) => subtask.args.reads(args)),
  ]
}

/** Whether the later step depends on what the earlier one changes or reads. */
export function collide(earlier: Footprint, later: Footprint): boolean {
  const changed = changedBy(earlier)
  return (
    meet(changed, later.reads) ||
    meet(changed, later.writes) ||
    meet(earlier.writes, later.counts) ||
    meet(earlier.reads, changedBy(later))
  )
}

export function changedBy({ writes, counts }: Footprint): FactPath[] {
  return [...writes, ...counts]
}

export function meet(some: readonly FactPath[], others: readonly FactPath[]): boolean {
  return some.some((one) => others.some((other) => overlaps(one, other)))
}

/** The outermost container that setting this fact creates, if any. */
function madeBy(path: FactPath, before: Facts): FactPath[] {
  for (let length = 1; length < path.length; length++)
    if (readFact(before, path.slice(0, length)) === undefined) return [path.slice(0, length)]
  return []
}
