// Clauses joined by "and" and "or": each a subject and its predicates; an omitted subject is carried over.
import { type Condition, isComparison, isVariable, literal } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { hedgeOf } from './hedges.ts'
import {
  carriesDenial,
  type Item,
  isPluralVerb,
  isRelativeAt,
  isVerbAt,
  openReader,
  type Reader,
  readItems,
  readVerbWords,
  skipSeparators,
  type VerbGroup,
} from './items.ts'
import { readNoun } from './noun.ts'
import { joinSaid, readComplement, readVerb, type Said } from './predicate.ts'
import {
  type Alternatives,
  bothOf,
  certainly,
  type Formula,
  joinFormulas,
  type Noun,
  requireFewStatements,
  type Scope,
} from './scope.ts'
import { readSubjects } from './subjects.ts'
import { atTime, type Time } from './time.ts'
import type { Token } from './tokens.ts'
import * as word from './words.ts'

export function readFormula(tokens: readonly Token[], scope: Scope): Formula {
  const reader = openReader(tokens, scope)
  const groups: Formula[] = [[[]]]
  let subject: Subject | undefined
  // "A and either B or C": A belongs to both alternatives.
  let either: Formula | undefined
  while (reader.at < tokens.length) {
    const start = reader.at
    const operator = skipSeparators(reader)
    if (reader.at >= tokens.length) throw new Unparsed('it ends after a connecting word')
    if (tokens[reader.at - 1]?.text === 'either') either = groups.at(-1)!
    else if (operator === 'and' && groups.length > 1 && either)
      throw new Unparsed('an "and" follows an "or"; write several sentences')
    if (operator === 'or' && !(subject && carriesDenial(reader))) groups.push(either ?? [[]])
    let conjunction: Formula = [[]]
    if (subject && isRelativeAt(reader, reader.at)) reader.at += 1
    if (subject && isVerbAt(reader, reader.at)) {
      if (reader.at === start && !reader.carried)
        throw new Unparsed('two verbs follow each other without a connecting word')
      if (subject.any_of) throw new Unparsed('more is said of one or another; write several sentences')
    } else {
      reader.denying = ''
      subject = readSubjectPhrase(reader)
      conjunction = subject.aside
    }
    reader.carried = false
    const parts = readVerbGroup(reader, subject.nouns)
    if (subject.any_of) conjunction = joinFormulas(conjunction, parts.flat())
    else for (const part of parts) conjunction = joinFormulas(conjunction, part)
    groups.push(joinFormulas(groups.pop()!, conjunction))
  }
  const formula = groups.flat()
  if (formula.some((statements) => statements.length === 0)) throw new Unparsed('nothing is said')
  return formula
}

/** As conditions of a rule: restrictions of the subjects become further conditions. */
export function conditionsOf(formula: Formula): Alternatives {
  return formula.flatMap((statements) =>
    statements.reduce<Alternatives>(
      (joined, { literal, restrict }) => bothOf(bothOf(joined, restrict), [[literal]]),
      certainly,
    ),
  )
}

/** "it rains" is about nobody. */
const falling = new Set(['rains', 'rain', 'rained', 'snows', 'snow', 'hails', 'thunders'])

interface Subject {
  readonly nouns: readonly Noun[]
  /** The statement holds of one of them, not of each: "Bob or Anne". */
  readonly any_of: boolean
  /** Side statements about the subjects. */
  readonly aside: Formula
}

/** Up to the verb. A relative clause is a side statement about a name, but restricts a class. */
function readSubjectPhrase(reader: Reader): Subject {
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
  if (!relative) requireOfWhom(phrase, scope)
  const apart = relative ? undefined : readApposition(phrase, scope)
  if (apart) return apart
  const weather = phrase.length === 1 && phrase[0]!.text === 'it' && falling.has(tokens[verb]!.text)
  const nouns = weather ? [{ term: 'it', restrict: certainly }] : readSubjects(phrase, scope, plural)
  const or = phrase.some(({ text }) => text === 'or')
  const either = tokens[start - 1]?.text === 'either'
  const any_of = or && (either || scope.stance === 'condition' || nouns.some(({ term }) => !isVariable(term)))
  if (!relative) return { nouns, any_of, aside: [[]] }
  if (any_of) throw new Unparsed('more is said of one or another; write several sentences')
  reader.at = verb
  const [stance, named] = [scope.stance, nouns.every(({ term }) => !isVariable(term))]
  if (!named) scope.stance = 'condition'
  const formula = readRelative(reader, nouns)
  scope.stance = stance
  if (named) return { nouns, any_of, aside: formula }
  const narrowed = conditionsOf(formula)
  return { nouns: nouns.map((noun) => ({ ...noun, restrict: narrowed })), any_of, aside: [[]] }
}

