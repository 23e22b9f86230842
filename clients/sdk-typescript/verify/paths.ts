// RFC 9162: consistency proofs between trees, and proofs of a range of leaves.
import { fromHex, toHex } from './bytes.ts'
import { type Primitives, platformPrimitives } from './primitives.ts'
import { half, hashLeaf, hashPair, isCount, isPath } from './tree.ts'

/** Both edges of a range have a path. */
const around_max = 128

export interface SizedRoot {
  readonly size: number
  /** Hex. */
  readonly root: string
}

/** Whether the first tree is a prefix of the second. The empty tree is a prefix of all. */
export async function isGrownFrom(
  first: SizedRoot,
  second: SizedRoot,
  path: unknown,
  primitives = platformPrimitives(),
): Promise<boolean> {
  if (!isCount(first.size) || !isCount(second.size) || first.size > second.size || !isPath(path)) return false
  if (first.size === 0) return path.length === 0 && first.root === (await emptyRoot(primitives))
  if (first.size === second.size) return path.length === 0 && first.root === second.root
  // If the first tree is a complete subtree, its root is the first node and is not in the proof.
  let [index, last] = [first.size - 1, second.size - 1]
  while (index % 2 === 1) [index, last] = [half(index), half(last)]
  const nodes = index === 0 ? [first.root, ...path] : [...path]
  const start = nodes.shift()
  if (start === undefined) return false
  let [old_root, new_root] = [fromHex(start), fromHex(start)] as [Uint8Array, Uint8Array]
  for (const text of nodes) {
    while (last > 0 && index === last && index % 2 === 0) [index, last] = [half(index), half(last)]
    if (last === 0) return false
    const node = fromHex(text)
    if (index % 2 === 1) old_root = await hashPair(node, old_root, primitives)
    new_root = await (index % 2 === 1
      ? hashPair(node, new_root, primitives)
      : hashPair(new_root, node, primitives))
    ;[index, last] = [half(index), half(last)]
  }
  return last === 0 && toHex(old_root) === first.root && toHex(new_root) === second.root
}

export async function emptyRoot({ sha256 }: Primitives): Promise<string> {
  return toHex(await sha256(new Uint8Array()))
}

/** The root of a range of leaves and the nodes around it; undefined if they do not fit. */
export async function rootOfRow(
  record_hashes: readonly string[],
  place: { readonly index: number; readonly size: number },
  around: unknown,
  primitives: Primitives,
): Promise<string | undefined> {
  const past = place.index + record_hashes.length
  const fits = isCount(place.index) && isCount(place.size) && past <= place.size && record_hashes.length > 0
  if (!fits || !isPath(around, around_max) || !isPath(record_hashes, record_hashes.length)) return undefined
  const nodes = [...around]
  const within = async (from: number, to: number): Promise<Uint8Array | undefined> => {
    if (to <= place.index || from >= past) {
      const node = nodes.shift()
      return node === undefined ? undefined : fromHex(node)
    }
    if (to - from === 1) return await hashLeaf(fromHex(record_hashes[from - place.index]!), primitives)
    const split = from + largestPowerBelow(to - from)
    const left = await within(from, split)
    const right = left && (await within(split, to))
    return left && right && (await hashPair(left, right, primitives))
  }
  const root = await within(0, place.size)
  return root && nodes.length === 0 ? toHex(root) : undefined
}

function largestPowerBelow(span: number): number {
  let power = 1
  while (power * 2 < span) power *= 2
  return power
}
