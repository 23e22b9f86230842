// The verifier's own reading of C2SP cosignatures. It shares no code with what signs them.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import type { Note } from './verify-note.ts'

export interface WitnessKey {
  readonly name: string
  readonly key_id: string
  readonly key: KeyObject
}

export const bad_cosignature = 'bad'

const key_form = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/
const time_bytes = 8
const signature_bytes = 64

/** `name+id+key`, as a witness tells it. Throws where it is none, or where its id is not that of its key. */
export function readWitnessKey(text: string): WitnessKey {
  const [, name, key_id, base64] = key_form.exec(text) ?? []
  const bytes = Buffer.from(base64 ?? '', 'base64')
  if (name === undefined || bytes.length !== 33 || bytes[0] !== 4 || bytes.toString('base64') !== base64) {
    throw new TypeError(
      `${JSON.stringify(text).slice(0, 120)} is no key of a witness; it reads name+id+key, as the witness shows it`,
    )
  }
  const digest = createHash('sha256').update(`${name}\n`).update(bytes).digest('hex')
  if (digest.slice(0, 8) !== key_id) {
    throw new TypeError(`the key of the witness ${name} has another id than its bytes give`)
  }
  const x = bytes.subarray(1).toString('base64url')
  return { name, key_id: digest.slice(0, 8), key: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }) } // biome-ignore format: one thought
}

/** When this witness saw the note, in seconds; undefined where it did not sign, `bad` where a line in its name is not its own. */
export function cosignedAt(note: Note, witness: WitnessKey): number | typeof bad_cosignature | undefined {
  const lines = note.signatures.filter(
    ({ name, key_id }) => name === witness.name && key_id === witness.key_id,
  )
  if (lines.length === 0) return undefined
  const times = lines.map(({ signature }) => timeOf(note.text, signature, witness.key))
  return times.includes(undefined) ? bad_cosignature : Math.max(...times.map(Number))
}

function timeOf(text: string, bytes: Buffer, key: KeyObject): number | undefined {
  if (bytes.length !== time_bytes + signature_bytes) return undefined
  const seconds = Number(bytes.readBigUInt64BE(0))
  if (!Number.isSafeInteger(seconds)) return undefined
  const message = Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)
  return verify(null, message, key, bytes.subarray(time_bytes)) ? seconds : undefined
}
