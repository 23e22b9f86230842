// Clusters memories into episodes: similar, and about the same entities or close in time. Average linkage.

export interface Occurrence {
  /** Unit length times 127; if undefined, it is similar only to itself. */
  readonly vector: Int8Array | undefined
  /** Names of the entities it is about. */
  readonly entities: readonly string[]
  readonly at_ms: number
}

export interface Cluster {
  /** Indexes in the input, ascending. */
  readonly members: readonly number[]
  /** Mean silhouette of its members, -1 to 1; 0 for a single member. */
  readonly silhouette: number
}

const cosine_min = 0.75
const gap_ms_max = 30 * 60_000
/** Upper bound: clustering compares every pair, so the cost grows with the square. */
const occurrences_at_once_max = 1_500
const unit = 127 * 127

/** In the order of their first members. */
export function clusterEpisodes(occurrences: readonly Occurrence[]): Cluster[] {
  const in_time = occurrences
    .map((_, place) => place)
    .sort((a, b) => occurrences[a]!.at_ms - occurrences[b]!.at_ms || a - b)
  const clusters: Cluster[] = []
  for (let from = 0; from < in_time.length; from += occurrences_at_once_max) {
    const places = in_time.slice(from, from + occurrences_at_once_max)
    const block_clusters = clusterBlock(places.map((place) => occurrences[place]!))
    for (const { members, silhouette } of block_clusters)
      clusters.push({ members: members.map((at) => places[at]!).sort((a, b) => a - b), silhouette })
  }
  return clusters.sort((a, b) => a.members[0]! - b.members[0]!)
}

interface Group {
  readonly members: readonly number[]
  readonly entities: ReadonlySet<string>
  readonly from_ms: number
  readonly until_ms: number
}

function clusterBlock(block: readonly Occurrence[]): Cluster[] {
  const n = block.length
  const likeness = likenessOf(block)
  const means = Float64Array.from(likeness)
  const groups: (Group | undefined)[] = block.map(({ entities, at_ms }, place) => ({
    members: [place],
    entities: new Set(entities),
    from_ms: at_ms,
    until_ms: at_ms,
  }))
  const nearest = new Int32Array(n)
  const look = (i: number) => {
    nearest[i] = nearestOf(i, groups, means, n)
  }
  for (let i = 0; i < n; i++) look(i)
  // Each merge removes one group, so there are at most n.
  for (let merges = 0; merges < n; merges++) {
    const best = bestPair(nearest, groups, means, n)
    if (!best) break
    const [i, j] = best
    merge(i, j, groups, means, n)
    for (let k = 0; k < n; k++) {
      if (!groups[k]) continue
      if (k === i || nearest[k] === i || nearest[k] === j) look(k)
      else if (k < i && isNearer(k, i, nearest[k]!, groups, means, n)) nearest[k] = i
    }
  }
  return groups.flatMap((group) =>
    group ? [{ members: group.members, silhouette: silhouetteOf(group, groups, likeness, n) }] : [],
  )
}

function likenessOf(block: readonly Occurrence[]): Float64Array {
  const n = block.length
  const likeness = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    likeness[i * n + i] = 1
    for (let j = i + 1; j < n; j++) {
      const value = cosine(block[i]!.vector, block[j]!.vector)
      likeness[i * n + j] = value
      likeness[j * n + i] = value
    }
  }
  return likeness
}

function cosine(one: Int8Array | undefined, other: Int8Array | undefined): number {
  if (!one || !other || one.length !== other.length) return 0
  let sum = 0
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!
  // Rounded to bytes, a vector's length is not exactly one.
  return Math.max(-1, Math.min(1, sum / unit))
}

/** The best group after this one to merge with; -1 if there is none. */
function nearestOf(
  i: number,
  groups: readonly (Group | undefined)[],
  means: Float64Array,
  n: number,
): number {
  let best = -1
  for (let j = i + 1; j < n; j++) if (isNearer(i, j, best, groups, means, n)) best = j
  return best
}

function isNearer(
  i: number,
  j: number,
  than: number,
  groups: readonly (Group | undefined)[],
  means: Float64Array,
  n: number,
): boolean {
  const [one, other, mean] = [groups[i], groups[j], means[i * n + j]!]
  if (!one || !other || mean < cosine_min) return false
  if (than >= 0 && groups[than] && mean <= means[i * n + than]!) return false
  return isClose(one, other)
}

function isClose(one: Group, other: Group): boolean {
  const gap_ms = Math.max(one.from_ms, other.from_ms) - Math.min(one.until_ms, other.until_ms)
  return gap_ms < gap_ms_max || !one.entities.isDisjointFrom(other.entities)
}

function bestPair(
  nearest: Int32Array,
  groups: readonly (Group | undefined)[],
  means: Float64Array,
  n: number,
): [number, number] | undefined {
  let best: [number, number] | undefined
  let mean = -2
  for (let i = 0; i < n; i++) {
    const j = nearest[i]!
    if (!groups[i] || j < 0 || means[i * n + j]! <= mean) continue
    best = [i, j]
    mean = means[i * n + j]!
  }
  return best
}

/** Merges the second into the first; its mean similarity to others is over all pairs of members. */
function merge(i: number, j: number, groups: (Group | undefined)[], means: Float64Array, n: number): void {
  const [one, other] = [groups[i]!, groups[j]!]
  const [a, b] = [one.members.length, other.members.length]
  for (let k = 0; k < n; k++) {
    if (!groups[k] || k === i || k === j) continue
    const mean = (a * means[i * n + k]! + b * means[j * n + k]!) / (a + b)
    means[i * n + k] = mean
    means[k * n + i] = mean
  }
  groups[i] = {
    members: [...one.members, ...other.members],
    entities: one.entities.union(other.entities),
    from_ms: Math.min(one.from_ms, other.from_ms),
    until_ms: Math.max(one.until_ms, other.until_ms),
  }
  groups[j] = undefined
}

/** How much closer its members are to each other than to the nearest other group. */
function silhouetteOf(
  group: Group,
  groups: readonly (Group | undefined)[],
  likeness: Float64Array,
  n: number,
): number {
  const { members } = group
  if (members.length === 1) return 0
  let sum = 0
  for (const i of members) {
    const distanceTo = (others: readonly number[]) =>
      others.reduce((total, k) => total + (k === i ? 0 : 1 - likeness[i * n + k]!), 0)
    const own = distanceTo(members) / (members.length - 1)
    let next = Infinity
    for (const other of groups)
      if (other && other !== group) next = Math.min(next, distanceTo(other.members) / other.members.length)
    const larger = Math.max(own, next)
    sum += next === Infinity || larger === 0 ? 0 : (next - own) / larger
  }
  return sum / members.length
}
