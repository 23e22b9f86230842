// "Anne is rich. That is a lie.": a sentence that takes back the one before it, which then says nothing.
import type { Token } from './tokens.ts'

const starts = new Set(['that', 'this', 'it', 'these', 'those', 'which', 'all'])
const verbs = new Set(['is', 'was', 'are', 'were'])
const links = new Set(['but', 'and', 'however', 'yet', 'actually', 'though', ','])
// biome-ignore format: a list of words
const denials = new Set([
  'false', 'untrue', 'wrong', 'lie', 'lies', 'incorrect', 'mistaken', 'nonsense', 'fiction', 'joke', 'rumor', 'rumour', 'myth',
])
const affirmations = new Set(['true', 'correct', 'right', 'so', 'case'])

/** "It is false that …" takes nothing back: it says what is false. */
export function takesBack(sentence: readonly Token[]): boolean {
  const words = sentence.map(({ text }) => text.toLowerCase())
  const from = words.findIndex((word) => !links.has(word))
  if (from < 0 || !starts.has(words[from]!) || !verbs.has(words[from + 1] ?? '')) return false
  const rest = words.slice(from + 2)
  const is_denied = rest.includes('not') && affirmations.has(rest.at(-1)!)
  return is_denied || denials.has(rest.at(-1) ?? '')
}
