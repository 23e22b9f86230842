// Which variables can tell nothing of which others, by the graph alone: d-separation, with bidirected edges m-separation.
import { ancestorsOf, type CausalGraph } from './graph.ts'

/** Arrived at a node along an edge that points at it, or against one that leaves it. */
type Heading = 'into' | 'out of'

/** Whether every path from the ones to the others is blocked by what is given. */
export function areSeparated(
  graph: CausalGraph,
  ones: Iterable<number>,
  others: ReadonlySet<number>,
  evidence: ReadonlySet<number>,
): boolean {
  const informed = ancestorsOf(graph, evidence)
  const visited = { into: new Set<number>(), 'out of': new Set<number>() }
  const open: { node: number; heading: Heading }[] = []
  const visit = (node: number, heading: Heading) => {
    if (visited[heading].has(node)) return
    visited[heading].add(node)
    open.push({ node, heading })
  }
  for (const node of ones) if (!evidence.has(node)) visit(node, 'out of')
  for (let at = open.pop(); at; at = open.pop()) {
    const { node, heading } = at
    if (others.has(node) && !evidence.has(node)) return false
    // Two arrowheads that meet let through only where they, or what they cause, are given.
    const through_heads = heading === 'out of' ? !evidence.has(node) : informed.has(node)
    if (through_heads) {
      for (const cause of graph.parents.get(node)!) visit(cause, 'out of')
      for (const spouse of graph.spouses.get(node)!) visit(spouse, 'into')
    }
    if (!evidence.has(node)) for (const effect of graph.children.get(node)!) visit(effect, 'into')
  }
  return true
}
