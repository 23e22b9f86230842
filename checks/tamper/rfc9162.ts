// A proof verifier written from RFC 9162 alone, for tests: it shares no code with the tree or the verifiers
// we ship.
import { createHash } from 'node:crypto'

const leaf_prefix = Buffer.of(0x00)
const node_prefix = Buffer.of(0x01)

export function hashOfLeaf(data: Uint8Array): Buffer {
  return createHash('sha256').update(leaf_prefix).update(data).digest()
}

function hashOfNode(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(node_prefix).update(left).update(right).digest()
}

/** Section 2.1.1: the Merkle Tree Hash over entries, by its definition. */
export function treeHash(entries: readonly Uint8Array[]): Buffer {
  if (entries.length === 0) return createHash('sha256').digest()
  if (entries.length === 1) return hashOfLeaf(entries[0]!)
  const k = 2 ** (Math.ceil(Math.log2(entries.length)) - 1)
  return hashOfNode(treeHash(entries.slice(0, k)), treeHash(entries.slice(k)))
}

export interface SizedRoot {
  readonly size: number
  readonly root: Uint8Array
}

/** Section 2.1.3.2. */
export function verifiesInclusion(
  leaf_hash: Uint8Array,
  leaf_index: number,
  tree: SizedRoot,
  path: readonly Uint8Array[],
): boolean {
  let [fn, sn] = [BigInt(leaf_index), BigInt(tree.size) - 1n]
  if (fn < 0n || fn > sn) return false
  let r: Buffer = Buffer.from(leaf_hash)
  for (const p of path) {
    if (sn === 0n) return false
    if ((fn & 1n) === 1n || fn === sn) {
      r = hashOfNode(p, r)
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n]
    } else r = hashOfNode(r, p)
    ;[fn, sn] = [fn >> 1n, sn >> 1n]
  }
  return sn === 0n && r.equals(tree.root)
}

/** Section 2.1.4.2; the sizes are equal only if the path is empty and the roots are the same. */
export function verifiesConsistency(
  first: SizedRoot,
  second: SizedRoot,
  path: readonly Uint8Array[],
): boolean {
  if (first.size < 1 || first.size > second.size) return false
  if (first.size === second.size) return path.length === 0 && Buffer.from(first.root).equals(second.root)
  if (path.length === 0) return false
  const is_power = (BigInt(first.size) & (BigInt(first.size) - 1n)) === 0n
  const nodes = is_power ? [first.root, ...path] : [...path]
  let [fn, sn] = [BigInt(first.size) - 1n, BigInt(second.size) - 1n]
  while ((fn & 1n) === 1n) [fn, sn] = [fn >> 1n, sn >> 1n]
  let [fr, sr]: [Buffer, Buffer] = [Buffer.from(nodes[0]!), Buffer.from(nodes[0]!)]
  for (const c of nodes.slice(1)) {
    if (sn === 0n) return false
    if ((fn & 1n) === 1n || fn === sn) {
      ;[fr, sr] = [hashOfNode(c, fr), hashOfNode(c, sr)]
      while ((fn & 1n) === 0n && fn !== 0n) [fn, sn] = [fn >> 1n, sn >> 1n]
    } else sr = hashOfNode(sr, c)
    ;[fn, sn] = [fn >> 1n, sn >> 1n]
  }
  return sn === 0n && fr.equals(first.root) && sr.equals(second.root)
}
