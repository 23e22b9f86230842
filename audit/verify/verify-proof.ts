// The verifier's own reading of RFC 6962 proofs. It shares no code with the tree that makes them.
import { createHash } from 'node:crypto'

const proof_length_max = 64
const hash_form = /^[0-9a-f]{64}$/

/** The root that a leaf and its path lead to, or undefined where the path has the wrong length. */
export function rootFromInclusion(
  record_hash: string,
  index: number,
  size: number,
  path: readonly string[],
): string | undefined {
  if (!isIndex(index) || !isIndex(size) || index >= size || !isPath(path)) return undefined
  let node = hashLeaf(record_hash)
  let position = index
  let last = size - 1
  for (const sibling of path) {
    if (last === 0) return undefined
    if (position % 2 === 1 || position === last) {
      node = hashPair(sibling, node)
      while (position % 2 === 0 && position !== 0) {
        position = Math.floor(position / 2)
        last = Math.floor(last / 2)
      }
    } else {
      node = hashPair(node, sibling)
    }
    position = Math.floor(position / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 ? node : undefined
}

/** Whether the tree of `from_size` with `from_root` is a prefix of the tree of `to_size` with `to_root`. */
export function isConsistent(
  from: { readonly size: number; readonly root: string },
  to: { readonly size: number; readonly root: string },
  path: readonly string[],
): boolean {
  if (!isIndex(from.size) || !isIndex(to.size) || from.size < 1 || from.size > to.size) return false
  if (!isPath(path)) return false
  if (from.size === to.size) return path.length === 0 && from.root === to.root
  const nodes = isPowerOfTwo(from.size) ? [from.root, ...path] : [...path]
  const first = nodes.shift()
  if (first === undefined) return false
  let position = from.size - 1
  let last = to.size - 1
  while (position % 2 === 1) {
    position = (position - 1) / 2
    last = Math.floor(last / 2)
  }
  let old_root = first
  let new_root = first
  for (const node of nodes) {
    if (last === 0) return false
    if (position % 2 === 1 || position === last) {
      old_root = hashPair(node, old_root)
      new_root = hashPair(node, new_root)
      while (position % 2 === 0 && position !== 0) {
        position = Math.floor(position / 2)
        last = Math.floor(last / 2)
      }
    } else {
      new_root = hashPair(new_root, node)
    }
    position = Math.floor(position / 2)
    last = Math.floor(last / 2)
  }
  return last === 0 && old_root === from.root && new_root === to.root
}

export function hashLeaf(record_hash: string): string {
  return createHash('sha256').update('00', 'hex').update(record_hash, 'hex').digest('hex')
}

export function hashPair(left: string, right: string): string {
  return createHash('sha256').update('01', 'hex').update(left, 'hex').update(right, 'hex').digest('hex')
}

/** Hex decoding passes over what is no hex, so a path would have many spellings if only its bytes counted. */
function isPath(path: readonly string[]): boolean {
  return (
    path.length <= proof_length_max && path.every((node) => typeof node === 'string' && hash_form.test(node))
  )
}

function isIndex(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function isPowerOfTwo(size: number): boolean {
  return size.toString(2).lastIndexOf('1') === 0
}
