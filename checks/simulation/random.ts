// Random numbers of a simulation: the same seed gives the same numbers on every machine.
import { hash } from 'node:crypto'

export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  /** Any text is a seed, so that each step has numbers of its own: deleting one step leaves the others unchanged. */
  constructor(seed: string) {
    const digest = hash('sha256', seed, 'buffer')
    this.#a = digest.readUInt32LE(0)
    this.#b = digest.readUInt32LE(4)
    this.#c = digest.readUInt32LE(8)
  }

  /** A whole number of 32 bits (the generator sfc32). */
  bits(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  /** From 0 up to, and without, `count`. */
  below(count: number): number {
    return Math.floor((this.bits() / 2 ** 32) * count)
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  chance(probability: number): boolean {
    return this.bits() / 2 ** 32 < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError('there is nothing to pick from')
    return items[this.below(items.length)]!
  }

  pickWeighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item {
    let left = this.below(items.reduce((sum, item) => sum + item.weight, 0))
    for (const item of items) {
      left -= item.weight
      if (left < 0) return item
    }
    throw new RangeError('there is nothing to pick from')
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(count)
    for (let at = 0; at + 4 <= count; at += 4) bytes.writeUInt32LE(this.bits(), at)
    for (let at = count - (count % 4); at < count; at++) bytes[at] = this.bits() & 0xff
    return bytes
  }

  uuid(): string {
    const bytes = this.bytes(16)
    bytes[6] = (bytes[6]! & 0x0f) | 0x40
    bytes[8] = (bytes[8]! & 0x3f) | 0x80
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  }
}
