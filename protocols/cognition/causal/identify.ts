// Identifies effects from observations despite hidden causes: the complete ID and IDC of Shpitser and Pearl.
import {
  ancestorsOf,
  type CausalGraph,
  confoundedParts,
  inducedBy,
  withoutArrows,
  withoutEdgesInto,
} from './graph.ts'
import { areSeparated } from './separation.ts'

/** How to compute the effect from the observed joint distribution. */
export type Estimand =
  | { readonly kind: 'joint' }
  | { readonly kind: 'sum'; readonly over: readonly number[]; readonly of: Estimand }
  | { readonly kind: 'product'; readonly of: readonly Estimand[] }
  /** The product of conditionals of a distribution over the domain. */
  | {
      readonly kind: 'chain'
      readonly of: Estimand
      readonly domain: readonly number[]
      readonly links: readonly { readonly variable: number; readonly given: readonly number[] }[]
    }

/** Why it is not identifiable: two forests with the same roots that observations cannot distinguish. */
export interface Hedge {
  readonly forest: readonly number[]
  readonly inner: readonly number[]
}

export interface Identified {
  readonly estimand: Estimand
  /** The answer is the conditional of the joint distribution of these under the interventions. */
  readonly outcomes: readonly number[]
  /** Evidence that do-calculus allows to treat as an intervention. */
  readonly set: ReadonlySet<number>
}

type Nodes = ReadonlySet<number>

/** P(outcomes | do(causes), given). */
export function identify(
  graph: CausalGraph,
  outcomes: Nodes,
  causes: Nodes,
  nodes: Nodes = new Set(),
): Identified | { readonly hedge: Hedge } {
  const movable = [...nodes].find((one) => {
    const rest = union(causes, without(nodes, [one]))
    const cut = withoutArrows(withoutEdgesInto(graph, causes), ([from]) => from === one)
    return areSeparated(cut, outcomes, new Set([one]), rest)
  })
  if (movable !== undefined)
    return identify(graph, outcomes, union(causes, [movable]), without(nodes, [movable]))
  const all = union(outcomes, nodes)
  const joint = identifyJoint(all, causes, { kind: 'joint' }, graph)
  return 'forest' in joint ? { hedge: joint } : { estimand: joint, outcomes: [...all], set: causes }
}

function identifyJoint(
  outcomes: Nodes,
  causes: Nodes,
  joint: Estimand,
  graph: CausalGraph,
): Estimand | Hedge {
  const nodes = new Set(graph.nodes)
  if (causes.size === 0) return sum(without(nodes, outcomes), joint)
  const needed = ancestorsOf(graph, outcomes)
  if (needed.size < nodes.size) {
    const rest = sum(without(nodes, needed), joint)
    return identifyJoint(outcomes, intersection(causes, needed), rest, inducedBy(graph, needed))
  }
  const reaching = ancestorsOf(withoutEdgesInto(graph, causes), outcomes)
  const idle = [...nodes].filter((node) => !causes.has(node) && !reaching.has(node))
  if (idle.length > 0) return identifyJoint(outcomes, union(causes, idle), joint, graph)
  const free = without(nodes, causes)
  const parts = confoundedParts(inducedBy(graph, free))
  if (parts.length > 1) {
    const factors = parts.map((part) => identifyJoint(part, without(nodes, part), joint, graph))
    const failed = factors.find((one) => 'forest' in one)
    if (failed) return failed
    return sum(without(free, outcomes), { kind: 'product', of: factors as Estimand[] })
  }
  return identifyPart(outcomes, causes, joint, graph, parts[0]!)
}

/** What remains is a single c-component. */
function identifyPart(
  outcomes: Nodes,
  causes: Nodes,
  joint: Estimand,
  graph: CausalGraph,
  part: Nodes,
): Estimand | Hedge {
  const whole = confoundedParts(graph)
  if (whole.length === 1) return { forest: [...graph.nodes], inner: [...part].sort((a, b) => a - b) }
  const around = whole.find((other) => [...part].every((node) => other.has(node)))!
  const chain = chainOf(joint, graph, around)
  if (around.size === part.size) return sum(without(part, outcomes), chain)
  return identifyJoint(outcomes, intersection(causes, around), chain, inducedBy(graph, around))
}

/** Each member given its relevant predecessors: its own c-component of the past, and their parents. */
function chainOf(joint: Estimand, graph: CausalGraph, part: Nodes): Estimand {
  const links = graph.nodes.flatMap((variable, place) => {
    if (!part.has(variable)) return []
    return { variable, given: blanketOf(graph, variable, new Set(graph.nodes.slice(0, place + 1))) }
  })
  return { kind: 'chain', of: joint, domain: graph.nodes, links }
}

/** The Markov blanket of a variable within its predecessors. */
export function blanketOf(graph: CausalGraph, variable: number, past: Nodes): number[] {
  const near = new Set([variable])
  for (const node of near)
    for (const spouse of graph.spouses.get(node)!) if (past.has(spouse)) near.add(spouse)
  const causes = [...near].flatMap((node) => [...graph.parents.get(node)!])
  return [...new Set([...near, ...causes])].filter((node) => node !== variable).sort((a, b) => a - b)
}

function sum(over: Nodes, of: Estimand): Estimand {
  return over.size === 0 ? of : { kind: 'sum', over: [...over], of }
}

function union(some: Nodes, others: Iterable<number>): Set<number> {
  return new Set([...some, ...others])
}

function without(some: Nodes, others: Iterable<number>): Set<number> {
  const left = new Set(some)
  for (const other of others) left.delete(other)
  return left
}

function intersection(some: Nodes, others: Nodes): Set<number> {
  return new Set([...some].filter((node) => others.has(node)))
}
