// The necessary dependencies: the orders of the methods, and tasks that change facts others read. Any
// order that respects them works, so all other tasks may run in parallel.
import { type FactPath, type Facts, overlaps, readFact } from './facts.ts'
import type { Solution, Step } from './solution.ts'
import { ancestry, type Decomposition, isOrderedBefore } from './task-network.ts'

interface Touched {
  readonly reads: readonly FactPath[]
  /** Facts set or removed. */
  readonly writes: readonly FactPath[]
  /** Sums do not depend on the order of addition. */
  readonly counts: readonly FactPath[]
  /** Facts set or counted, which are there afterwards with all containers around them. */
  readonly adds: readonly FactPath[]
  /** Containers of facts that are created with them: visible without the fact itself. */
  readonly makes: readonly FactPath[]
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
        collide(touched[earlier]!, touched[later]!, earlier)
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

function collide(earlier: Touched, later: Touched, place: number): boolean {
  const changed = [...earlier.writes, ...earlier.counts]
  return (
    looksAt(later, changed, place) ||
    meet(changed, later.writes) ||
    meet(earlier.writes, later.counts) ||
    meet(earlier.reads, [...later.writes, ...later.counts])
  )
}

/** Whether it, or a method that led to it, reads a change made by an earlier step. */
function looksAt({ reads, decided }: Touched, changed: readonly FactPath[], place: number): boolean {
  return meet(changed, reads) || decided.some((look) => place < look.at && meet(changed, look.reads))
}

function meet(some: readonly FactPath[], others: readonly FactPath[]): boolean {
  return some.some((one) => others.some((other) => overlaps(one, other)))
}

function isBelow(path: FactPath, above: FactPath): boolean {
  return path.length > above.length && overlaps(path, above)
}

function touchedBy(
  { node, operator, before }: Step,
  settled: readonly Decomposition[],
  lookOf: (decomposition: Decomposition) => Look,
): Touched {
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
  const decided = settled.filter((one) => isOrderedBefore(one.node, node)).map(lookOf)
  for (const { parent } of ancestry(node)) if (parent) decided.push(lookOf(parent))
  return { reads, writes: pathsOf(false), counts: pathsOf(true), adds, makes, decided }
}

/** The outermost container that setting this fact creates, if any. */
function madeBy(path: FactPath, before: Facts): FactPath[] {
  for (let length = 1; length < path.length; length++)
    if (readFact(before, path.slice(0, length)) === undefined) return [path.slice(0, length)]
  return []
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
    const { method, args, at } = decomposition
    const reads = [
      ...method.choices.flatMap(({ from }) => from.reads(args)),
      ...method.preconditions.flatMap((condition) => condition.reads(args)),
      ...method.subtasks.flatMap((subtask) => subtask.args.reads(args)),
    ]
    const look = { at: Math.min(at, firsts.get(decomposition) ?? at), reads }
    looks.set(decomposition, look)
    return look
  }
}
