// Effects from observations: back-door adjustment and the front-door criterion.
import {
  ancestorsOf,
  type CausalGraph,
  descendantsOf,
  inducedBy,
  observableGraphOf,
  withoutArrows,
} from './graph.ts'
import type { Network } from './network.ts'
import { areSeparated } from './separation.ts'

const front_door_nodes_max = 16
const front_door_size_max = 3

/** As `findAdjustment`, among the variables that can be observed. */
export function adjustmentFor(
  network: Network,
  causes: ReadonlySet<number>,
  effects: ReadonlySet<number>,
): number[] | undefined {
  return findAdjustment(observableGraphOf(network, new Set([...causes, ...effects])), causes, effects)
}

/** A minimal adjustment set; undefined if there is none, empty if none is needed. */
function findAdjustment(
  graph: CausalGraph,
  causes: ReadonlySet<number>,
  effects: ReadonlySet<number>,
): number[] | undefined {
  const between = onProperPaths(graph, causes, effects)
  const barred = descendantsOf(graph, between)
  // With the causal paths cut at their first arrow, causes and effects must be separated.
  const cut = withoutArrows(graph, ([from, to]) => causes.has(from) && between.has(to))
  const allowed = (node: number) => !barred.has(node) && !causes.has(node) && !effects.has(node)
  const parents = [...causes].flatMap((cause) => [...graph.parents.get(cause)!])
  const ancestors = ancestorsOf(graph, [...causes, ...effects])
  for (const pool of [parents, [...ancestors]]) {
    const candidates = new Set([...new Set(pool)].filter(allowed).sort((a, b) => a - b))
    if (areSeparated(cut, causes, effects, candidates)) return shrink(cut, causes, effects, candidates)
  }
  return undefined
}

/** Mediators that carry the whole effect and are not confounded with either end; for a single cause only. */
export function findFrontDoor(
  graph: CausalGraph,
  cause: number,
  effects: ReadonlySet<number>,
): number[] | undefined {
  const between = [...onProperPaths(graph, new Set([cause]), effects)].filter((node) => !effects.has(node))
  if (between.length === 0 || between.length > front_door_nodes_max) return undefined
  const cut_cause = withoutArrows(graph, ([from]) => from === cause)
  const clean = between.filter((node) => areSeparated(cut_cause, [cause], new Set([node]), new Set()))
  return subsetsOf(clean.sort((a, b) => a - b)).find((members) =>
    isFrontDoor(graph, cause, effects, new Set(members)),
  )
}

function isFrontDoor(
  graph: CausalGraph,
  cause: number,
  effects: ReadonlySet<number>,
  mediators: ReadonlySet<number>,
): boolean {
  const without = inducedBy(graph, new Set(graph.nodes.filter((node) => !mediators.has(node))))
  const reached = descendantsOf(without, [cause])
  if ([...effects].some((effect) => reached.has(effect))) return false
  const cut_mediators = withoutArrows(graph, ([from]) => mediators.has(from))
  return areSeparated(cut_mediators, mediators, effects, new Set([cause]))
}

/** On a directed path from a cause to an effect that passes no other cause; without the causes. */
function onProperPaths(
  graph: CausalGraph,
  causes: ReadonlySet<number>,
  effects: ReadonlySet<number>,
): Set<number> {
  const cut = withoutArrows(graph, ([, to]) => causes.has(to))
  const before = ancestorsOf(cut, effects)
  const after = descendantsOf(cut, causes)
  return new Set([...after].filter((node) => before.has(node) && !causes.has(node)))
}

/** Removes members while the rest still suffices. */
function shrink(
  cut: CausalGraph,
  causes: ReadonlySet<number>,
  effects: ReadonlySet<number>,
  members: ReadonlySet<number>,
): number[] {
  const left = new Set(members)
  for (const member of members) {
    left.delete(member)
    if (!areSeparated(cut, causes, effects, left)) left.add(member)
  }
  return [...left]
}

/** Smallest first. */
function subsetsOf(members: readonly number[]): number[][] {
  let grown: number[][] = [[]]
  const all: number[][] = []
  for (let size = 1; size <= front_door_size_max; size++) {
    grown = grown.flatMap((subset) =>
      members.filter((member) => member > (subset.at(-1) ?? -1)).map((member) => [...subset, member]),
    )
    all.push(...grown)
  }
  return all
}
