// The RFC 6962 tree over a tenant's record hashes: appending leaves, and proofs from any node store.
import { sha256Bytes } from '@svc/contract/signing/canonical-json'

const hash_bytes = 32

/** Levels whose complete subtrees are stored; between them at most 2^8 nodes are recomputed. */
export const stored_levels = [8, 16, 24, 32, 40] as const
const block_levels = 8

export type NodeOf = (level: number, index: number) => Buffer

export interface StoredNode {
  readonly level: number
  readonly index: number
  readonly hash: Buffer
}

const leaf_input = Buffer.alloc(1 + hash_bytes)
const node_input = Buffer.alloc(1 + 2 * hash_bytes)
node_input[0] = 1

export function leafHash(record_hash: Uint8Array): Buffer {
  leaf_input.set(record_hash, 1)
  return sha256Bytes(leaf_input)
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  node_input.set(left, 1)
  node_input.set(right, 1 + hash_bytes)
  return sha256Bytes(node_input)
}

/** Roots of the complete subtrees of a tree of some size, largest first. */
export type Frontier = Buffer[]

/** Adds the leaf at `index` in place, and returns each completed subtree of a stored level. */
export function appendLeaf(
  frontier: Frontier,
  index: number,
  leaf: Buffer,
  keep: (node: StoredNode) => void,
): void {
  let node = leaf
  let level = 0
  let position = index
  while (position % 2 === 1) {
    node = nodeHash(frontier.pop()!, node)
    position = (position - 1) / 2
    level++
    if (level % block_levels === 0 && level <= stored_levels.at(-1)!) {
      keep({ level, index: position, hash: node })
    }
  }
  frontier.push(node)
}

export function rootOf(frontier: Frontier): Buffer {
  if (frontier.length === 0) return sha256Bytes('')
  return frontier.slice(0, -1).reduceRight((right, left) => nodeHash(left, right), frontier.at(-1)!)
}

export function packFrontier(frontier: Frontier): Buffer {
  return Buffer.concat(frontier)
}

export function unpackFrontier(bytes: Buffer, size: number): Frontier {
  const count = bytes.length / hash_bytes
  if (count !== size.toString(2).replaceAll('0', '').length) {
    throw new Error(`a tree of ${size} leaves has another frontier than the ${bytes.length} bytes stored`)
  }
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * hash_bytes, (i + 1) * hash_bytes))
}

/** The root of the tree at this size. */
export function rootAtSize(size: number, nodeOf: NodeOf): Buffer {
  return size === 0 ? rootOf([]) : rangeRoot(0, size, nodeOf)
}

/** The root over leaves [from, to); `from` is a multiple of the largest power of two below the span. */
function rangeRoot(from: number, to: number, nodeOf: NodeOf): Buffer {
  const span = to - from
  const split = largestPowerBelow(span)
  if (span === 1 || split * 2 === span) return subtreeRoot(Math.round(Math.log2(span)), from / span, nodeOf)
  return nodeHash(rangeRoot(from, from + split, nodeOf), rangeRoot(from + split, to, nodeOf))
}

function subtreeRoot(level: number, index: number, nodeOf: NodeOf): Buffer {
  if (storedLevel(level) === level) return nodeOf(level, index)
  return nodeHash(subtreeRoot(level - 1, index * 2, nodeOf), subtreeRoot(level - 1, index * 2 + 1, nodeOf))
}

/** The highest level at or below this one whose nodes can be looked up. */
function storedLevel(level: number): number {
  return Math.min(level - (level % block_levels), stored_levels.at(-1)!)
}

/** RFC 6962 2.1.1: the siblings from leaf to root. */
export function inclusionPath(index: number, size: number, nodeOf: NodeOf): Buffer[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`leaf ${index} is not in a tree of ${size}`)
  return pathWithin(index, 0, size, nodeOf)
}

function pathWithin(index: number, from: number, to: number, nodeOf: NodeOf): Buffer[] {
  if (to - from === 1) return []
  const split = from + largestPowerBelow(to - from)
  return index < split
    ? [...pathWithin(index, from, split, nodeOf), rangeRoot(split, to, nodeOf)]
    : [...pathWithin(index, split, to, nodeOf), rangeRoot(from, split, nodeOf)]
}

/**
 * The inclusion path of a leaf that was added to a tree of `size_before`, in the tree with all `leaves` added: everything to the left
 * of them is in the frontier of the tree before.
 */
export function grownPath(
  frontier: Frontier,
  size_before: number,
  leaves: readonly Buffer[],
  index: number,
): Buffer[] {
  const subtrees = new Map<string, Buffer>()
  let first = 0
  for (const node of frontier) {
    const span = largestPowerBelow(size_before - first + 1)
    subtrees.set(`${first} ${first + span}`, node)
    first += span
  }
  const rootOfRange = (from: number, to: number): Buffer => {
    if (to - from === 1 && from >= size_before) return leaves[from - size_before]!
    const split = from + largestPowerBelow(to - from)
    return subtrees.get(`${from} ${to}`) ?? nodeHash(rootOfRange(from, split), rootOfRange(split, to))
  }
  const pathIn = (from: number, to: number): Buffer[] => {
    if (to - from === 1) return []
    const split = from + largestPowerBelow(to - from)
    return index < split
      ? [...pathIn(from, split), rootOfRange(split, to)]
      : [...pathIn(split, to), rootOfRange(from, split)]
  }
  return pathIn(0, size_before + leaves.length)
}

/** RFC 6962 2.1.2: proves that the tree of `from_size` is a prefix of the tree of `to_size`. */
export function consistencyPath(from_size: number, to_size: number, nodeOf: NodeOf): Buffer[] {
  if (!(from_size > 0 && from_size <= to_size)) {
    throw new RangeError(`a tree of ${from_size} is no prefix of a tree of ${to_size}`)
  }
  return consistencyWithin(from_size, 0, to_size, true, nodeOf)
}

function consistencyWithin(size: number, from: number, to: number, whole: boolean, nodeOf: NodeOf): Buffer[] {
  if (size === to) return whole ? [] : [rangeRoot(from, to, nodeOf)]
  const split = from + largestPowerBelow(to - from)
  return size <= split
    ? [...consistencyWithin(size, from, split, whole, nodeOf), rangeRoot(split, to, nodeOf)]
    : [...consistencyWithin(size, split, to, false, nodeOf), rangeRoot(from, split, nodeOf)]
}

/** The roots of everything around leaves [first, past), left to right: with those leaves they give the root. */
export function surroundingNodes(first: number, past: number, size: number, nodeOf: NodeOf): Buffer[] {
  if (!(first >= 0 && first < past && past <= size))
    throw new RangeError(`leaves ${first} to ${past} are no part of a tree of ${size}`)
  return surroundingWithin(first, past, 0, size, nodeOf)
}

function surroundingWithin(first: number, past: number, from: number, to: number, nodeOf: NodeOf): Buffer[] {
  if (to <= first || from >= past) return [rangeRoot(from, to, nodeOf)]
  if (from >= first && to <= past) return []
  const split = from + largestPowerBelow(to - from)
  return [
    ...surroundingWithin(first, past, from, split, nodeOf),
    ...surroundingWithin(first, past, split, to, nodeOf),
  ]
}

function largestPowerBelow(span: number): number {
  let power = 1
  while (power * 2 < span) power *= 2
  return power
}
