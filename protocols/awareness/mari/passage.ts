// What a passage says, without semantic analysis: its words, numbers, names, and whether it negates.

/** A part of a text, by character offsets. */
export interface Passage {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface Reading {
  /** Stems of content words. */
  readonly words: ReadonlySet<string>
  readonly numbers: ReadonlySet<string>
  /** Capitalized names within the sentence, and numbered things such as Pump 7. */
  readonly names: ReadonlySet<string>
  readonly labels: ReadonlySet<string>
  readonly negated: boolean
}

const text_length_max = 32_768
const passages_max = 2_000
const passage_length_max = 320
/** Minimum share of a sentence's words that its source passage must contain. */
const support_min = 0.6
/** Two passages that share this many words are about the same matter. */
const same_matter_min = 0.6

// biome-ignore format: a list of words
const empty_words: ReadonlySet<string> = new Set([
  'a', 'about', 'after', 'again', 'all', 'also', 'am', 'an', 'and', 'any', 'are', 'as', 'at', 'be', 'because', 'been',
  'before', 'being', 'between', 'both', 'but', 'by', 'can', 'could', 'did', 'do', 'does', 'doing', 'done', 'during',
  'each', 'for', 'from', 'had', 'has', 'have', 'having', 'he', 'her', 'here', 'him', 'his', 'how', 'i', 'if', 'in',
  'into', 'is', 'it', 'its', 'just', 'many', 'may', 'me', 'might', 'more', 'most', 'much', 'must', 'my', 'of', 'on',
  'only', 'or', 'other', 'our', 'out', 'over', 'own', 'shall', 'she', 'should', 'so', 'some', 'such', 'than', 'that',
  'the', 'their', 'them', 'then', 'there', 'these', 'they', 'this', 'those', 'through', 'to', 'too', 'under', 'until',
  'up', 'us', 'very', 'was', 'we', 'were', 'what', 'when', 'where', 'whether', 'which', 'while', 'who', 'whom',
  'whose', 'why', 'will', 'with', 'would', 'you', 'your',
])
// biome-ignore format: a list of words
const denials: ReadonlySet<string> = new Set([
  'no', 'not', 'never', 'none', 'nobody', 'nothing', 'nowhere', 'neither', 'nor', 'without', 'cannot',
])
// biome-ignore format: a list of words
const number_words: ReadonlyMap<string, string> = new Map(
  ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'].map(
    (word, value) => [word, String(value)],
  ),
)
/** A number before one of these is a measurement; otherwise it may be only an identifier. */
const unit_form =
  /^\s*(?:%|°|[$€£]|bar|rpm|[kmg]?[gmwvlb]\b|km|days?|hours?|minutes?|years?|million|billion|percent|usd|eur)/i

/** Splits into sentences; very long ones further. Every part is a slice of the text. */
export function splitPassages(text: string): Passage[] {
  const passages: Passage[] = []
  const read = text.slice(0, text_length_max)
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'sentence' }).segment(read)) {
    for (const part of partsOf(segment, index)) {
      passages.push(part)
      if (passages.length === passages_max) return passages
    }
  }
  return passages
}

function partsOf(segment: string, index: number): Passage[] {
  const parts: Passage[] = []
  let from = 0
  while (from < segment.length) {
    const until = endOf(segment, from)
    const raw = segment.slice(from, until)
    const text = raw.trim()
    const start = index + from + (raw.length - raw.trimStart().length)
    if (text !== '') parts.push({ start, end: start + text.length, text: text.toWellFormed() })
    from = until
  }
  return parts
}

/** At a space if there is one, and never within a character. */
function endOf(segment: string, from: number): number {
  const most = from + passage_length_max
  if (most >= segment.length) return segment.length
  const space = segment.lastIndexOf(' ', most)
  if (space > from) return space
  const code = segment.charCodeAt(most - 1)
  return code >= 0xd800 && code < 0xdc00 ? most - 1 : most
}

