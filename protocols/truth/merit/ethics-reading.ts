// Reads the description of an action for harm. What is read can only make a verdict stricter.
import type { Effect, Interest, Reading } from './ethics-action.ts'
import { type Harm, harms } from './ethics-harms.ts'

const words_shown_max = 5
/** Fewer words need no small ones: "Archive old invoices". */
const small_words_needed_from = 5
const small_words_share_min = 0.15
const small_words = new Set(
  `a an the to of for in on at by with from and or not no is are was be been it its that this these those who which they their them he she his her
  him we our you your i my as so if when where while after before until only all any every each into than then will can may has have had do does
  up out over about there what how but once more per`.split(/\s+/),
)

/** Digits that are written for letters inside of a word: "k1ll". */
const digit_letters = new Map(
  [...'0o1i3e4a5s7t'.matchAll(/(.)(.)/g)].map(([, digit, letter]) => [digit!, letter!]),
)

/** Lower-case words; letters that were spaced out or exchanged to hide a word are as they would be read. */
export function wordsOf(text: string): string[] {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map(lettersOf)
  const together: string[] = []
  for (let i = 0; i < words.length; ) {
    let end = i
    while (end < words.length && words[end]!.length === 1) end++
    const is_spaced_out = end - i >= 3
    together.push(is_spaced_out ? words.slice(i, end).join('') : words[i]!)
    i = is_spaced_out ? end : i + 1
  }
  return together
}

function lettersOf(word: string): string {
  if (!/\p{L}/u.test(word)) return word
  return word.replace(/\d/g, (digit) => digit_letters.get(digit) ?? digit)
}

/** Whether it reads as English, the only language whose words are listed here. */
export function isEnglish(words: readonly string[]): boolean {
  if (words.some((word) => /[^a-z0-9]/.test(word))) return false
  if (words.length < small_words_needed_from) return words.length > 0
  return words.filter((word) => small_words.has(word)).length >= small_words_share_min * words.length
}

type Pattern = readonly string[]

function fits(word: string, part: string): boolean {
  return part.endsWith('*') ? word.startsWith(part.slice(0, -1)) : word === part
}

/** The words at the first place where the pattern fits. */
export function match(words: readonly string[], pattern: Pattern): string | undefined {
  for (let at = 0; at + pattern.length <= words.length; at++)
    if (pattern.every((part, i) => fits(words[at + i]!, part)))
      return words.slice(at, at + pattern.length).join(' ')
  return undefined
}

const patternOf = (text: string): Pattern => text.split('_')

const readers = harms.map((harm) => ({ harm, patterns: harm.words.map(patternOf) }))

/** What the words tell of, and no stated effect answers for. */
export function readHarms(words: readonly string[], effects: readonly Effect[]): Reading[] {
  return readers.flatMap(({ harm, patterns }) => {
    if (!harm.is_grave && isAnsweredFor(harm.interest, effects)) return []
    const matches = new Set(patterns.flatMap((pattern) => match(words, pattern) ?? []))
    return matches.size === 0 ? [] : [readingOf(harm, [...matches])]
  })
}

function readingOf({ id, interest, is_grave, text }: Harm, words: readonly string[]): Reading {
  const quoted = words.slice(0, words_shown_max)
  const what = is_grave
    ? 'people must decide that.'
    : `say what it does to whose ${interest}, and whether they agree.`
  return {
    ref: `merit://harm/${id}`,
    text: `The description speaks of ${text} (${quoted.join(', ')}): ${what}`,
    words: quoted,
  }
}

function isAnsweredFor(interest: Interest, effects: readonly Effect[]): boolean {
  return effects.some(
    (effect) =>
      effect.interest === interest && effect.magnitude !== undefined && effect.consent !== 'unknown',
  )
}
