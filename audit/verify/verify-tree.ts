// The verifier's own Merkle tree: every complete subtree is kept, so the root of any earlier size can be asked for later.
import { hashLeaf, hashPair } from './verify-proof.ts'

const hash_bytes = 32
const first_capacity = 64

export class LeafTree {
  readonly #levels: Column[] = []

  get size(): number {
    return this.#levels[0]?.count ?? 0
  }

  add(record_hash: string): void {
    let node = hashLeaf(record_hash)
    for (let level = 0; ; level++) {
      this.#levels[level] ??= new Column()
      const column = this.#levels[level]!
      column.push(node)
      if (column.count % 2 === 1) return
      node = hashPair(column.at(column.count - 2), node)
    }
  }

  /** The root over the first `size` leaves, from the whole subtrees that make them up, right to left. */
  rootAt(size: number): string {
    let rest = size
    let root: string | undefined
    for (let level = 0; rest > 0; level++) {
      if (rest % 2 === 1) {
        const node = this.#levels[level]!.at(rest - 1)
        root = root === undefined ? node : hashPair(node, root)
      }
      rest = Math.floor(rest / 2)
    }
    if (root === undefined) throw new RangeError('an empty tree has nothing to sign')
    return root
  }
}

/** Hashes in one growing buffer: 32 bytes each, where strings would take three times that. */
class Column {
  #bytes = Buffer.alloc(first_capacity * hash_bytes)
  count = 0

  push(hex: string): void {
    if (this.count * hash_bytes === this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    }
    this.#bytes.write(hex, this.count * hash_bytes, 'hex')
    this.count++
  }

  at(index: number): string {
    return this.#bytes.toString('hex', index * hash_bytes, (index + 1) * hash_bytes)
  }
}
