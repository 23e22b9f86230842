// What the premises show about their words before parsing: which are names, verbs, adjectives or classes.
import type { Token } from './tokens.ts'
import {
  anyone,
  copulas,
  isKnownVerb,
  looksPlural,
  modals,
  plain_auxiliaries,
  plural_copulas,
  pointing,
  prepositions,
  pronouns,
  separators,
  singular,
  universal_determiners,
  verbBase,
} from './words.ts'

export interface Lexicon {
  readonly used: ReadonlySet<string>
  /** Capitalized within a sentence, or the subject of "is" without an article. */
  readonly names: ReadonlySet<string>
  readonly adjectives: ReadonlySet<string>
  /** Nouns that something is stated to be, or not to be. */
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
      noteDescription(sentence, at, adjectives)
      noteVerb(sentence, at, used, names, verbs)
    }
  }
  for (const sentence of sentences) {
    noteOnlyVerb(sentence, used, verbs)
    noteLastVerb(sentence, used, verbs)
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
  const closed = after === undefined || separators.has(after) || after === 'then' || isAuxiliary(after)
  if (closed && articles.has(before)) {
    const earlier = sentence[at - 2]?.text ?? ''
    if (copulas.has(earlier) || earlier === 'not' || separators.has(earlier)) classes.add(text)
  }
  if (!closed || !follows(sentence, at)) return
  const base = singular(text, used)
  if (base === text) adjectives.add(text)
  else classes.add(base)
}

/** "Red people", "a young person": only a description. */
function noteDescription(sentence: readonly Token[], at: number, adjectives: Set<string>): void {
  const { text } = sentence[at]!
  const noun = sentence[at + 1]?.text ?? ''
  if (!plain_people.has(noun) || isStructure(text) || isKnownVerb(text)) return
  const before = sentence[at - 1]?.text
  const opens =
    before === undefined ||
    universal_determiners.has(before) ||
    articles.has(before) ||
    separators.has(before)
  if (opens || before === 'not' || before === 'no' || before === 'if') adjectives.add(text)
}

const plain_people = new Set(['people', 'person', 'persons', 'things', 'thing', 'folks', 'individuals'])
const complement_words_max = 32

/** In the position of a complement: after a copula, or after other single complements. */
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
  noteRelativeVerb(sentence, at, used, verbs)
  // "he conducts", "Anne sings": a word in -s after an agent is a verb.
  const acts = pronouns.has(before) || anyone.has(before) || (names.has(before) && !isStructure(before))
  const word_in_s = text.endsWith('s') && !text.endsWith('ss') && !sentence[at]!.capital
  if (at > 0 && acts && word_in_s && !isStructure(text)) verbs.add(verbBase(text, used))
  // "the cow chases the dog": a word in -s between a noun and an article is most likely a verb.
  const after = sentence[at + 1]?.text ?? ''
  const opens = pointing.has(after) || articles.has(after) || universal_determiners.has(after)
  if (!opens || at === 0 || separators.has(before) || pointing.has(before) || articles.has(before)) return
  if (text.endsWith('s') && !isStructure(text)) verbs.add(verbBase(text, used))
}

/** "who yodels", "anything that barks", "people who ski", "they ski": the word there is a verb. */
function noteRelativeVerb(
  sentence: readonly Token[],
  at: number,
  used: ReadonlySet<string>,
  verbs: Set<string>,
): void {
  const { text, capital } = sentence[at]!
  const before = sentence[at - 1]?.text ?? ''
  if (at < 1 || capital || isStructure(text) || text.endsWith('ly') || !/^\p{L}/u.test(text)) return
  const after = sentence[at + 1]?.text ?? ''
  if (before === 'who' || (before === 'they' && text !== 'not')) verbs.add(verbBase(text, used))
  else if (at > 1 && (before === 'that' || before === 'which')) {
    const many = looksPlural(sentence[at - 2]!.text)
    const one = inS(text) && !plural_copulas.has(after)
    if (many ? !inS(text) && plural_copulas.has(after) : one) verbs.add(verbBase(text, used))
  }
}

function inS(text: string): boolean {
  return text.endsWith('s') && !text.endsWith('ss')
}

/** In "Every dog barks" and "Dogs bark" no other word can be the verb. */
function noteOnlyVerb(sentence: readonly Token[], used: ReadonlySet<string>, verbs: Set<string>): void {
  const plain = sentence.every(({ text }) => !separators.has(text) && !unreadable.has(text))
  const [first, second] = sentence
  if (!plain || !first || !second || sentence.length > only_verb_words_max) return
  const has_verb = sentence.some(
    ({ text }) => isAuxiliary(text) || isKnownVerb(verbBase(text, used)) || verbs.has(verbBase(text, used)),
  )
  if (has_verb) return
  const last = sentence.at(-1)!
  const singular_subject = opens_one.has(first.text)
  if (singular_subject || (sentence.length === 2 && first.capital && !looksPlural(first.text))) {
    const at = sentence.findIndex(({ text, capital }, place) => {
      return place > (singular_subject ? 1 : 0) && !capital && inS(text) && !isStructure(text)
    })
    if (at > 0) verbs.add(verbBase(sentence[at]!.text, used))
  } else if (
    looksPlural(sentence.at(-2)!.text) &&
    !inS(last.text) &&
    !last.capital &&
    !isStructure(last.text)
  )
    verbs.add(last.text)
  else if (sentence.length === 3 && looksPlural(first.text) && !inS(second.text) && !isStructure(second.text))
    verbs.add(second.text)
}

/** "Everyone who cheats fails": the description has one verb, so the main verb is the last word. */
function noteLastVerb(sentence: readonly Token[], used: ReadonlySet<string>, verbs: Set<string>): void {
  const [first, second] = sentence
  const last = sentence.at(-1)
  if (!first || !second || !last || sentence.length > only_verb_words_max) return
  const opens = anyone.has(first.text) || first.text === 'nobody' || opens_one.has(first.text)
  const who = sentence.slice(1, 4).some(({ text }) => text === 'who' || text === 'that' || text === 'which')
  if (!opens || !who || !inS(last.text) || last.capital || isStructure(last.text)) return
  const before = sentence.at(-2)!.text
  if (articles.has(before) || pointing.has(before) || prepositions.has(before)) return
  const isVerbal = (text: string) => isKnownVerb(verbBase(text, used)) || verbs.has(verbBase(text, used))
  if (sentence.some(({ text }) => isAuxiliary(text) || separators.has(text))) return
  if (sentence.filter(({ text }) => isVerbal(text)).length === 1 && !isVerbal(last.text))
    verbs.add(verbBase(last.text, used))
}

const only_verb_words_max = 12
const opens_one = new Set(['every', 'each', 'no', 'a', 'an', 'the', 'any'])
const unreadable = new Set(['if', 'then', 'when', 'unless', 'who', 'that', 'which', "'s"])

function isAuxiliary(text: string): boolean {
  return copulas.has(text) || plain_auxiliaries.has(text) || modals.has(text)
}

function isStructure(text: string): boolean {
  return (
    copulas.has(text) ||
    plain_auxiliaries.has(text) ||
    pointing.has(text) ||
    separators.has(text) ||
    universal_determiners.has(text) ||
    articles.has(text) ||
    modals.has(text) ||
    prepositions.has(text) ||
    pronouns.has(text) ||
    anyone.has(text) ||
    ['if', 'then', 'no', 'not', 'only', "'s", 'unless', 'less', 'either', 'neither', 'iff', 'when'].includes(
      text,
    )
  )
}
