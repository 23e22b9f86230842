// The signers of a checkpoint, and which signatures were checked in this page.
import { isSignedBy, type Note, readKey, readNote } from '@svc/sdk/verify/note'
import { platformPrimitives } from '@svc/sdk/verify/primitives'
import { Witnesses } from '@svc/sdk/verify/witnesses'

export interface Signer {
  readonly name: string
  readonly key_id: string
  readonly kind: 'log' | 'witness'
  readonly state: 'verified' | 'broken' | 'not checked'
  /** When a witness states that it saw the audit log, in epoch seconds. */
  readonly at_seconds?: number
}

export interface ReadCheckpoint {
  readonly size: number
  /** Hex. */
  readonly root: string
  readonly text: string
  readonly signers: readonly Signer[]
}

export interface Verifiers {
  /** Public keys of the log, base64url. */
  readonly keys: readonly string[]
  /** Keys of witnesses, each as name+id+key. */
  readonly witnesses: readonly string[]
}

/** Undefined if the text is not a signed note. */
export async function readCheckpoint(
  text: string,
  verifiers: Verifiers,
): Promise<ReadCheckpoint | undefined> {
  const note = readNote(text)
  if (!note) return undefined
  const signers: Signer[] = []
  for (const line of note.signatures) {
    const is_log = line.name === note.origin
    signers.push({
      name: line.name,
      key_id: line.key_id,
      kind: is_log ? 'log' : 'witness',
      ...(is_log
        ? { state: await stateOfLog(note, line.key_id, verifiers.keys) }
        : await stateOfWitness(note, line, verifiers.witnesses)),
    })
  }
  return { size: note.size, root: note.root, text, signers }
}

async function stateOfLog(note: Note, key_id: string, keys: readonly string[]): Promise<Signer['state']> {
  const primitives = platformPrimitives()
  for (const public_key of keys) {
    const key = await readKey(note.origin, public_key, primitives).catch(() => undefined)
    if (key?.key_id === key_id) return (await isSignedBy(note, key)) ? 'verified' : 'broken'
  }
  return 'not checked'
}

type Line = Note['signatures'][number]

/** A witness without a trusted key is shown with its stated time, but not as verified. */
async function stateOfWitness(
  note: Note,
  { name, key_id, signature }: Line,
  keys: readonly string[],
): Promise<Pick<Signer, 'state' | 'at_seconds'>> {
  const at_seconds = statedSeconds(signature)
  const stated = at_seconds === undefined ? {} : { at_seconds }
  const key = keys.find((text) => text.startsWith(`${name}+${key_id}+`))
  if (key === undefined) return { state: 'not checked', ...stated }
  try {
    const witnesses = new Witnesses(platformPrimitives())
    await witnesses.trust([key])
    await witnesses.take(note)
    return { state: witnesses.verdict().witnessed?.by.length ? 'verified' : 'broken', ...stated }
  } catch {
    return { state: 'broken', ...stated }
  }
}

/** The first eight bytes of a cosignature. */
function statedSeconds(signature: Uint8Array): number | undefined {
  if (signature.length !== 72) return undefined
  const seconds = Number(new DataView(signature.buffer, signature.byteOffset, 8).getBigUint64(0))
  return Number.isSafeInteger(seconds) ? seconds : undefined
}