/** As a fact, "someone is kind" does not say who. */
function requireOfWhom(phrase: readonly Token[], { conditional, asked }: Scope): void {
  const [first] = phrase
  const vague = first && phrase.length === 1 && ['someone', 'somebody', 'something'].includes(first.text)
  if (vague && !conditional && !asked) throw new Unparsed(`"${first.text}" does not say who; name one`)
}

/** "Alan, a teacher, is blue": the text between the commas is also stated of Alan. */
function readApposition(phrase: readonly Token[], scope: Scope): Subject | undefined {
  const comma = phrase.findIndex(({ text }) => text === ',')
  const inner = phrase.slice(comma + 1, -1)
  const article = ['a', 'an', 'the'].includes(inner[0]?.text ?? '')
  if (comma < 1 || !article || phrase.at(-1)!.text !== ',') return undefined
  if (inner.some(({ text }) => text === ',')) return undefined
  const noun = readNoun(phrase.slice(0, comma), scope, false)
  if (isVariable(noun.term) || noun.attribute) return undefined
  const { literals, restrict } = readComplement(inner, noun, false, false, scope)
  return { nouns: [noun], any_of: false, aside: [literals.map((literal) => ({ literal, restrict }))] }
}

/** Ends at a verb without a connective: that is the main verb. */
function readRelative(reader: Reader, nouns: readonly Noun[]): Formula {
  const groups: Formula[] = [[[]]]
  while (true) {
    for (const part of readVerbGroup(reader, nouns, true)) groups.push(joinFormulas(groups.pop()!, part))
    const here = reader.at
    const operator = skipSeparators(reader)
    const joined = reader.at > here && reader.tokens[here]!.text !== ','
    if (reader.carried) reader.carried = false
    else if (isRelativeAt(reader, reader.at)) reader.at += 1
    else if (!joined || !isVerbAt(reader, reader.at)) return groups.flat()
    if (operator === 'or' && !carriesDenial(reader)) groups.push([[]])
  }
}

/** One verb with its complements, per subject; stops before another clause or at the end. */
function readVerbGroup(reader: Reader, subjects: readonly Noun[], relative = false): Formula[] {
  const { scope } = reader
  const words = readVerbWords(reader)
  const time = timeOf(words, subjects, scope)
  const { verb, items } = plainTraits(words.verb, readItems(reader, words.negated, relative), scope)
  requireFewStatements(subjects.length * items.length)
  const by_subject = subjects.map((subject) => {
    const groups: Said[][] = [[]]
    for (const item of items) {
      if (
        verb === undefined &&
        subjects.length > 1 &&
        ['a', 'an'].includes(item.tokens[0]?.text ?? '') &&
        words.plural
      )
        throw new Unparsed('several together are one; say what each of them is')
      if (item.negated && word.universal_determiners.has(item.tokens[0]?.text ?? ''))
        throw new Unparsed('"not every" may deny one or all; say which')
      if (item.operator === 'or') groups.push([])
      const group = groups.at(-1)!
      if (verb === undefined)
        group.push(readComplement(item.tokens, subject, item.negated, words.plural, scope))
      else if (!isEachOther(item)) group.push(readVerb(verb, item.tokens, subject, item.negated, scope))
      else group.push(...ofOthers(verb, subject, subjects, item.negated))
    }
    return groups.map((group) => {
      const complement = joinSaid(group)
      const restrict = bothOf(subject.restrict, complement.restrict)
      return complement.literals.map((literal) => ({ literal: timed(literal, time), restrict }))
    })
  })
  if (!reader.carried || (verb === undefined && !speaksOfAnother(by_subject))) return by_subject
  return [describeObject(reader, by_subject)]
}

