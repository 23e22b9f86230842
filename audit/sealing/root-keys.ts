// Root keys, by version. Whatever is sealed has a key of its own, and a root key wraps that key in an envelope that names the version. An
// envelope can be renewed without knowing what it opens: the content is bound to its place by its own seal.
import { deriveKey, open, randomKey, randomSeed, seal } from './seal.ts'

/** `svck`, the version, a seed, and the wrapped key: a multiple of three bytes, so that base64 can be cut at its end. */
const mark = Buffer.from('svck')
const seed_start = 6
const box_start = 24
export const envelope_bytes = 84
/** Nonces are random, so a wrapping key must not be used too often. */
const wraps_per_seed_max = 2 ** 24
const opening_keys_max = 4_096

/** What a process holds in memory; it can be sent to a thread. */
export interface RootKeyRing {
  /** The version that new seals use. */
  readonly current: number
  readonly keys: ReadonlyMap<number, Uint8Array>
  /** Never renewed: names that are looked up by their keyed hash are found only under the same key. */
  readonly index_key: Uint8Array
  /** Of an installation from before root keys: its master key sealed directly, without an envelope. */
  readonly first_key?: Uint8Array | undefined
}

interface WrappingKey {
  readonly head: Buffer
  readonly key: Buffer
  uses: number
}

export class RootKeys {
  #ring: RootKeyRing
  #wrapping: WrappingKey | undefined
  readonly #opening = new Map<string, Buffer>()
  readonly #listeners: ((ring: RootKeyRing) => void)[] = []

  constructor(ring: RootKeyRing) {
    this.#ring = ring
  }

  get ring(): RootKeyRing {
    return this.#ring
  }

  get version(): number {
    return this.#ring.current
  }

  learn(ring: RootKeyRing): void {
    this.#ring = ring
    this.#wrapping = undefined
    this.#opening.clear()
    for (const listener of this.#listeners) listener(ring)
  }

  onLearned(listener: (ring: RootKeyRing) => void): void {
    this.#listeners.push(listener)
  }

  /** An envelope with this key, by the current version. */
  wrap(key: Uint8Array): Buffer {
    const wrapping = this.#wrappingKey()
    wrapping.uses++
    return Buffer.concat([wrapping.head, seal(wrapping.key, key, envelopeName(this.version))])
  }

  unwrap(envelope: Uint8Array): Buffer {
    const bytes = bufferOf(envelope)
    const version = envelopeVersion(bytes)
    if (version === undefined) throw new Error('a sealed key does not open: it was altered')
    const key = this.#openingKey(version, bytes.subarray(seed_start, box_start))
    return open(key, bytes.subarray(box_start, envelope_bytes), envelopeName(version))
  }

  seal(purpose: string, plain: string | Uint8Array, name: string): Buffer {
    const key = randomKey()
    return Buffer.concat([this.wrap(key), seal(key, plain, sealName(purpose, name))])
  }

  open(purpose: string, sealed: Uint8Array, name: string): Buffer {
    if (this.isOlder(sealed)) return open(this.olderKey(purpose), sealed, name)
    const bytes = bufferOf(sealed)
    return open(this.unwrap(bytes), bytes.subarray(envelope_bytes), sealName(purpose, name))
  }

  /** A key for keyed hashes, which stay the same whatever is renewed. */
  indexKey(purpose: string): Buffer {
    return deriveKey(this.#ring.index_key, purpose)
  }

  /** Sealed before there were root keys. */
  isOlder(sealed: Uint8Array): boolean {
    if (!this.#ring.first_key) return false
    const version = envelopeVersion(bufferOf(sealed))
    return version === undefined || !this.#ring.keys.has(version)
  }

  olderKey(purpose: string): Buffer {
    return deriveKey(this.#ring.first_key!, purpose)
  }

  #wrappingKey(): WrappingKey {
    if (this.#wrapping && this.#wrapping.uses < wraps_per_seed_max) return this.#wrapping
    const seed = randomSeed(box_start - seed_start)
    const head = Buffer.concat([envelopeHead(this.version), seed])
    this.#wrapping = { head, key: this.#derive(this.version, seed), uses: 0 }
    return this.#wrapping
  }

  #openingKey(version: number, seed: Buffer): Buffer {
    const name = `${version} ${seed.toString('base64')}`
    const cached = this.#opening.get(name)
    if (cached) return cached
    const key = this.#derive(version, seed)
    if (this.#opening.size >= opening_keys_max) this.#opening.clear()
    this.#opening.set(name, key)
    return key
  }

  #derive(version: number, seed: Buffer): Buffer {
    const root_key = this.#ring.keys.get(version)
    if (!root_key) throw new Error(`root key ${version} is not known here: it was destroyed, or it is new`)
    return deriveKey(root_key, `envelope/${seed.toString('hex')}`)
  }
}

/** The first bytes of every envelope of a version. */
export function envelopeHead(version: number): Buffer {
  const head = Buffer.alloc(seed_start)
  mark.copy(head)
  head.writeUInt16BE(version, mark.length)
  return head
}

export function envelopeVersion(sealed: Buffer): number | undefined {
  const is_envelope = sealed.length >= envelope_bytes && sealed.subarray(0, mark.length).equals(mark)
  return is_envelope ? sealed.readUInt16BE(mark.length) : undefined
}

function envelopeName(version: number): string {
  return `key under root key ${version}`
}

function sealName(purpose: string, name: string): string {
  return `${purpose}: ${name}`
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
