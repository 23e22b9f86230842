// Independence by the graph alone: d-separation, with bidirected edges m-separation.
import { ancestorsOf, type CausalGraph } from './graph.ts'

/** Whether a node was reached along an edge pointing at it, or against one leaving it. */
type Heading = 'into' | 'out of'

/** Whether the evidence blocks every path between the two sets. */
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
    // A collider is open only if it or a descendant is in the evidence.
    const through_heads = heading === 'out of' ? !evidence.has(node) : informed.has(node)
    if (through_heads) {
      for (const cause of graph.parents.get(node)!) visit(cause, 'out of')
      for (const spouse of graph.spouses.get(node)!) visit(spouse, 'into')
    }
    if (!evidence.has(node)) for (const effect of graph.children.get(node)!) visit(effect, 'into')
  }
  return true
}
