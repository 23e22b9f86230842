// The body of add-checkpoint: the size the witness is assumed to hold, a proof from there, and the note.
import { type Note, readNote } from '@svc/sdk/verify/note'

export interface Submission {
  readonly old_size: number
  /** Hex. */
  readonly proof: readonly string[]
  readonly note: Note
}

const proof_lines_max = 63
/** Each costs a check; the specification requires at least 16. */
const signatures_max = 32
const old_form = /^old (0|[1-9][0-9]{0,15})$/
/** Names are looked up in the database, which accepts no control characters. */
const origin_form = /^[^\p{Cc}]{1,256}$/u
const hash_form = /^[A-Za-z0-9+/]{43}=$/

/** Undefined where the text is not exactly of the specified form. */
export function readSubmission(body: string): Submission | undefined {
  const end = body.indexOf('\n\n')
  const [old = '', ...lines] = body.slice(0, Math.max(0, end)).split('\n')
  const [, old_size] = old_form.exec(old) ?? []
  const note = readNote(body.slice(end + 2))
  const proof = lines.map(hashOfLine)
  if (old_size === undefined || !note || proof.length > proof_lines_max) return undefined
  if (note.signatures.length > signatures_max || !origin_form.test(note.origin)) return undefined
  if (note.size === 0) return undefined
  if (proof.includes(undefined) || !Number.isSafeInteger(Number(old_size))) return undefined
  return { old_size: Number(old_size), proof: proof as string[], note }
}

function hashOfLine(line: string): string | undefined {
  const bytes = Buffer.from(line, 'base64')
  return hash_form.test(line) && bytes.toString('base64') === line ? bytes.toString('hex') : undefined
}

export function writeSubmission(old_size: number, proof: readonly string[], note: string): string {
  const lines = proof.map((node) => `${Buffer.from(node, 'hex').toString('base64')}\n`)
  return `old ${old_size}\n${lines.join('')}\n${note}`
}
