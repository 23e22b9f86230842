// The auditor's own keys, checkpoints and witnesses: only these make a verdict independent of the engine.
import { readNote } from '@svc/sdk/verify/note'

/** As pasted. */
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
  /** A message for each pasted entry that is invalid. */
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
    ...misfits(keys, key_form, 'not a public key: expected 43 base64url characters'),
    ...notes
      .filter((note) => !readNote(note))
      .map((note) => `“${cut(note)}” is not a signed checkpoint: paste all of its lines unchanged.`),
    ...misfits(witnesses, witness_form, 'not a witness key: expected name+id+key'),
    ...(needed !== '' && !/^\d{1,3}$/.test(needed)
      ? ['The number of witnesses needed must be a number.']
      : []),
    ...(witnesses_needed > witnesses.length
      ? [`${witnesses_needed} witnesses are needed, but only ${witnesses.length} witness keys are given.`]
      : []),
  ]
  return { keys, notes, witnesses, witnesses_needed, faults }
}

/** The options of the SDK. Without a trusted key, checkpoint or witness nothing is verified. */
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

/** A note contains an empty line, so the next note is recognized by its first line. */
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
