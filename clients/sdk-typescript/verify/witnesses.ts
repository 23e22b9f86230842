// Witness cosignatures of signed notes: who has seen how much of a chain, and when.
import { fromBase64, toHex, utf8 } from './bytes.ts'
import { Fault } from './fault.ts'
import type { Note } from './note.ts'
import { type Primitives, platformPrimitives, type SignatureCheck } from './primitives.ts'

/** How far witnesses you trust have cosigned a chain. */
export interface Witnessed {
  /** Records up to this one are vouched for by the needed number of witnesses, at least one. */
  size: number
  by: {
    name: string
    size: number
    /** When it saw that, in epoch seconds. */
    at_seconds: number
  }[]
}

export interface WitnessKey {
  readonly name: string
  readonly key_id: string
  readonly isSigned: SignatureCheck
}

const witnesses_max = 64
const key_form = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/
const cosignature_type = 4
const time_bytes = 8
const cosignature_bytes = 72

export class Witnesses {
  readonly #primitives: Primitives
  #needed = 0
  readonly #keys = new Map<string, WitnessKey>()
  readonly #newest = new Map<WitnessKey, { size: number; at_seconds: number }>()

  constructor(primitives: Primitives) {
    this.#primitives = primitives
  }

  async trust(texts: readonly string[] = [], needed = 0): Promise<void> {
    if (!Number.isSafeInteger(needed) || needed < 0) throw new Fault('the witnesses needed are no number')
    this.#needed = needed
    for (const text of texts) this.#keys.set(text, await readWitnessKey(text, this.#primitives))
    const { size } = this.#keys
    if (size > witnesses_max) throw new Fault(`more than ${witnesses_max} keys of witnesses are given`)
    if (this.#needed > size) {
      throw new Fault(`${this.#needed} witnesses are needed, and the keys of ${size} are given`)
    }
  }

  /** Only for notes whose root matches the records. */
  async take(note: Note): Promise<void> {
    for (const key of this.#keys.values()) {
      const at_seconds = await cosignedAt(note, key)
      if (at_seconds === 'bad') {
        const where = `under the checkpoint of size ${note.size}`
        throw new Fault(`the cosignature of ${key.name} ${where} is not its own`)
      }
      const before = this.#newest.get(key)?.size ?? 0
      if (at_seconds !== undefined && note.size >= before)
        this.#newest.set(key, { size: note.size, at_seconds })
    }
  }

  finish(): void {
    if (this.#needed <= this.#newest.size) return
    const count = `${this.#newest.size} of yours have cosigned a checkpoint of this chain`
    throw new Fault(`${this.#needed} witnesses are needed, and ${count}`)
  }

  verdict(): { witnessed?: Witnessed } {
    if (this.#keys.size === 0) return {}
    const by = Array.from(this.#newest, ([{ name }, cosigned]) => ({ name, ...cosigned }))
    by.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
    return { witnessed: { size: by[Math.max(1, this.#needed) - 1]?.size ?? 0, by } }
  }
}

/** `name+id+key`, as published by a witness. Throws if invalid or if the id does not match the key. */
export async function readWitnessKey(
  text: unknown,
  { sha256, checkerOf } = platformPrimitives(),
): Promise<WitnessKey> {
  const [, name, key_id, base64] = (typeof text === 'string' && key_form.exec(text)) || []
  const typed = base64 === undefined ? undefined : fromBase64(base64)
  if (name === undefined || key_id === undefined || typed?.length !== 33 || typed[0] !== cosignature_type) {
    const shown = String(JSON.stringify(text)).slice(0, 120)
    throw new Fault(`${shown} is no key of a witness; it reads name+id+key, as the witness shows it`)
  }
  const digest = await sha256(Uint8Array.of(...utf8(`${name}\n`), ...typed))
  if (toHex(digest.subarray(0, 4)) !== key_id) {
    throw new Fault(`the key of the witness ${name} has another id than its bytes give`)
  }
  return { name, key_id, isSigned: await checkerOf(typed.subarray(1)) }
}

/** When this witness saw the note, in seconds; undefined if it did not sign, `bad` if its signature is invalid. */
export async function cosignedAt(note: Note, key: WitnessKey): Promise<number | 'bad' | undefined> {
  let newest: number | undefined
  for (const { name, key_id, signature } of note.signatures) {
    if (name !== key.name || key_id !== key.key_id) continue
    const seconds = await timeOf(note, signature, key)
    if (seconds === undefined) return 'bad'
    newest = Math.max(newest ?? 0, seconds)
  }
  return newest
}

/** Undefined if this witness did not sign these bytes. */
async function timeOf(note: Note, bytes: Uint8Array, { isSigned }: WitnessKey): Promise<number | undefined> {
  if (bytes.length !== cosignature_bytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, time_bytes)
  const seconds = Number(view.getBigUint64(0))
  if (!Number.isSafeInteger(seconds)) return undefined
  const message = utf8(`cosignature/v1\ntime ${seconds}\n${note.text}`)
  return (await isSigned(message, bytes.subarray(time_bytes))) ? seconds : undefined
}