const token_form = /\d+(?:[.,]\d+)*|\p{L}[\p{L}\p{M}\p{N}_]*(?:['’]\p{L}+)?/gu

export function readPassage(text: string): Reading {
  const [words, numbers] = [new Set<string>(), new Set<string>()]
  const [names, labels] = [new Set<string>(), new Set<string>()]
  let negated = false
  let named = ''
  for (const { 0: token, index } of text.matchAll(token_form)) {
    if (/^\d/.test(token)) {
      const is_label =
        named !== '' && /^\d+$/.test(token) && !unit_form.test(text.slice(index + token.length))
      if (is_label) labels.add(`${named} ${Number(token)}`)
      else numbers.add(numberOf(token))
      named = ''
      continue
    }
    const word = token.toLowerCase().replace('’', "'")
    if (denials.has(word) || word.endsWith("n't")) negated = true
    named = /^\p{Lu}/u.test(token) ? word : ''
    const value = number_words.get(word)
    if (value !== undefined) numbers.add(value)
    else if (!empty_words.has(word) && !denials.has(word) && !word.endsWith("n't")) {
      const stem = stemOf(word)
      words.add(stem)
      if (named !== '' && index > 0) names.add(stem)
    }
  }
  return { words, numbers, names, labels, negated }
}

function numberOf(token: string): string {
  const plain = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(token) ? token.replaceAll(',', '') : token
  return Number.isFinite(Number(plain)) ? String(Number(plain)) : plain
}

/** Equal for most forms of a word; need not be a real word. */
function stemOf(word: string): string {
  let stem = word.replace(/'s?$|'\p{L}+$/u, '').replaceAll('_', ' ')
  if (stem.length > 4) stem = stem.replace(/ies$/, 'y').replace(/sses$/, 'ss')
  if (stem.length > 5) stem = stem.replace(/(?:ing|ed|ly|es)$/, '')
  if (stem.length > 3) stem = stem.replace(/(?<![su])s$/, '')
  if (stem.length > 3) stem = stem.replace(/([bdfglmnprt])\1$/, '$1')
  return stem.length > 3 ? stem.replace(/e$/, '') : stem
}

/** The share of these words found among the others; 0 if there are none. */
export function shareOf(words: ReadonlySet<string>, among: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : countShared(words, among) / words.size
}

/** Counts without building a set: called for every pair. */
function countShared(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  return shared
}

/** Whether a passage supports a sentence: words, numbers, names, negation. Meaning is not checked. */
export function isSupported(sentence: Reading, passage: Reading): boolean {
  if (sentence.words.size === 0 || sentence.negated !== passage.negated) return false
  return (
    shareOf(sentence.words, passage.words) >= support_min &&
    sentence.numbers.isSubsetOf(passage.numbers) &&
    sentence.labels.isSubsetOf(passage.labels) &&
    sentence.names.isSubsetOf(passage.words)
  )
}

/** Whether both are about the same matter, agreeing or not. Called for every pair, so cheap checks first. */
export function isSameMatter(one: Reading, other: Reading): boolean {
  if (one.labels.size !== other.labels.size || !one.labels.isSubsetOf(other.labels)) return false
  const [few, many] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words]
  if (few.size === 0 || few.size / many.size < same_matter_min) return false
  const shared = countShared(few, many)
  return shared / (few.size + many.size - shared) >= same_matter_min
}

export function doesDeny(one: Reading, other: Reading): boolean {
  return one.negated !== other.negated && isSameMatter(one, other)
}

/** Different numbers for the same matter; additional numbers do not count as a difference. */
export function doesMismatch(one: Reading, other: Reading): boolean {
  if (one.negated !== other.negated || one.numbers.size === 0 || other.numbers.size === 0) return false
  if (one.numbers.isSubsetOf(other.numbers) || other.numbers.isSubsetOf(one.numbers)) return false
  return isSameMatter(one, other)
}
