// Boundaries within a clause: its verb, and the complements of each verb.
import { Unparsed } from './datalog.ts'
import type { Scope } from './scope.ts'
import type { Time } from './time.ts'
import type { Token } from './tokens.ts'
import * as word from './words.ts'

export interface Reader {
  readonly tokens: readonly Token[]
  readonly scope: Scope
  at: number
  /** For each position, where the next one of these is, or the end. Precomputed to keep parsing linear. */
  readonly next: { readonly verb: number[]; readonly separator: number[]; readonly the: number[] }
  /** After a relative pronoun: what follows is stated of the same subject. */
  carried: boolean
  /** How the last verb was negated; "does not sing or dance" and "neither sings nor dances" negate both. */
  denying: '' | 'helped' | 'neither'
}

export function openReader(tokens: readonly Token[], scope: Scope): Reader {
  const next = { verb: [] as number[], separator: [] as number[], the: [] as number[] }
  const reader: Reader = { tokens, scope, at: 0, next, carried: false, denying: '' }
  const ends = { verb: tokens.length, separator: tokens.length, the: tokens.length }
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    if (isVerbAt(reader, at)) ends.verb = at
    if (word.separators.has(tokens[at]!.text)) ends.separator = at
    if (tokens[at]!.text === 'the') ends.the = at
    next.verb[at] = ends.verb
    next.separator[at] = ends.separator
    next.the[at] = ends.the
  }
  return reader
}

export function skipSeparators(reader: Reader): 'and' | 'or' {
  let operator: 'and' | 'or' = 'and'
  for (; reader.at < reader.tokens.length; reader.at += 1) {
    const { text } = reader.tokens[reader.at]!
    if (!word.separators.has(text) && text !== 'either') break
    if (text === 'or') operator = 'or'
  }
  return operator
}

/** A verb starts here; after an article or a preposition the same word is a noun. */
export function isVerbAt({ tokens, scope }: Reader, at: number): boolean {
  const token = tokens[at]
  if (!token) return false
  const { text } = token
  if (word.copulas.has(text) || word.plain_auxiliaries.has(text) || word.modals.has(text)) return true
  if (text === 'neither' && at > 0) return scope.lexicon.isVerb(tokens[at + 1]?.text ?? '')
  const before = tokens[at - 1]?.text
  if (
    before !== undefined &&
    ((word.pointing.has(before) && before !== 'that') || before === 'a' || before === 'an')
  )
    return false
  if (
    before !== undefined &&
    (before === "'s" || word.prepositions.has(before) || word.universal_determiners.has(before))
  )
    return false
  if (isAdverb(text) && scope.lexicon.isVerb(tokens[at + 1]?.text ?? '')) return true
  return scope.lexicon.isVerb(text)
}

function isAdverb(text: string): boolean {
  return text.endsWith('ly') && text.length > 4
}

export function isRelativeAt(reader: Reader, at: number): boolean {
  return word.relative_pronouns.has(reader.tokens[at]?.text ?? '') && isVerbAt(reader, at + 1)
}

export function isPluralVerb({ tokens, scope }: Reader, at: number): boolean {
  const { text } = tokens[at]!
  if (word.copulas.has(text)) return word.plural_copulas.has(text)
  if (text === 'does') return false
  if (word.plain_auxiliaries.has(text) || word.modals.has(text)) return true
  return word.verbBase(text, scope.lexicon.used) === text
}

const pasts = new Set(['was', 'were', 'did', 'had'])
const futures = new Set(['will', 'shall'])
const two_ways = new Set(['may', 'might', 'must', 'should'])

export interface VerbGroup {
  /** Base form; undefined for "is". */
  readonly verb: string | undefined
  readonly negated: boolean
  readonly plural: boolean
  readonly time: Time
  /** It says "would". */
  readonly wished: boolean
}

