// C2SP signed notes as checkpoints: origin, size, root, an empty line, and a line per signature.
import { fromBase64, fromBase64url, toHex, utf8 } from './bytes.ts'
import { platformPrimitives, type SignatureCheck } from './primitives.ts'

interface SignatureLine {
  readonly name: string
  readonly key_id: string
  readonly signature: Uint8Array
}

export interface Note {
  readonly origin: string
  readonly size: number
  /** Hex. */
  readonly root: string
  /** What was signed. */
  readonly text: string
  readonly signatures: readonly SignatureLine[]
}

const note_chars_max = 16_384
const size_form = /^(?:0|[1-9]\d{0,15})$/
const signature_form = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+=*)$/u
const key_id_bytes = 4
const hash_bytes = 32
const signature_bytes = 64

/** Undefined if the text is not exactly in this form. */
export function readNote(text: unknown): Note | undefined {
  if (typeof text !== 'string' || text.length > note_chars_max) return undefined
  const [origin, size, root, blank, ...rest] = text.split('\n')
  if (!origin || !size || !root || blank !== '' || rest.pop() !== '') return undefined
  const root_bytes = fromBase64(root)
  if (!size_form.test(size) || !Number.isSafeInteger(Number(size)) || root_bytes?.length !== hash_bytes)
    return undefined
  const signatures = rest.map(readSignature).filter((line) => line !== undefined)
  if (signatures.length === 0 || signatures.length < rest.length) return undefined
  const signed = `${origin}\n${size}\n${root}\n`
  return { origin, size: Number(size), root: toHex(root_bytes), text: signed, signatures }
}

function readSignature(line: string): SignatureLine | undefined {
  const [, name, base64] = signature_form.exec(line) ?? []
  const bytes = base64 === undefined ? undefined : fromBase64(base64)
  if (name === undefined || !bytes) return undefined
  const key_id = toHex(bytes.subarray(0, key_id_bytes))
  return { name, key_id, signature: bytes.subarray(key_id_bytes) }
}

export interface SigningKey {
  readonly key_id: string
  readonly name: string
  /** base64url, as given. */
  readonly public_key: string
  readonly isSigned: SignatureCheck
}

const ed25519 = 0x01
const newline = 0x0a

/** A raw Ed25519 key in base64url, with its signer name. Throws if invalid. */
export async function readKey(
  name: string,
  public_key: unknown,
  primitives = platformPrimitives(),
): Promise<SigningKey> {
  const raw = typeof public_key === 'string' ? fromBase64url(public_key) : undefined
  if (raw?.length !== 32 || typeof public_key !== 'string') {
    const shown = String(JSON.stringify(public_key)).slice(0, 80)
    throw new TypeError(`${shown} is not an Ed25519 public key in base64url`)
  }
  const named = Uint8Array.of(...utf8(name), newline, ed25519, ...raw)
  const digest = await primitives.sha256(named)
  const isSigned = await primitives.checkerOf(raw)
  return { key_id: toHex(digest.subarray(0, key_id_bytes)), name, public_key, isSigned }
}

/** Lines of other signers, such as witnesses, are skipped. */
export async function isSignedBy(note: Note, key: SigningKey): Promise<boolean> {
  for (const { name, key_id, signature } of note.signatures) {
    if (name !== key.name || key_id !== key.key_id || signature.length !== signature_bytes) continue
    if (await key.isSigned(utf8(note.text), signature)) return true
  }
  return false
}
