// The verifier's own reading of C2SP signed notes. It shares no code with what signs them.
import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'

export interface Note {
  readonly origin: string
  readonly size: number
  /** Hex. */
  readonly root: string
  readonly text: string
  readonly signatures: readonly { name: string; key_id: string; signature: Buffer }[]
}

const note_chars_max = 16_384
const signature_form = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+=*)$/u
const size_form = /^(0|[1-9][0-9]{0,15})$/
const root_form = /^[A-Za-z0-9+/]{43}=$/
const signature_line_bytes = 68

/** Undefined where the text is no checkpoint in exactly the form of the specification. */
export function parseNote(note: string): Note | undefined {
  if (note.length > note_chars_max) return undefined
  const at = note.lastIndexOf('\n\n')
  if (at < 0 || !note.endsWith('\n')) return undefined
  const text = note.slice(0, at + 1)
  const [origin, size, root, ...rest] = text.slice(0, -1).split('\n')
  if (!origin || !size || !root || rest.length > 0) return undefined
  if (!size_form.test(size) || !root_form.test(root)) return undefined
  const root_bytes = Buffer.from(root, 'base64')
  if (root_bytes.toString('base64') !== root) return undefined
  const signatures = note
    .slice(at + 2, -1)
    .split('\n')
    .map(parseSignature)
  const whole = signatures.filter((signature) => signature !== undefined)
  if (whole.length === 0 || whole.length < signatures.length) return undefined
  return { origin, size: Number(size), root: root_bytes.toString('hex'), text, signatures: whole }
}

function parseSignature(line: string) {
  const parts = signature_form.exec(line)
  if (!parts) return undefined
  const bytes = Buffer.from(parts[2]!, 'base64')
  if (bytes.toString('base64') !== parts[2]) return undefined
  return { name: parts[1]!, key_id: bytes.toString('hex', 0, 4), signature: bytes.subarray(4) }
}

export interface PublicKey {
  readonly key_id: string
  readonly name: string
  /** base64url, as it was given. */
  readonly public_key: string
  readonly key: KeyObject
}

/** A raw Ed25519 key in base64url, under the name it signs with. Throws where it is none. */
export function readPublicKey(name: string, public_key: string): PublicKey {
  const raw = Buffer.from(public_key, 'base64url')
  if (raw.length !== 32 || raw.toString('base64url') !== public_key) {
    throw new TypeError(
      `${JSON.stringify(public_key).slice(0, 80)} is not an Ed25519 public key in base64url`,
    )
  }
  const digest = createHash('sha256')
    .update(name)
    .update(Buffer.from([0x0a, 0x01]))
    .update(raw)
    .digest('hex')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: public_key }, format: 'jwk' })
  return { key_id: digest.slice(0, 8), name, public_key, key }
}

/** Whether this key signed the note. Lines of other signers, such as witnesses, are passed over. */
export function isSignedBy(note: Note, key: PublicKey): boolean {
  return note.signatures.some(
    (line) =>
      line.name === key.name &&
      line.key_id === key.key_id &&
      line.signature.length === signature_line_bytes - 4 &&
      verify(null, Buffer.from(note.text), key.key, line.signature),
  )
}