export function readVerbWords(reader: Reader): VerbGroup {
  const { tokens, scope } = reader
  if (!tokens[reader.at]) throw new Unparsed('it ends before what is said')
  const plural = isPluralVerb(reader, reader.at)
  let negated = carriesDenial(reader)
  let able = ''
  let time: Time = 'now'
  let wished = false
  reader.denying = negated ? reader.denying : ''
  if (tokens[reader.at]!.text === 'neither') {
    reader.denying = 'neither'
    negated = true
    reader.at += 1
  }
  for (; reader.at < tokens.length; reader.at += 1) {
    const { text } = tokens[reader.at]!
    if (pasts.has(text) && time === 'future') throw new Unparsed('it says what will have been')
    if (text === 'not' && two_ways.has(tokens[reader.at - 1]?.text ?? ''))
      throw new Unparsed(`"${tokens[reader.at - 1]!.text} not" may deny either; say what is meant`)
    if (pasts.has(text)) time = 'past'
    else if (futures.has(text)) time = 'future'
    else if (text === 'would') wished = true
    if (text === 'not') {
      negated = !negated
      reader.denying = negated ? 'helped' : ''
    } else if (word.modals.has(text)) able += `${text} `
    else if (word.copulas.has(text)) {
      reader.at += 1
      if (tokens[reader.at]?.text === 'not') {
        negated = !negated
        reader.at += 1
      }
      reader.denying = ''
      return { verb: able ? `${able}be` : undefined, negated, plural, time, wished }
    } else if (isAdverb(text) && isVerbAt(reader, reader.at + 1)) able += `${text} `
    else if (!word.plain_auxiliaries.has(text) || !isVerbWordNext(reader)) {
      reader.at += 1
      return { verb: able + word.verbBase(text, scope.lexicon.used), negated, plural, time, wished }
    }
  }
  throw new Unparsed('it ends before what is said')
}

/** Before another verb that the last negation also covers. */
export function carriesDenial({ tokens, scope, at, denying }: Reader): boolean {
  const text = tokens[at]?.text ?? ''
  const before = tokens[at - 1]?.text
  if (denying === 'neither') return before === 'nor' && scope.lexicon.isVerb(text)
  if (denying !== 'helped' || !scope.lexicon.isVerb(text)) return false
  if (word.verbBase(text, scope.lexicon.used) !== text) return false
  if (before !== 'or' && before !== 'nor')
    throw new Unparsed('it may deny both or only the first; write two sentences')
  return true
}

function isVerbWordNext({ tokens, at }: Reader): boolean {
  return tokens[at + 1] !== undefined && !word.separators.has(tokens[at + 1]!.text)
}

export interface Item {
  readonly tokens: readonly Token[]
  readonly negated: boolean
  operator: string
  /** It stands after "but". */
  readonly contrasted: boolean
}

const item_openers = new Set(['not', 'neither', 'no', 'either'])

export function readItems(reader: Reader, negated: boolean, relative: boolean): Item[] {
  const { tokens } = reader
  const items: Item[] = []
  let operator = 'and'
  let contrasted = false
  let neither = false
  while (true) {
    let denied = false
    for (; item_openers.has(tokens[reader.at]?.text ?? ''); reader.at += 1) {
      const { text } = tokens[reader.at]!
      if (text === 'neither') neither = true
      else if (text !== 'either') denied = !denied
    }
    const start = reader.at
    while (reader.at < tokens.length && !endsItem(reader, start)) reader.at += 1
    items.push({ tokens: tokens.slice(start, reader.at), negated: denied, operator, contrasted })
    const here = reader.at
    const marks = separatorsAt(reader)
    if (marks.length === 0 || !continuesItems(reader, relative)) {
      reader.at = here
      if (isRelativeAt(reader, here)) {
        reader.at = here + 1
        reader.carried = true
      }
      return denyAll(carryPrepositions(resolveCommas(items)), negated, neither, reader.scope)
    }
    contrasted = marks.some((mark) => mark === 'but' || mark === 'yet')
    operator = marks.includes('or') ? 'or' : marks.every((mark) => mark === ',') ? ',' : 'and'
  }
}

