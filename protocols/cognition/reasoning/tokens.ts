// Tokenizes sentences: lower case, contractions expanded, labels and hedges dropped. One pass.
import { spellDates } from './date-text.ts'
import { type Hedge, reportIn } from './hedges.ts'
import { plainWording } from './phrases.ts'
import { judging_words, task_words } from './words.ts'

export interface Token {
  readonly text: string
  /** Started with a capital letter. */
  readonly capital: boolean
}

/** A sentence as it is parsed, and what was said about how certain it is. */
export interface Sentence {
  readonly tokens: readonly Token[]
  readonly hedges: readonly Hedge[]
  /** Why it cannot be used, known before it is parsed. */
  readonly fault: string | undefined
  /** It ends with a question mark. */
  readonly asks: boolean
}

const token_form = /\d{1,15}(?:\.\d{1,15})?(?!\p{L})|[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*|[.,!?;:)\]]/gu
const tokens_max = 4096

const whole_contractions = new Map([
  ["can't", 'can not'],
  ['cannot', 'can not'],
  ["won't", 'will not'],
  ["shan't", 'shall not'],
  ['never', 'not'],
  ["let's", 'let us'],
  // Possessives: "his mother" reads like "Bob's mother".
  ['his', "he 's"],
  ['its', "it 's"],
  ['their', "they 's"],
])
const is_contractions = new Set([
  'it',
  'he',
  'she',
  'that',
  'who',
  'what',
  'there',
  'someone',
  'something',
  'everyone',
  'anyone',
  'nobody',
])
const titles = new Set(['mr', 'mrs', 'ms', 'dr', 'prof', 'st'])

const quote_marks = /["“”«»]/u
const title_words_max = 2

/** Somebody's words, and not the short title of something. */
function quotesSomebody(text: string): boolean {
  const parts = text.split(quote_marks)
  return parts.some((part, at) => at % 2 === 1 && part.trim().split(' ').length > title_words_max)
}

/** "1,500" is one number, and "-5" is no five. */
function spellNumbers(text: string): string {
  const positive = text.replace(/(?<![\p{L}\p{N})])[-−](?=\d)/gu, 'minus-')
  return positive.replace(/(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])/g, (number) => number.replaceAll(',', ''))
}

/** Undefined if there are too many words for one premise. */
export function readSentences(text: string): Sentence[] | undefined {
  const sentences: Token[][] = [[]]
  const asking = new Set<Token[]>()
  const broken = new Set<Token[]>()
  let count = 0
  for (const [word] of spellNumbers(spellDates(text)).matchAll(token_form)) {
    count += 1
    if (count > tokens_max) return undefined
    const sentence = sentences[sentences.length - 1]!
    if (word === ':' || word === ')' || word === ']') {
      if (isLabel(sentence, word)) sentence.length = 0
      else if (word === ':') broken.add(sentence)
    } else if (word === '.' || word === '!' || word === ';' || word === '?') {
      const last = sentence[sentence.length - 1]
      if (word === '.' && last && titles.has(last.text)) continue
      if (isLabel(sentence, word)) sentence.length = 0
      else if (sentence.length > 0) sentences.push([])
      if (word === '?') asking.add(sentence)
    } else sentence.push(...openWord(word))
  }
  const quotes = quotesSomebody(text)
  return sentences
    .map((sentence) => {
      const { words, hedges, fault } = plainWording(sentence)
      const foreign = quotes ? 'it quotes somebody' : broken.has(sentence) ? 'it has a colon' : undefined
      return { tokens: words, hedges, fault: fault ?? foreign, asks: asking.has(sentence) }
    })
    .filter(({ tokens }) => tokens.length > 0)
}

/** What a text says about how certain it is; the first reason why it cannot be used, if there is one. */
export function certaintyOf(text: string): { hedges: readonly Hedge[]; fault: string | undefined } {
  const sentences = readSentences(text) ?? []
  const faults = sentences.map(
    ({ tokens, fault, asks }) => fault ?? reportIn(tokens) ?? (asks ? 'it asks' : undefined),
  )
  return {
    hedges: sentences.flatMap(({ hedges }) => hedges),
    fault: faults.find((fault) => fault !== undefined),
  }
}

const number_label = /^[a-z]{0,12}\d{1,6}$/

/** "3.", "(3)", "Fact 3:", "sent3:", "True or false:" are labels or instructions. */
function isLabel(sentence: readonly Token[], mark: string): boolean {
  const [first] = sentence
  if (!first) return false
  const about = (token: Token) => task_words.has(token.text) || number_label.test(token.text)
  if (mark === ':') return sentence.every(about)
  if (mark === ')' && sentence.length === 1 && first.text.length === 1) return true
  return (
    mark !== '?' && sentence.length <= 2 && sentence.every(about) && number_label.test(sentence.at(-1)!.text)
  )
}

/** Only an instruction about another sentence: "Is this statement true, false or unknown". */
export function isAboutTask(sentence: readonly Token[]): boolean {
  return (
    sentence.every(({ text }) => task_words.has(text)) && sentence.some(({ text }) => judging_words.has(text))
  )
}

function openWord(word: string): Token[] {
  const capital = word[0] !== word[0]!.toLowerCase()
  const text = word.toLowerCase().replaceAll('’', "'")
  const whole = whole_contractions.get(text)
  if (whole) return whole.split(' ').map((part) => ({ text: part, capital: false }))
  if (text.endsWith("n't")) {
    return [
      { text: text.slice(0, -3), capital },
      { text: 'not', capital: false },
    ]
  }
  if (text.endsWith("'re"))
    return [
      { text: text.slice(0, -3), capital },
      { text: 'are', capital: false },
    ]
  if (text.endsWith("'ve"))
    return [
      { text: text.slice(0, -3), capital },
      { text: 'have', capital: false },
    ]
  if (text.endsWith("'ll"))
    return [
      { text: text.slice(0, -3), capital },
      { text: 'will', capital: false },
    ]
  if (!text.endsWith("'s")) return [{ text, capital }]
  const stem = text.slice(0, -2)
  return [
    { text: stem, capital },
    { text: is_contractions.has(stem) ? 'is' : "'s", capital: false },
  ]
}

export function joinWords(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join(' ')
}
