// Clauses of a sentence joined by "and" and "or": each a subject and what is said of it, the subject carried on where it is left out.
import { isVariable } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { readSubjects } from './noun.ts'
import { joinSaid, readComplement, readVerb, type Said } from './predicate.ts'
import { type Alternatives, bothOf, certainly, type Noun, type Scope, type Statement } from './scope.ts'
import type { Token } from './tokens.ts'
import * as word from './words.ts'

/** Any of several, each of which says all of its statements. */
export type Formula = readonly (readonly Statement[])[]

interface Reader {
  readonly tokens: readonly Token[]
  readonly scope: Scope
  at: number
}

export function readFormula(tokens: readonly Token[], scope: Scope): Formula {
  const reader: Reader = { tokens, scope, at: 0 }
  const groups: Formula[] = [[[]]]
  let subjects: readonly Noun[] | undefined
  while (reader.at < tokens.length) {
    const operator = skipSeparators(reader)
    if (reader.at >= tokens.length) throw new Unparsed('it ends after a connecting word')
    if (operator === 'or') groups.push([[]])
    let said: Formula = [[]]
    if (!(subjects && isVerbAt(reader, reader.at))) {
      const subject = readSubjectPhrase(reader)
      subjects = subject.nouns
      said = subject.aside
    }
    for (const part of readVerbGroup(reader, subjects)) said = join(said, part)
    groups.push(join(groups.pop()!, said))
  }
  const formula = groups.flat()
  if (formula.some((statements) => statements.length === 0)) throw new Unparsed('nothing is said')
  return formula
}

/** As conditions of a rule: what must hold of those spoken of is one condition more. */
export function conditionsOf(formula: Formula): Alternatives {
  return formula.flatMap((statements) =>
    statements.reduce<Alternatives>(
      (joined, { literal, restrict }) => bothOf(bothOf(joined, restrict), [[literal]]),
      certainly,
    ),
  )
}

function join(a: Formula, b: Formula): Formula {
  if (a.length * b.length > 32) throw new Unparsed('it has too many alternatives; write several sentences')
  return a.flatMap((left) => b.map((right) => [...left, ...right]))
}

function skipSeparators(reader: Reader): 'and' | 'or' {
  let operator: 'and' | 'or' = 'and'
  for (; reader.at < reader.tokens.length; reader.at += 1) {
    const { text } = reader.tokens[reader.at]!
    if (!word.separators.has(text)) break
    if (text === 'or') operator = 'or'
  }
  return operator
}

/** A verb begins here; not after an article or a preposition, where the same word is a noun. */
function isVerbAt({ tokens, scope }: Reader, at: number): boolean {
  const token = tokens[at]
  if (!token) return false
  const { text } = token
  if (word.copulas.has(text) || word.plain_auxiliaries.has(text) || word.modals.has(text)) return true
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
  return scope.lexicon.isVerb(text)
}

function isRelativeAt(reader: Reader, at: number): boolean {
  return word.relative_pronouns.has(reader.tokens[at]?.text ?? '') && isVerbAt(reader, at + 1)
}

/** Up to its verb. What a relative clause says of a name is said beside the sentence; of a kind, it narrows the kind. */
function readSubjectPhrase(reader: Reader): { nouns: readonly Noun[]; aside: Formula } {
  const { tokens, scope } = reader
  const start = reader.at
  let end = start + 1
  while (end < tokens.length && !isVerbAt(reader, end) && !isRelativeAt(reader, end)) end += 1
  if (end >= tokens.length) throw new Unparsed('there is no verb that is known as one')
  const relative = isRelativeAt(reader, end)
  const verb = relative ? end + 1 : end
  const phrase = tokens.slice(start, end)
  const plural = isPluralVerb(reader, verb) || relative
  reader.at = end
  const nouns = readSubjects(phrase, scope, plural)
  if (!relative) return { nouns, aside: [[]] }
  reader.at = verb
  const said = readRelative(reader, nouns)
  if (nouns.every(({ term }) => !isVariable(term))) return { nouns, aside: said }
  const narrowed = conditionsOf(said)
  return { nouns: nouns.map((noun) => ({ ...noun, restrict: narrowed })), aside: [[]] }
}

/** Ends where another verb follows without a connecting word: that is the sentence's own. */
function readRelative(reader: Reader, nouns: readonly Noun[]): Formula {
  let said: Formula = [[]]
  while (true) {
    for (const part of readVerbGroup(reader, nouns, true)) said = join(said, part)
    const here = reader.at
    skipSeparators(reader)
    const joined = reader.at > here && reader.tokens[here]!.text !== ','
    if (isRelativeAt(reader, reader.at)) reader.at += 1
    else if (!joined || !isVerbAt(reader, reader.at)) return said
  }
}

function isPluralVerb({ tokens, scope }: Reader, at: number): boolean {
  const { text } = tokens[at]!
  if (word.copulas.has(text)) return word.plural_copulas.has(text)
  if (text === 'does') return false
  if (word.plain_auxiliaries.has(text) || word.modals.has(text)) return true
  return word.verbBase(text, scope.lexicon.used) === text
}

interface VerbGroup {
  /** Base form; undefined for "is". */
  readonly verb: string | undefined
  readonly negated: boolean
  readonly plural: boolean
}

