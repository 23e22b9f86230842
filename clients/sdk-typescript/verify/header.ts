// The first line of an export: tenant, range of records, and signing keys.
import { Fault, isObject, wordsOf } from './fault.ts'
import { isSignedBy, type Note, readKey, type SigningKey } from './note.ts'
import type { Primitives } from './primitives.ts'

/** A key and the range of checkpoints it signs. */
export interface ChainKey extends SigningKey {
  readonly from_seq: number
  /** Infinity for the current key. */
  readonly until_seq: number
}

export interface Header {
  readonly tenant_id: string
  readonly origin: string
  readonly keys: readonly ChainKey[]
  readonly from_seq: number
  readonly to_seq: number
  readonly previous_hash: string
}

const known_format = 'svc-audit-export/1'
const keys_max = 10_000
const hash_form = /^[0-9a-f]{64}$/
const tenant_form = /^[a-z0-9][a-z0-9-]{0,62}$/
const before_the_first = '0'.repeat(64)

export async function readHeader(line: Record<string, unknown>, primitives: Primitives): Promise<Header> {
  const { format, tenant_id, origin, keys, from_seq, to_seq, previous_hash } = line
  if (format !== known_format) throw new Fault(`the first line does not say ${known_format}`)
  if (!isText(tenant_id, tenant_form)) throw new Fault('the header names no tenant')
  if (origin !== `svc/${tenant_id}`) throw new Fault(`the header's origin is not that of ${tenant_id}`)
  if (!isSeq(from_seq) || !isSeq(to_seq) || from_seq > to_seq) {
    throw new Fault('the header names no span of records')
  }
  if (!isText(previous_hash, hash_form)) {
    throw new Fault('the header does not say which hash comes before the first record')
  }
  if (from_seq === 1 && previous_hash !== before_the_first) {
    throw new Fault('the first record of a chain follows 64 zeros, and the header says otherwise', 1)
  }
  const chain_keys = await readKeys(keys, origin, primitives)
  return { tenant_id, origin, keys: chain_keys, from_seq, to_seq, previous_hash }
}

/** Each key starts where the previous one ends, and only the last is open-ended. */
async function readKeys(list: unknown, origin: string, primitives: Primitives): Promise<ChainKey[]> {
  if (!Array.isArray(list) || list.length === 0 || list.length > keys_max) {
    throw new Fault('the header lists no keys')
  }
  const keys: ChainKey[] = []
  for (const item of list) {
    const key = await readChainKey(item, origin, primitives)
    const begins = keys.length === 0 ? 1 : keys.at(-1)!.until_seq + 1
    const is_cut_short = key.until_seq === Infinity && keys.length < list.length - 1
    if (key.from_seq !== begins || key.until_seq < begins || is_cut_short) {
      throw new Fault(`the key ${key.key_id} does not take over where the one before it ends`)
    }
    keys.push(key)
  }
  return keys
}

async function readChainKey(item: unknown, origin: string, primitives: Primitives): Promise<ChainKey> {
  if (!isObject(item)) throw new Fault('the header lists something that is no key')
  const { key_id, public_key, from_seq, until_seq } = item
  const ends = typeof until_seq === 'number' && isSeq(until_seq + 1)
  if (!isSeq(from_seq) || !(until_seq === null || ends)) {
    throw new Fault('a key of the header has no span of records')
  }
  if (typeof public_key !== 'string') throw new Fault('a key of the header has no public key')
  const key = await readKey(origin, public_key, primitives).catch((error: unknown) => {
    throw new Fault(wordsOf(error))
  })
  if (key.key_id !== key_id) {
    throw new Fault(`the key ${String(key_id).slice(0, 16)} has another id than its bytes give`)
  }
  return { ...key, from_seq, until_seq: ends ? until_seq : Infinity }
}

/** A key is valid only for sizes in its range. */
export async function isSignedInTime(note: Note, keys: readonly ChainKey[]): Promise<boolean> {
  for (const key of keys) {
    const is_its_time = note.size >= key.from_seq && note.size <= key.until_seq
    if (is_its_time && (await isSignedBy(note, key))) return true
  }
  return false
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}
