// Sentences as words: lower case, contractions opened, hedges left out. One pass, whatever the text.
import { hedges } from './words.ts'

export interface Token {
  readonly text: string
  /** Began with a capital letter. */
  readonly capital: boolean
}

const token_form = /\d{1,15}(?:\.\d{1,15})?(?!\p{L})|[\p{L}\p{N}_]+(?:['’-][\p{L}\p{N}_]+)*|[.,!?;:]/gu
const tokens_max = 4096

const whole_contractions = new Map([
  ["can't", 'can not'],
  ['cannot', 'can not'],
  ["won't", 'will not'],
  ["shan't", 'shall not'],
  ['never', 'not'],
  ['whenever', 'when'],
  ["let's", 'let us'],
])
const is_contractions = new Set(['it', 'he', 'she', 'that', 'who', 'what', 'there', 'someone', 'something'])
const titles = new Set(['mr', 'mrs', 'ms', 'dr', 'prof', 'st'])

/** One list of words per sentence; undefined where there are too many for one premise. */
export function readSentences(text: string): Token[][] | undefined {
  const sentences: Token[][] = [[]]
  let count = 0
  for (const [word] of text.matchAll(token_form)) {
    count += 1
    if (count > tokens_max) return undefined
    const sentence = sentences[sentences.length - 1]!
    if (word === '.' || word === '!' || word === ';' || word === '?') {
      const last = sentence[sentence.length - 1]
      if (word === '.' && last && titles.has(last.text)) continue
      if (sentence.length > 0) sentences.push([])
    } else if (word !== ':') sentence.push(...openWord(word))
  }
  return sentences.filter((sentence) => sentence.length > 0).map(plainBeing)
}

const ways_of_being: readonly (readonly [readonly string[], string])[] = [
  [['tend', 'to', 'be'], 'are'],
  [['tends', 'to', 'be'], 'is'],
  [['are', 'going', 'to', 'be'], 'are'],
  [['is', 'going', 'to', 'be'], 'is'],
  [['will', 'be'], 'is'],
]

/** "Tends to be", "is going to be": nothing but "is" to a rule. */
function plainBeing(sentence: Token[]): Token[] {
  const plain: Token[] = []
  for (let at = 0; at < sentence.length; ) {
    const way = ways_of_being.find(([phrase]) =>
      phrase.every((text, place) => sentence[at + place]?.text === text),
    )
    plain.push(way ? { text: way[1], capital: false } : sentence[at]!)
    at += way ? way[0].length : 1
  }
  return plain
}

function openWord(word: string): Token[] {
  const capital = word[0] !== word[0]!.toLowerCase()
  const text = word.toLowerCase().replaceAll('’', "'")
  if (hedges.has(text)) return []
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
