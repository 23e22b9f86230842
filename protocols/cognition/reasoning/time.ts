// Tense: what was or will be is said with a predicate of its own time, and proves nothing about now.

import { hedge_mark } from './hedges.ts'
import {
  copulas,
  isKnownVerb,
  modals,
  participleBases,
  pastBases,
  plain_auxiliaries,
  prepositions,
  pronouns,
  separators,
  type Word,
} from './words.ts'

export type Time = 'now' | 'past' | 'future'

/** "past rich": rich at some time before now. Comparisons and helpers of the engine have no time. */
export function atTime(predicate: string, time: Time): string {
  return time === 'now' ? predicate : `${time} ${predicate}`
}

const breaks = new Set(['if', 'then', 'when', 'unless', 'who', 'that', 'which', 'once'])
const determiners = new Set([
  'a',
  'an',
  'the',
  'this',
  'these',
  'those',
  'every',
  'all',
  'each',
  'no',
  'some',
  "'s",
])
const perfect = new Set(['has', 'have', 'had'])

/** "wrote" becomes "did write", "has studied" becomes "did study": one form for what is past. */
export function spellOutPast(sentence: readonly Word[]): readonly Word[] {
  const spelled: Word[] = []
  for (let at = 0; at < sentence.length; at += 1) {
    const word = sentence[at]!
    const denied = sentence[at + 1]?.text === 'not' ? 1 : 0
    const participle = sentence[at + 1 + denied]?.text ?? ''
    const base = perfect.has(word.text) ? knownBase(participle) : undefined
    if (base && !isNounLike(sentence, at + 1 + denied)) {
      spelled.push(plain('did'), ...(denied ? [plain('not')] : []), plain(base))
      at += 1 + denied
    } else if (isPastVerb(sentence, at)) spelled.push(plain('did'), plain(knownBase(word.text)!))
    else spelled.push(word)
  }
  return spelled
}

/** "has used cars": a participle before a noun describes it; then nothing is spelled out. */
function isNounLike(sentence: readonly Word[], at: number): boolean {
  const next = sentence[at + 1]?.text
  return next?.endsWith('s') === true && !prepositions.has(next) && !/ss$|^(?:his|its|this)$/.test(next)
}

function knownBase(word: string): string | undefined {
  return pastBases(word).find(isKnownVerb) ?? participleBases(word).find(isKnownVerb)
}

/** A form of the past where no other verb of its clause is finite. */
function isPastVerb(sentence: readonly Word[], at: number): boolean {
  const { text, capital } = sentence[at]!
  if (at === 0 || capital || !knownBase(text) || isKnownVerb(text)) return false
  const before = sentence[at - 1]!.text
  if (determiners.has(before) || prepositions.has(before) || sentence[at + 1]?.text === 'by') return false
  for (let place = at - 1; place >= 0 && !ends(sentence[place]!.text); place -= 1)
    if (isTensed(sentence[place]!.text)) return false
  for (let place = at + 1; place < sentence.length && !ends(sentence[place]!.text); place += 1)
    if (isTensed(sentence[place]!.text) || (pastBases(sentence[place]!.text).length > 0 && place === at + 1))
      return false
  return pronouns.has(before) || !separators.has(before) || pastBases(text).length > 0
}

function ends(text: string): boolean {
  return breaks.has(text) || separators.has(text)
}

function isTensed(text: string): boolean {
  return (
    copulas.has(text) ||
    plain_auxiliaries.has(text) ||
    modals.has(text) ||
    perfect.has(text) ||
    text.startsWith(hedge_mark)
  )
}

function plain(text: string): Word {
  return { text, capital: false }
}
