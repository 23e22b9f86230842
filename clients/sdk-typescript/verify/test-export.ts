// Exports of small audit logs with real keys, written from the specification and without the engine's code.
import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { canonicalText } from './canonical.ts'

export const origin = 'svc/acme'
export const no_hash = '0'.repeat(64)

const sha256 = (...parts: (string | Uint8Array)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((part) => Buffer.from(part as string))))
    .digest()

export interface TestKey {
  readonly key_id: string
  readonly public_key: string
  readonly raw: Buffer
  readonly private_key: KeyObject
}

/** Type 1 signs notes, type 4 cosigns them. */
export function newKey(name = origin, type = 1): TestKey {
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const public_key = private_key.export({ format: 'jwk' }).x!
  const raw = Buffer.from(public_key, 'base64url')
  const key_id = sha256(`${name}\n`, Buffer.of(type), raw).toString('hex').slice(0, 8)
  return { key_id, public_key, raw, private_key }
}

/** Where RFC 6962 divides these leaves: after the largest power of two below their number. */
export const splitOf = (from: number, to: number) => from + 2 ** Math.floor(Math.log2(to - from - 1))

export const testHashes = (length: number) =>
  Array.from({ length }, (_, i) => sha256(`record ${i}`).toString('hex'))

/** RFC 6962 2.1, literally. */
export function rootOver(record_hashes: readonly string[]): Buffer {
  if (record_hashes.length === 0) return sha256('')
  if (record_hashes.length === 1) return sha256(Buffer.of(0), Buffer.from(record_hashes[0]!, 'hex'))
  const split = splitOf(0, record_hashes.length)
  return sha256(Buffer.of(1), rootOver(record_hashes.slice(0, split)), rootOver(record_hashes.slice(split)))
}

const lineOf = (name: string, key_id: string, bytes: Uint8Array) =>
  `\u2014 ${name} ${Buffer.concat([Buffer.from(key_id, 'hex'), bytes]).toString('base64')}\n`

export function noteOf(size: number, root: Buffer, key: TestKey, name = origin): string {
  const text = `${name}\n${size}\n${root.toString('base64')}\n`
  return `${text}\n${lineOf(name, key.key_id, sign(null, Buffer.from(text), key.private_key))}`
}

/** The note with the line of a witness that saw it at this time. */
export function cosigned(note: string, name: string, key: TestKey, at_seconds: bigint): string {
  const [text] = note.split('\n\n')
  const message = `cosignature/v1\ntime ${at_seconds}\n${text}\n`
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(at_seconds)
  const signature = sign(null, Buffer.from(message), key.private_key)
  return note + lineOf(name, key.key_id, Buffer.concat([time, signature]))
}

/** What the record of a key change says, signed by both keys for this seq. */
export function changeOf(seq: number, before: TestKey, after: TestKey, more: object = {}) {
  const ids = {
    old_key_id: before.key_id,
    new_key_id: after.key_id,
    new_public_key: after.public_key,
    ...more,
  }
  const place = { seq, tenant_id: 'acme' }
  const signed = (key: TestKey, statement: object) =>
    sign(null, Buffer.from(`svc-audit-v1\n${canonicalText(statement)}`), key.private_key).toString(
      'base64url',
    )
  const { old_key_id, new_key_id, new_public_key } = ids
  return {
    ...ids,
    old_signature: signed(before, { ...place, old_key_id, new_public_key }),
    new_signature: signed(after, { ...place, new_key_id, old_key_id }),
  }
}

export interface TestRecord {
  readonly event_type?: string
  readonly meta?: unknown
  readonly tenant_id?: string
  readonly seq?: unknown
}

interface Plan {
  readonly records: readonly TestRecord[]
  /** Keys with the last record of each; null for the current one. */
  readonly keys: readonly (readonly [TestKey, number | null])[]
  /** The sizes that are signed, each by the key of its time unless another is named. */
  readonly notes: readonly (number | readonly [number, TestKey])[]
  readonly from_seq?: number
  readonly header?: object
}

export function testExport({ records, keys, notes, from_seq = 1, header = {} }: Plan) {
  const hashes: string[] = []
  const record_lines = records.map((more, i) => {
    const body = canonicalText({ event_type: 'custom.x', meta: {}, seq: i + 1, tenant_id: 'acme', ...more })
    hashes.push(sha256(hashes.at(-1) ?? no_hash, body).toString('hex'))
    return `{"record":${body},"record_hash":"${hashes.at(-1)}"}`
  })
  const noteAt = (size: number, key = keys.find(([, until]) => until === null || size <= until)![0]) =>
    noteOf(size, rootOver(hashes.slice(0, size)), key)
  const first_line = {
    format: 'svc-audit-export/1',
    tenant_id: 'acme',
    origin,
    keys: keys.map(([{ key_id, public_key }, until_seq], i) => ({
      key_id,
      public_key,
      from_seq: i === 0 ? 1 : keys[i - 1]![1]! + 1,
      until_seq,
    })),
    from_seq,
    to_seq: records.length,
    previous_hash: from_seq === 1 ? no_hash : hashes[from_seq - 2],
    ...header,
  }
  const checkpoints = notes.map((one) => (typeof one === 'number' ? noteAt(one) : noteAt(...one)))
  const lines = [
    JSON.stringify(first_line),
    ...record_lines.slice(from_seq - 1),
    ...checkpoints.map((checkpoint) => JSON.stringify({ checkpoint })),
  ]
  return { lines, hashes, noteAt, record_lines, first_line, checkpoints }
}
