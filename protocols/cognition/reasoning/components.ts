// Strongly connected components of the predicates, dependencies first.

/** `edges[node]` are its dependencies. Iterative: a chain may be as long as a request. */
export function findComponents(edges: readonly (readonly number[])[]): number[][] {
  const order = new Int32Array(edges.length).fill(-1)
  const low = new Int32Array(edges.length)
  const on_stack = new Uint8Array(edges.length)
  const stack: number[] = []
  const components: number[][] = []
  let counter = 0
  const enter = (node: number) => {
    order[node] = low[node] = counter
    counter += 1
    stack.push(node)
    on_stack[node] = 1
    return { node, next: 0 }
  }
  for (const root of edges.keys()) {
    if (order[root] !== -1) continue
    const path = [enter(root)]
    while (path.length > 0) {
      const top = path[path.length - 1]!
      const target = edges[top.node]![top.next]
      top.next += 1
      if (target === undefined) {
        path.pop()
        const above = path[path.length - 1]
        if (above) low[above.node] = Math.min(low[above.node]!, low[top.node]!)
        if (low[top.node] === order[top.node]) components.push(takeComponent(stack, on_stack, top.node))
      } else if (order[target] === -1) path.push(enter(target))
      else if (on_stack[target]) low[top.node] = Math.min(low[top.node]!, order[target]!)
    }
  }
  return components
}

function takeComponent(stack: number[], on_stack: Uint8Array, root: number): number[] {
  const members: number[] = []
  for (let node = stack.pop()!; ; node = stack.pop()!) {
    on_stack[node] = 0
    members.push(node)
    if (node === root) return members
  }
}
