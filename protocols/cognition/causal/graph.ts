// Causal graphs: arrows, and bidirected edges for hidden common causes (acyclic directed mixed graphs).
import type { Network, Variable } from './network.ts'

/** `parents` and `spouses` name nodes of the graph. */
export interface CausalGraph {
  /** In topological order, causes first. */
  readonly nodes: readonly number[]
  readonly parents: ReadonlyMap<number, ReadonlySet<number>>
  readonly children: ReadonlyMap<number, ReadonlySet<number>>
  readonly spouses: ReadonlyMap<number, ReadonlySet<number>>
}

type Edge = readonly [number, number]
type Edges = Map<number, Set<number>>

/** Over the variables with a table. */
export function graphOf(network: Network): CausalGraph {
  return projected(network, ({ table }) => !table)
}

/** Over what can be observed, and what the question names: a latent variable is left out even with a table. */
export function observableGraphOf(network: Network, named: ReadonlySet<number>): CausalGraph {
  return projected(network, ({ table, is_latent }, place) => !table || (is_latent && !named.has(place)))
}

/** Projects out what is hidden: its effects inherit its causes and share a hidden one. */
function projected(
  { variables, bidirected }: Network,
  isHidden: (variable: Variable, place: number) => boolean,
): CausalGraph {
  const parents: Edges = new Map(variables.map((variable, place) => [place, new Set(variable.parents)]))
  const spouses: Edges = new Map(variables.map((_, place) => [place, new Set<number>()]))
  for (const [one, other] of bidirected) join(spouses, one, other)
  for (const [place, variable] of variables.entries()) {
    if (isHidden(variable, place)) projectAway(place, parents, spouses)
  }
  const arrows = [...parents].flatMap(([child, causes]) => [...causes].map((cause): Edge => [cause, child]))
  const pairs = [...spouses].flatMap(([one, others]) =>
    [...others].filter((other) => one < other).map((other): Edge => [one, other]),
  )
  return graphFrom([...parents.keys()], arrows, pairs)
}

function graphFrom(nodes: readonly number[], arrows: readonly Edge[], pairs: readonly Edge[]): CausalGraph {
  const [parents, children, spouses] = [emptyEdges(nodes), emptyEdges(nodes), emptyEdges(nodes)]
  for (const [cause, effect] of arrows) {
    parents.get(effect)!.add(cause)
    children.get(cause)!.add(effect)
  }
  for (const [one, other] of pairs) join(spouses, one, other)
  return { nodes: sortCausesFirst(nodes, parents, children), parents, children, spouses }
}

export function inducedBy(graph: CausalGraph, nodes: ReadonlySet<number>): CausalGraph {
  return {
    nodes: graph.nodes.filter((node) => nodes.has(node)),
    parents: within(graph.parents, nodes),
    children: within(graph.children, nodes),
    spouses: within(graph.spouses, nodes),
  }
}

/** Without the arrows and bidirected edges into these nodes: the graph after an intervention. */
export function withoutEdgesInto(graph: CausalGraph, cut: ReadonlySet<number>): CausalGraph {
  return graphFrom(
    graph.nodes,
    arrowsOf(graph).filter(([, effect]) => !cut.has(effect)),
    pairsOf(graph).filter(([one, other]) => !cut.has(one) && !cut.has(other)),
  )
}

export function withoutArrows(graph: CausalGraph, isCut: (arrow: Edge) => boolean): CausalGraph {
  return graphFrom(
    graph.nodes,
    arrowsOf(graph).filter((arrow) => !isCut(arrow)),
    pairsOf(graph),
  )
}

/** Including the nodes themselves. */
export function ancestorsOf(graph: CausalGraph, of: Iterable<number>): Set<number> {
  return reach(graph.parents, of)
}

export function descendantsOf(graph: CausalGraph, of: Iterable<number>): Set<number> {
  return reach(graph.children, of)
}

/** Components connected by bidirected edges (c-components): each factor of the joint distribution. */
export function confoundedParts(graph: CausalGraph): Set<number>[] {
  const parts: Set<number>[] = []
  const placed = new Set<number>()
  for (const node of graph.nodes) {
    if (placed.has(node)) continue
    const part = reach(graph.spouses, [node])
    for (const member of part) placed.add(member)
    parts.push(part)
  }
  return parts
}

function arrowsOf(graph: CausalGraph): Edge[] {
  return graph.nodes.flatMap((effect) =>
    [...graph.parents.get(effect)!].map((cause): Edge => [cause, effect]),
  )
}

function pairsOf(graph: CausalGraph): Edge[] {
  return graph.nodes.flatMap((one) =>
    [...graph.spouses.get(one)!].filter((other) => one < other).map((other): Edge => [one, other]),
  )
}

function projectAway(hidden: number, parents: Edges, spouses: Edges): void {
  const effects = [...parents].filter(([, causes]) => causes.has(hidden)).map(([effect]) => effect)
  const causes = [...parents.get(hidden)!]
  const others = [...spouses.get(hidden)!]
  for (const [place, effect] of effects.entries()) {
    parents.get(effect)!.delete(hidden)
    for (const cause of causes) parents.get(effect)!.add(cause)
    for (const other of [...others, ...effects.slice(place + 1)])
      if (other !== effect) join(spouses, effect, other)
  }
  parents.delete(hidden)
  for (const other of others) spouses.get(other)!.delete(hidden)
  spouses.delete(hidden)
}

function join(spouses: Edges, one: number, other: number): void {
  spouses.get(one)!.add(other)
  spouses.get(other)!.add(one)
}

function emptyEdges(nodes: readonly number[]): Edges {
  return new Map(nodes.map((node) => [node, new Set<number>()]))
}

function within(edges: CausalGraph['parents'], nodes: ReadonlySet<number>): Edges {
  const left: Edges = new Map()
  for (const node of nodes)
    left.set(node, new Set([...(edges.get(node) ?? [])].filter((other) => nodes.has(other))))
  return left
}

function reach(edges: CausalGraph['parents'], from: Iterable<number>): Set<number> {
  const reached = new Set<number>(from)
  for (const node of reached) for (const next of edges.get(node) ?? []) reached.add(next)
  return reached
}

/** Of several candidates the first named comes next. */
function sortCausesFirst(nodes: readonly number[], parents: Edges, children: Edges): number[] {
  const waiting = new Map(nodes.map((node) => [node, parents.get(node)!.size]))
  const ready = nodes.filter((node) => waiting.get(node) === 0)
  const sorted: number[] = []
  for (const node of ready) {
    sorted.push(node)
    for (const child of children.get(node)!) {
      waiting.set(child, waiting.get(child)! - 1)
      if (waiting.get(child) === 0) ready.push(child)
    }
  }
  return sorted
}