/** "will" in a rule is read as what then is so, with the probability of its hedge; of somebody named it is a future. */
function timeOf({ time, wished }: VerbGroup, subjects: readonly Noun[], scope: Scope): Time {
  const general = scope.stance === 'conclusion' || subjects.some(({ term }) => isVariable(term))
  if (wished && !general) throw new Unparsed('"would" does not say that it is so')
  if (wished) scope.hedges.push(hedgeOf('would'))
  if (time !== 'future' || !general) return time
  scope.hedges.push(hedgeOf('will'))
  return 'now'
}

function timed(literal: Condition, time: Time): Condition {
  if (time === 'now' || isComparison(literal)) return literal
  return { ...literal, predicate: atTime(literal.predicate, time) }
}

function speaksOfAnother(formulas: readonly Formula[]): boolean {
  return (formulas.at(-1)?.at(-1)?.at(-1)?.literal.args.length ?? 0) > 1
}

/** "likes a dog that is big": the relative clause describes the dog. */
function describeObject(reader: Reader, formulas: readonly Formula[]): Formula {
  const [formula] = formulas
  const [statements] = formula ?? []
  const last = statements?.at(-1)
  const [subject, object] = last?.literal.args ?? []
  if (!last || object === undefined || formulas.length + formula!.length > 2 || last.literal.negated)
    throw new Unparsed('it does not say of whom the last description holds; write two sentences')
  const { scope } = reader
  const stance = scope.stance
  if (isVariable(object)) scope.stance = 'condition'
  reader.carried = false
  const parts = readVerbGroup(reader, [{ term: object, restrict: certainly }], true)
  scope.stance = stance
  const narrowed = conditionsOf(parts[0]!)
  if (isVariable(object))
    return [[...statements!.slice(0, -1), { ...last, restrict: bothOf(last.restrict, narrowed) }]]
  if (stance !== 'condition' && isVariable(subject!))
    throw new Unparsed('what a rule says of another is described; write two sentences')
  return joinFormulas(formula!, parts[0]!)
}

/** Reads "looks blue" and "has green skin" as "is blue", "is green", if others are described so. */
function plainTraits(
  verb: string | undefined,
  items: readonly Item[],
  { lexicon, hedges }: Scope,
): { verb: string | undefined; items: readonly Item[] } {
  if (verb === undefined || items.length === 0) return { verb, items }
  const describes = (tokens: readonly Token[]) =>
    tokens.length > 0 && tokens.every(({ text }) => lexicon.adjectives.has(text))
  if (word.linking_verbs.has(verb) && items.every(({ tokens }) => describes(tokens))) {
    hedges.push(hedgeOf('looks'))
    return { verb: undefined, items }
  }
  const last = items.at(-1)!
  if (verb !== 'have' || !word.traits.has(last.tokens.at(-1)?.text ?? '')) return { verb, items }
  const bare = items.map((item) => ({ ...item, tokens: dropTrait(item.tokens) }))
  return bare.every(({ tokens }) => describes(tokens)) ? { verb: undefined, items: bare } : { verb, items }
}

function dropTrait(tokens: readonly Token[]): readonly Token[] {
  const from = tokens[0]?.text === 'a' || tokens[0]?.text === 'an' ? 1 : 0
  return tokens.slice(from, word.traits.has(tokens.at(-1)?.text ?? '') ? -1 : undefined)
}

function isEachOther({ tokens }: Item): boolean {
  return tokens.length === 2 && tokens[0]!.text === 'each' && tokens[1]!.text === 'other'
}

function ofOthers(verb: string, subject: Noun, subjects: readonly Noun[], negated: boolean): Said[] {
  const others = subjects.filter((other) => other !== subject)
  if (others.length === 0) throw new Unparsed('"each other" is said of several that are named')
  return others.map(({ term, restrict }) => ({
    literals: [literal(verb, [subject.term, term], negated)],
    restrict,
  }))
}