function readVerbWords(reader: Reader): VerbGroup {
  const { tokens, scope } = reader
  if (!tokens[reader.at]) throw new Unparsed('it ends before what is said')
  const plural = isPluralVerb(reader, reader.at)
  let negated = false
  let able = ''
  for (; reader.at < tokens.length; reader.at += 1) {
    const { text } = tokens[reader.at]!
    if (text === 'not') negated = !negated
    else if (word.modals.has(text)) able = `${text} `
    else if (word.copulas.has(text)) {
      reader.at += 1
      if (tokens[reader.at]?.text === 'not') {
        negated = !negated
        reader.at += 1
      }
      return { verb: able ? `${able}be` : undefined, negated, plural }
    } else if (!word.plain_auxiliaries.has(text) || !isVerbWordNext(reader)) {
      reader.at += 1
      return { verb: able + word.verbBase(text, scope.lexicon.used), negated, plural }
    }
  }
  throw new Unparsed('it ends before what is said')
}

function isVerbWordNext({ tokens, at }: Reader): boolean {
  return tokens[at + 1] !== undefined && !word.separators.has(tokens[at + 1]!.text)
}

interface Item {
  readonly tokens: readonly Token[]
  readonly negated: boolean
  operator: string
}

/** One verb with all its complements, for each subject; the reader is left where another clause, or nothing, follows. */
function readVerbGroup(reader: Reader, subjects: readonly Noun[], relative = false): Formula[] {
  const { verb, negated, plural } = readVerbWords(reader)
  const items = readItems(reader, negated, relative)
  return subjects.map((subject) => {
    const groups: Said[][] = [[]]
    for (const item of items) {
      if (item.operator === 'or') groups.push([])
      const { scope } = reader
      const said =
        verb === undefined
          ? readComplement(item.tokens, subject, item.negated, plural, scope)
          : readVerb(verb, item.tokens, subject, item.negated, scope)
      groups.at(-1)!.push(said)
    }
    return groups.map((group) => {
      const { literals, restrict } = joinSaid(group)
      return literals.map((literal) => ({ literal, restrict: bothOf(subject.restrict, restrict) }))
    })
  })
}

function readItems(reader: Reader, negated: boolean, relative: boolean): Item[] {
  const { tokens } = reader
  const items: Item[] = []
  let operator = 'and'
  let neither = false
  while (true) {
    let denied = items.length === 0 ? negated : neither || (negated && operator === 'or')
    for (; ['not', 'neither'].includes(tokens[reader.at]?.text ?? ''); reader.at += 1) {
      if (tokens[reader.at]!.text === 'neither') neither = true
      denied = true
    }
    const start = reader.at
    while (reader.at < tokens.length && !endsItem(reader, start)) reader.at += 1
    // Not red or blue is neither.
    items.push({
      tokens: tokens.slice(start, reader.at),
      negated: denied,
      operator: denied && operator === 'or' ? 'and' : operator,
    })
    const here = reader.at
    const marks = separatorsAt(reader)
    if (marks.length === 0 || !continuesItems(reader, relative)) {
      reader.at = here
      if (isRelativeAt(reader, here)) reader.at = here + 1
      return resolveCommas(items)
    }
    operator = marks.includes('or') ? 'or' : marks.every((mark) => mark === ',') ? ',' : 'and'
  }
}

function endsItem(reader: Reader, start: number): boolean {
  const { text } = reader.tokens[reader.at]!
  if (word.separators.has(text)) return true
  return reader.at > start && (isVerbAt(reader, reader.at) || isRelativeAt(reader, reader.at))
}

function separatorsAt(reader: Reader): string[] {
  const marks: string[] = []
  for (; word.separators.has(reader.tokens[reader.at]?.text ?? ''); reader.at += 1)
    marks.push(reader.tokens[reader.at]!.text)
  return marks
}

/** Another complement follows, and not a clause with a verb of its own. */
function continuesItems(reader: Reader, relative: boolean): boolean {
  const { tokens, at } = reader
  if (at >= tokens.length || isVerbAt(reader, at)) return false
  // "who are kind and big are nice": the verb that follows is the sentence's, not one of "big".
  if (relative) {
    for (let place = at; place < tokens.length && !isVerbAt(reader, place); place += 1) {
      if (isRelativeAt(reader, place)) throw new Unparsed('two descriptions are joined; write two sentences')
    }
    return true
  }
  for (let place = at + 1; place < tokens.length && !word.separators.has(tokens[place]!.text); place += 1) {
    if (isVerbAt(reader, place)) return isRelativeAt(reader, place - 1)
  }
  return !subjectContinues(reader)
}

/** "is big and the cow and the dog are round": the next clause has several subjects. */
function subjectContinues(reader: Reader): boolean {
  const { tokens, at } = reader
  for (let place = at + 1; place < tokens.length; place += 1) {
    if (!isVerbAt(reader, place)) continue
    const before = tokens.slice(at, place)
    return (
      tokens[place - 1] !== undefined &&
      !word.separators.has(tokens[place - 1]!.text) &&
      before.some(({ text }) => text === 'the')
    )
  }
  return false
}

/** A comma means what the next connecting word does: "red, blue or green". */
function resolveCommas(items: Item[]): Item[] {
  let meaning = 'and'
  for (const item of items.toReversed()) {
    if (item.operator === ',') item.operator = item.negated ? 'and' : meaning
    else meaning = item.operator
  }
  return items
}
