// Finds a cycle among causes.
/** Undefined if there is none; otherwise each is caused by the next, and the last by the first. */
export function findCycle(parents: readonly (readonly number[])[]): number[] | undefined {
  const state = new Uint8Array(parents.length)
  for (let start = 0; start < parents.length; start++) {
    const path = [{ node: start, next: 0 }]
    for (let top = path.at(-1); top && state[start] !== 2; top = path.at(-1)) {
      state[top.node] = 1
      const parent = parents[top.node]![top.next++]
      if (parent === undefined) {
        state[top.node] = 2
        path.pop()
      } else if (state[parent] === 1) {
        const nodes = path.map(({ node }) => node)
        return nodes.slice(nodes.indexOf(parent)).reverse()
      } else if (state[parent] === 0) path.push({ node: parent, next: 0 })
    }
  }
  return undefined
}
