// Personalised PageRank: proximity to the seeds over all paths.

export interface GraphEdge {
  readonly one: string
  readonly other: string
  readonly weight: number
}

const damping = 0.85
const rounds_max = 30
const change_min = 1e-6

/** Undirected. Shares of all reachable nodes; they sum to one. */
export function rankFrom(seeds: readonly string[], edges: readonly GraphEdge[]): Map<string, number> {
  const nodes = [...new Set([...seeds, ...edges.flatMap(({ one, other }) => [one, other])])].sort()
  const place_of = new Map(nodes.map((node, place) => [node, place]))
  const ends = edges
    .filter(({ one, other, weight }) => one !== other && weight > 0)
    .map(({ one, other, weight }) => [place_of.get(one)!, place_of.get(other)!, weight] as const)
  const strengths = new Float64Array(nodes.length)
  for (const [one, other, weight] of ends) {
    strengths[one]! += weight
    strengths[other]! += weight
  }
  const home = new Float64Array(nodes.length)
  for (const seed of new Set(seeds)) home[place_of.get(seed)!] = 1 / new Set(seeds).size
  let shares = home.slice()
  for (let round = 0; round < rounds_max; round++) {
    const next = walkOnce(shares, ends, strengths, home)
    const change = next.reduce((sum, share, place) => sum + Math.abs(share - shares[place]!), 0)
    shares = next
    if (change < change_min) break
  }
  return new Map(nodes.map((node, place) => [node, shares[place]!]))
}

/** From a node without edges the walk restarts at the seeds. */
function walkOnce(
  shares: Float64Array,
  ends: readonly (readonly [number, number, number])[],
  strengths: Float64Array,
  home: Float64Array,
): Float64Array<ArrayBuffer> {
  const next = new Float64Array(shares.length)
  for (const [one, other, weight] of ends) {
    next[other]! += (damping * shares[one]! * weight) / strengths[one]!
    next[one]! += (damping * shares[other]! * weight) / strengths[other]!
  }
  let walked = 0
  for (const share of next) walked += share
  for (let place = 0; place < next.length; place++) next[place]! += (1 - walked) * home[place]!
  return next
}