/**
 * Not (red or blue) is neither; "not red or not blue" is a choice. "Not red and blue" may deny red, or both together: as a condition
 * it asks for more, that it is blue and not red; as a statement it is not read.
 */
function denyAll(items: readonly Item[], negated: boolean, neither: boolean, { stance }: Scope): Item[] {
  let denies = negated
  return items.map((item, place) => {
    if (neither) return { ...item, negated: !item.negated, operator: 'and' }
    if (
      denies &&
      place > 0 &&
      item.operator === 'and' &&
      !item.negated &&
      !item.contrasted &&
      stance !== 'condition'
    )
      throw new Unparsed('"not … and …" may deny the first, both, or both together; write two sentences')
    if (place > 0 && (item.operator !== 'or' || item.negated)) denies = false
    if (!denies) return item
    return { ...item, negated: !item.negated, operator: 'and' }
  })
}

/** Repeats the preposition: "is liked by the cat and the dog", "lives in Rome and Paris". */
function carryPrepositions(items: readonly Item[]): Item[] {
  let prefix: readonly Token[] = []
  return items.map((item) => {
    const [first] = item.tokens
    const at = item.tokens.findIndex(({ text }) => word.prepositions.has(text))
    const named = first !== undefined && (first.capital || first.text === 'the')
    if (at < 0 && named && prefix.length > 0) return { ...item, tokens: [...prefix, ...item.tokens] }
    const described = first !== undefined && ['a', 'an', 'the'].includes(first.text)
    prefix = at >= 0 && !described && !first!.capital ? item.tokens.slice(0, at + 1) : []
    return item
  })
}

function endsItem(reader: Reader, start: number): boolean {
  const { text } = reader.tokens[reader.at]!
  if (word.separators.has(text)) return true
  // "Anything that barks is loud": the first verb has no complement.
  if (word.copulas.has(text) || word.plain_auxiliaries.has(text) || word.modals.has(text)) return true
  // "who cheats fails": the second verb is the main verb.
  if (isVerbAt(reader, reader.at) && word.verbBase(text, reader.scope.lexicon.used) !== text) return true
  return reader.at > start && (isVerbAt(reader, reader.at) || isRelativeAt(reader, reader.at))
}

function separatorsAt(reader: Reader): string[] {
  const marks: string[] = []
  for (; word.separators.has(reader.tokens[reader.at]?.text ?? ''); reader.at += 1)
    marks.push(reader.tokens[reader.at]!.text)
  return marks
}

/** Another complement follows, not a clause with its own verb. */
function continuesItems(reader: Reader, relative: boolean): boolean {
  const { tokens, at, next } = reader
  if (at >= tokens.length || isVerbAt(reader, at)) return false
  const verb = next.verb[at + 1] ?? tokens.length
  // "who are kind and big are nice": the next verb is the main verb and does not belong to "big".
  if (relative) {
    if (verb < tokens.length && isRelativeAt(reader, verb - 1))
      throw new Unparsed('two descriptions are joined; write two sentences')
    return true
  }
  if (verb < (next.separator[at + 1] ?? tokens.length))
    return isRelativeAt(reader, verb - 1) && !hasVerbOfItsOwn(reader, verb)
  // "is big and the cow and the dog are round": the next clause has several subjects.
  const several = verb < tokens.length && !word.separators.has(tokens[verb - 1]!.text)
  return !(several && next.the[at]! < verb)
}

/** "and people who are kind are nice": a verb without a connective follows the description. */
function hasVerbOfItsOwn({ tokens, next }: Reader, described: number): boolean {
  const verb = next.verb[described + 1] ?? tokens.length
  if (verb >= tokens.length) return false
  const { text } = tokens[verb - 1]!
  return !word.separators.has(text) && !word.relative_pronouns.has(text) && text !== 'not'
}

/** A comma takes the meaning of the next connective: "red, blue or green". */
function resolveCommas(items: Item[]): Item[] {
  let meaning = 'and'
  for (const item of items.toReversed()) {
    if (item.operator === ',') item.operator = meaning
    else meaning = item.operator
  }
  return items
}
