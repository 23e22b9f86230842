// What an auditor brings along: keys, kept checkpoints and witnesses. Only this makes a verdict independent of the engine.
import { readNote } from '@svc/sdk/verify/note'

/** As it was pasted. */
export interface TrustTexts {
  readonly keys: string
  readonly notes: string
  readonly witnesses: string
  readonly witnesses_needed: string
}

export interface Trust {
  readonly keys: readonly string[]
  readonly notes: readonly string[]
  readonly witnesses: readonly string[]
  readonly witnesses_needed: number
  /** What was pasted and is nothing of the kind, in sentences. */
  readonly faults: readonly string[]
}

export const no_trust: TrustTexts = { keys: '', notes: '', witnesses: '', witnesses_needed: '' }

const items_max = 200
const shown_chars = 40
const key_form = /^[A-Za-z0-9_-]{43}$/
const witness_form = /^[^\s+]{1,200}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/

export function readTrust(texts: TrustTexts): Trust {
  const keys = wordsIn(texts.keys)
  const notes = notesIn(texts.notes)
  const witnesses = wordsIn(texts.witnesses)
  const needed = texts.witnesses_needed.trim()
  const witnesses_needed = /^\d{1,3}$/.test(needed) ? Number(needed) : 0
  const faults = [
    ...misfits(keys, key_form, 'no public key: it has 43 letters of base64url'),
    ...notes
      .filter((note) => !readNote(note))
      .map((note) => `“${cut(note)}” is no signed checkpoint: paste all of its lines, as they were given.`),
    ...misfits(witnesses, witness_form, 'no key of a witness: it reads name+id+key'),
    ...(needed !== '' && !/^\d{1,3}$/.test(needed) ? ['The witnesses needed are no number.'] : []),
    ...(witnesses_needed > witnesses.length
      ? [`${witnesses_needed} witnesses are needed, and the keys of ${witnesses.length} are given.`]
      : []),
  ]
  return { keys, notes, witnesses, witnesses_needed, faults }
}

/** As the SDK wants it: without a key, a checkpoint or a witness of one's own nothing is verified. */
export function optionsOf({ keys, notes, witnesses, witnesses_needed }: Trust) {
  return {
    ...(keys.length > 0 ? { trustedKeys: keys } : {}),
    checkpoints: notes,
    witnessKeys: witnesses,
    witnessesNeeded: witnesses_needed,
  }
}

function wordsIn(text: string): string[] {
  return text.split(/\s+/).filter(Boolean).slice(0, items_max)
}

/** A note has an empty line within, so the next one is known by its first line. */
function notesIn(text: string): string[] {
  const clean = text.replaceAll('\r\n', '\n').trim()
  if (clean === '') return []
  const lines = clean.split('\n')
  const notes: string[][] = []
  for (const [at, line] of lines.entries()) {
    const begins = line.startsWith('svc/') && /^\d+$/.test(lines[at + 1] ?? '')
    if (begins || notes.length === 0) notes.push([line])
    else notes.at(-1)!.push(line)
  }
  return notes.slice(0, items_max).map((note) => `${note.join('\n').trimEnd()}\n`)
}

function misfits(words: readonly string[], form: RegExp, what: string): string[] {
  return words.filter((word) => !form.test(word)).map((word) => `“${cut(word)}” is ${what}.`)
}

function cut(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > shown_chars ? `${line.slice(0, shown_chars)}…` : line
}
