// The first line of an export: whose chain it is, which records it holds, and which keys signed when.
import { type PublicKey, readPublicKey } from './verify-note.ts'

/** What is wrong, in one sentence, and the first record it concerns. */
export class Fault extends Error {
  readonly seq: number | undefined

  constructor(reason: string, seq?: number) {
    super(reason)
    this.seq = seq
  }
}

export interface ExportKey extends PublicKey {
  readonly from_seq: number
  readonly until_seq: number | null
}

export interface ExportHeader {
  readonly tenant_id: string
  readonly origin: string
  readonly keys: readonly ExportKey[]
  readonly from_seq: number
  readonly to_seq: number
  readonly previous_hash: string
}

const known_format = 'svc-audit-export/1'
const keys_max = 10_000
const hash_form = /^[0-9a-f]{64}$/
const tenant_form = /^[a-z0-9][a-z0-9-]{0,62}$/
const no_record = '0'.repeat(64)

export function readHeader(value: Record<string, unknown>): ExportHeader {
  const { format, tenant_id, origin, keys, from_seq, to_seq, previous_hash } = value
  if (format !== known_format) throw new Fault(`the first line does not say ${known_format}`)
  if (typeof tenant_id !== 'string' || !tenant_form.test(tenant_id))
    throw new Fault('the header names no tenant')
  if (origin !== `svc/${tenant_id}`) throw new Fault(`the header's origin is not that of ${tenant_id}`)
  if (!isSeq(from_seq) || !isSeq(to_seq) || from_seq > to_seq)
    throw new Fault('the header names no span of records')
  if (typeof previous_hash !== 'string' || !hash_form.test(previous_hash)) {
    throw new Fault('the header does not say which hash comes before the first record')
  }
  if (from_seq === 1 && previous_hash !== no_record) {
    throw new Fault('the first record of a chain follows 64 zeros, and the header says otherwise', 1)
  }
  return { tenant_id, origin, keys: readKeys(keys, origin), from_seq, to_seq, previous_hash }
}

function readKeys(value: unknown, origin: string): ExportKey[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > keys_max) {
    throw new Fault('the header lists no keys')
  }
  let next_from = 1
  const last = value.length - 1
  return value.map((item: unknown, i) => {
    const key = readKey(item, origin)
    const next = key.until_seq === null ? undefined : key.until_seq + 1
    // A key signs at least the record that names its successor, so none has an empty span.
    if (key.from_seq !== next_from || (next ?? Infinity) <= next_from || (next === undefined && i < last)) {
      throw new Fault(`the key ${key.key_id} does not take over where the one before it ends`)
    }
    next_from = next ?? next_from
    return key
  })
}

function readKey(item: unknown, origin: string): ExportKey {
  if (!isRecord(item)) throw new Fault('the header lists something that is no key')
  const { key_id, public_key, from_seq, until_seq } = item
  if (!isSeq(from_seq) || !(until_seq === null || until_seq === 0 || isSeq(until_seq))) {
    throw new Fault('a key of the header has no span of records')
  }
  if (typeof public_key !== 'string') throw new Fault('a key of the header has no public key')
  const key = readOrFault(origin, public_key)
  if (key.key_id !== key_id)
    throw new Fault(`the key ${String(key_id).slice(0, 16)} has another id than its bytes give`)
  return { ...key, from_seq, until_seq }
}

function readOrFault(origin: string, public_key: string): PublicKey {
  try {
    return readPublicKey(origin, public_key)
  } catch (error) {
    throw new Fault((error as Error).message)
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
