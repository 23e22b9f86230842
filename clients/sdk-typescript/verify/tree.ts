// RFC 6962: the root from a leaf and its path, and the roots of a growing tree.
import { fromHex, toHex, writeHex } from './bytes.ts'
import { type Later, type Primitives, platformPrimitives } from './primitives.ts'

const hash_bytes = 32
const path_length_max = 64
const hash_form = /^[0-9a-f]{64}$/

/** Used again for every hash: `sha256` reads it before it returns. */
const leaf_input = new Uint8Array(1 + hash_bytes)
const pair_input = Uint8Array.of(1, ...new Uint8Array(2 * hash_bytes))

export function hashLeaf(record_hash: Uint8Array, { sha256 }: Primitives): Later<Uint8Array> {
  leaf_input.set(record_hash, 1)
  return sha256(leaf_input)
}

export function hashPair(left: Uint8Array, right: Uint8Array, { sha256 }: Primitives): Later<Uint8Array> {
  pair_input.set(left, 1)
  pair_input.set(right, 1 + hash_bytes)
  return sha256(pair_input)
}

/** The root from a record and its path; undefined if the path does not fit this position and size. */
export async function rootOfPath(
  record_hash: string,
  place: { readonly index: number; readonly size: number },
  path: unknown,
  primitives = platformPrimitives(),
): Promise<string | undefined> {
  if (!isCount(place.index) || !isCount(place.size) || place.index >= place.size) return undefined
  if (!isPath(path) || !hash_form.test(record_hash)) return undefined
  let node = await hashLeaf(fromHex(record_hash), primitives)
  let { index } = place
  let last = place.size - 1
  for (const sibling of path) {
    // The last node of a level without a sibling moves up unchanged.
    while (last > 0 && index === last && index % 2 === 0) [index, last] = [index / 2, half(last)]
    if (last === 0) return undefined
    const other = fromHex(sibling)
    node = await (index % 2 === 1 ? hashPair(other, node, primitives) : hashPair(node, other, primitives))
    ;[index, last] = [half(index), half(last)]
  }
  return last === 0 ? toHex(node) : undefined
}

export function half(count: number): number {
  return Math.floor(count / 2)
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** Only lower-case hex is accepted. */
export function isPath(path: unknown, length_max = path_length_max): path is readonly string[] {
  return (
    Array.isArray(path) &&
    path.length <= length_max &&
    Array.from(path).every((node) => typeof node === 'string' && hash_form.test(node))
  )
}

const chunk_hashes = 4_096

/** Takes every record's hash and returns roots at increasing sizes; stores 32 bytes per record. */
export class GrowingTree {
  readonly #primitives: Primitives
  readonly #kept_sizes: ReadonlySet<number>
  readonly #kept_roots = new Map<number, string>()
  readonly #chunks: Uint8Array[] = []
  /** Roots of the complete subtrees counted so far, largest first. */
  readonly #subtrees: string[] = []
  #size = 0
  #counted = 0

  /** The roots at `kept_sizes` can be read later, in any order. */
  constructor(primitives: Primitives, kept_sizes: Iterable<number>) {
    this.#primitives = primitives
    this.#kept_sizes = new Set(kept_sizes)
  }

  add(record_hash: string): void {
    const at = this.#size % chunk_hashes
    if (at === 0) this.#chunks.push(new Uint8Array(chunk_hashes * hash_bytes))
    writeHex(record_hash, this.#chunks.at(-1)!, at * hash_bytes)
    this.#size++
  }

  /** Undefined for a past size that was not kept, and for a size not reached yet. */
  async rootAt(size: number): Promise<string | undefined> {
    while (this.#counted < Math.min(size, this.#size)) {
      const counting = this.#countNext()
      if (counting) await counting
      if (this.#kept_sizes.has(this.#counted)) this.#kept_roots.set(this.#counted, await this.#root())
    }
    if (size === this.#counted && size > 0) return await this.#root()
    return this.#kept_roots.get(size)
  }

  /** Waits only where the platform does: a promise for each node would take longer than its hash. */
  #countNext(): Later<void> {
    const chunk = this.#chunks[Math.floor(this.#counted / chunk_hashes)]!
    const at = (this.#counted % chunk_hashes) * hash_bytes
    leaf_input.set(chunk.subarray(at, at + hash_bytes), 1)
    return this.#join(this.#primitives.sha256Hex(leaf_input), this.#counted)
  }

  #join(node: Later<string>, rest: number): Later<void> {
    if (typeof node !== 'string') return node.then((hash) => this.#join(hash, rest))
    if (rest % 2 === 1) return this.#join(this.#pair(this.#subtrees.pop()!, node), half(rest))
    this.#subtrees.push(node)
    this.#counted++
  }

  #pair(left: string, right: string): Later<string> {
    writeHex(left, pair_input, 1)
    writeHex(right, pair_input, 1 + hash_bytes)
    return this.#primitives.sha256Hex(pair_input)
  }

  async #root(): Promise<string> {
    let root = this.#subtrees.at(-1)!
    for (const left of this.#subtrees.slice(0, -1).reverse()) root = await this.#pair(left, root)
    return root
  }
}
