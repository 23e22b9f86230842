// What the premises show about their own words before any is parsed: which are names, verbs, adjectives, classes.
import type { Token } from './tokens.ts'
import {
  anyone,
  copulas,
  isKnownVerb,
  plain_auxiliaries,
  pointing,
  pronouns,
  separators,
  singular,
  universal_determiners,
  verbBase,
} from './words.ts'

export interface Lexicon {
  readonly used: ReadonlySet<string>
  /** Begin with a capital where no sentence does, or are the subject of "is" without an article. */
  readonly names: ReadonlySet<string>
  readonly adjectives: ReadonlySet<string>
  /** Nouns that something is said to be, or not to be. */
  readonly classes: ReadonlySet<string>
  isVerb(word: string): boolean
}

export function readLexicon(sentences: readonly (readonly Token[])[]): Lexicon {
  const used = new Set<string>()
  const names = new Set<string>()
  const adjectives = new Set<string>()
  const classes = new Set<string>()
  const verbs = new Set<string>()
  for (const sentence of sentences) {
    for (const { text } of sentence) used.add(text)
  }
  for (const sentence of sentences) for (const at of sentence.keys()) noteName(sentence, at, names)
  for (const sentence of sentences) {
    for (const at of sentence.keys()) {
      noteComplement(sentence, at, used, adjectives, classes)
      noteVerb(sentence, at, used, names, verbs)
    }
  }
  const isVerb = (word: string) => {
    if (adjectives.has(word) || names.has(word)) return false
    const base = verbBase(word, used)
    return isKnownVerb(base) || verbs.has(base)
  }
  return { used, names, adjectives, classes, isVerb }
}

function noteName(sentence: readonly Token[], at: number, names: Set<string>): void {
  const { text, capital } = sentence[at]!
  if (!capital) return
  const next = sentence[at + 1]?.text
  if (at > 0 && sentence[at - 1]!.text !== ',' && sentence[at - 1]!.text !== 'that') names.add(text)
  else if (at === 0 && (next === 'is' || next === 'does' || next === "'s")) names.add(text)
}

const articles = new Set(['a', 'an'])

function noteComplement(
  sentence: readonly Token[],
  at: number,
  used: ReadonlySet<string>,
  adjectives: Set<string>,
  classes: Set<string>,
): void {
  const { text } = sentence[at]!
  const before = sentence[at - 1]?.text ?? ''
  const after = sentence[at + 1]?.text
  const closed = after === undefined || separators.has(after) || after === 'then'
  if (closed && articles.has(before)) {
    const earlier = sentence[at - 2]?.text ?? ''
    if (copulas.has(earlier) || earlier === 'not' || separators.has(earlier)) classes.add(text)
  }
  if (!closed || !follows(sentence, at)) return
  const base = singular(text, used)
  if (base === text) adjectives.add(text)
  else classes.add(base)
}

const complement_words_max = 32

/** Stands where a complement does: after a copula, or after other single words that do. */
function follows(sentence: readonly Token[], at: number): boolean {
  for (let place = at - 1; place >= Math.max(0, at - complement_words_max); place -= 1) {
    const { text } = sentence[place]!
    if (copulas.has(text)) return true
    if (text === 'not') continue
    if (!separators.has(text)) return false
    const word = sentence[place - 1]
    if (!word || separators.has(word.text)) continue
    place -= 1
    if (copulas.has(word.text)) return false
  }
  return false
}

function noteVerb(
  sentence: readonly Token[],
  at: number,
  used: ReadonlySet<string>,
  names: ReadonlySet<string>,
  verbs: Set<string>,
): void {
  const { text } = sentence[at]!
  const before = sentence[at - 1]?.text ?? ''
  const earlier = sentence[at - 2]?.text ?? ''
  if (before === 'not' && plain_auxiliaries.has(earlier)) verbs.add(text)
  // "he conducts", "Anne sings": after whoever acts, a word in -s is what they do.
  const acts = pronouns.has(before) || anyone.has(before) || names.has(before)
  const word_in_s = text.endsWith('s') && !text.endsWith('ss') && !sentence[at]!.capital
  if (at > 0 && acts && word_in_s && !isStructure(text) && !isStructure(before))
    verbs.add(verbBase(text, used))
  // "the cow chases the dog": a word in -s between a noun and an article can hardly be anything else.
  const after = sentence[at + 1]?.text ?? ''
  const opens = pointing.has(after) || articles.has(after) || universal_determiners.has(after)
  if (!opens || at === 0 || separators.has(before) || pointing.has(before) || articles.has(before)) return
  if (text.endsWith('s') && !isStructure(text)) verbs.add(verbBase(text, used))
}

function isStructure(text: string): boolean {
  return (
    copulas.has(text) ||
    plain_auxiliaries.has(text) ||
    pointing.has(text) ||
    separators.has(text) ||
    universal_determiners.has(text) ||
    articles.has(text) ||
    ['if', 'then', 'no', 'only', "'s", 'as', 'this', 'unless', 'less'].includes(text)
  )
}
