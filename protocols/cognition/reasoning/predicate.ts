// Predicates: "is kind and not rough", "is a big cat", "is the father of Bob", "likes the dog", "can fly".
import { type Condition, constantOf, isVariable, type Literal, literal, type Term } from './clause.ts'
import { readCount } from './counting.ts'
import { Unparsed } from './datalog.ts'
import { isDate } from './date-text.ts'
import { readWhen } from './dates.ts'
import { classNames, readNoun, requireContent } from './noun.ts'
import { type Alternatives, bothOf, certainly, type Noun, type Scope, unary } from './scope.ts'
import { joinWords, type Token } from './tokens.ts'
import * as word from './words.ts'

/** Literals that hold of the subject together, and conditions on others they name. */
export interface Said {
  readonly literals: readonly Condition[]
  readonly restrict: Alternatives
}

const relation_words_max = 4

const comparing: readonly (readonly [RegExp, string])[] = [
  [/^(?:greater|more|larger|higher|bigger|older) than$|^above$|^over$/, '>'],
  [/^(?:less|fewer|smaller|lower|younger) than$|^below$|^under$/, '<'],
  [/^at least$|^no less than$/, '>='],
  [/^at most$|^no more than$/, '<='],
  [/^equal to$|^exactly$/, '='],
]
const number_form = /^\d{1,15}(?:\.\d{1,15})?$/

/** One complement of "is". */
export function readComplement(
  tokens: readonly Token[],
  subject: Noun,
  negated: boolean,
  plural: boolean,
  scope: Scope,
): Said {
  const value = tokens.at(-1)
  if (value && number_form.test(value.text)) {
    const measured = readMeasure(joinWords(tokens.slice(0, -1)), value.text, subject, negated, scope)
    if (measured) return measured
  }
  if (subject.attribute) {
    const object = readNoun(tokens, scope, false)
    return {
      literals: [literal(subject.attribute, [object.term, subject.term], negated)],
      restrict: object.restrict,
    }
  }
  const bare = dropArticle(tokens)
  const owned = bare.findIndex(({ text }) => text === "'s")
  if (owned > 0 && owned < bare.length - 1) {
    const owner = readNoun(bare.slice(0, owned), scope, false)
    return relation(joinWords(bare.slice(owned + 1)) + ' of', subject.term, owner, negated)
  }
  const when = readWhen('', bare, subject, negated, scope)
  if (when) return { literals: when, restrict: certainly }
  const at = bare.findIndex(({ text }) => word.prepositions.has(text))
  if (at >= 0 && at < bare.length - 1) {
    if (at >= relation_words_max) throw new Unparsed('a relation has more words than can be told apart')
    for (const { text } of bare.slice(0, at)) requireContent(text)
    const object = readObject(bare.slice(at + 1), subject, scope)
    const doing = at === 1 && bare[1]!.text === 'by' ? activeVerb(bare[0]!.text, scope) : undefined
    const kind =
      ['a', 'an'].includes(tokens[0]?.text ?? '') &&
      bare[at]!.text !== 'of' &&
      !negated &&
      at > 0 &&
      !isDate(bare.at(-1)!.text)
    if (kind && !object.attribute) {
      const place = bare[at]!.text === 'with' ? 'have' : bare[at]!.text
      const kinds = classNames(bare.slice(0, at), scope, false).map((name) => unary(name, subject.term))
      return { literals: [...kinds, literal(place, [subject.term, object.term])], restrict: object.restrict }
    }
    if (doing && !object.attribute)
      return { literals: [literal(doing, [object.term, subject.term], negated)], restrict: object.restrict }
    return relation(`${joinWords(bare.slice(0, at))}${joint(bare, at)}`, subject.term, object, negated)
  }
  const names = classNames(bare, scope, plural)
  // "Not a big cat" denies the conjunction, so it is treated as one class.
  if (negated && names.length > 1)
    return { literals: [unary(names.join(' '), subject.term, true)], restrict: certainly }
  return { literals: names.map((name) => unary(name, subject.term, negated)), restrict: certainly }
}

/** "is liked by": the active verb of the other. */
function activeVerb(participle: string, { lexicon }: Scope): string | undefined {
  return word.participleBases(participle).find((base) => lexicon.isVerb(base))
}

/** "exceeds 5", "is at least 5": compares a value if the subject is an attribute. */
function readMeasure(
  phrase: string,
  number: string,
  subject: Noun,
  negated: boolean,
  scope: Scope,
): Said | undefined {
  const operator = comparing.find(([form]) => form.test(phrase))?.[1]
  if (!operator || !subject.attribute) return undefined
  scope.counter.next += 1
  const measured = { variable: `N${scope.counter.next}` }
  const test = { predicate: operator, negated: false, args: [measured, constantOf(number)] }
  const opposite = { ...test, predicate: opposites.get(operator)! }
  return {
    literals: [literal(subject.attribute, [measured, subject.term]), negated ? opposite : test],
    restrict: certainly,
  }
}

export const opposites: ReadonlyMap<string, string> = new Map([
  ['>', '<='],
  ['<', '>='],
  ['>=', '<'],
  ['<=', '>'],
  ['=', '!='],
  ['!=', '='],
])

function relation(name: string, subject: Term, object: Noun, negated: boolean): Said {
  // "the rules of chess" of something named are one thing, named so.
  const named =
    object.attribute && !isVariable(object.term) ? `${object.attribute} ${object.term}` : object.term
  if (!object.attribute || !isVariable(object.term))
    return { literals: [literal(name, [subject, named], negated)], restrict: object.restrict }
  throw new Unparsed('a relation to an attribute of somebody cannot be told; name who that is')
}

function dropArticle(tokens: readonly Token[]): readonly Token[] {
  const [first] = tokens
  return first && (first.text === 'a' || first.text === 'an' || first.text === 'the')
    ? tokens.slice(1)
    : tokens
}

/** A verb without object ("sleeps"), with one ("likes the dog"), or with a preposition ("goes to Rome"). */
export function readVerb(
  base: string,
  tokens: readonly Token[],
  subject: Noun,
  negated: boolean,
  scope: Scope,
): Said {
  if (subject.attribute) {
    const value = tokens.at(-1)?.text ?? ''
    const phrase = base === 'exceed' ? 'more than' : ''
    const measured = number_form.test(value) && readMeasure(phrase, value, subject, negated, scope)
    if (measured) return measured
    throw new Unparsed('of an attribute only its value can be told')
  }
  if (tokens.length === 0) return { literals: [unary(base, subject.term, negated)], restrict: certainly }
  const exact =
    readWhen(base, tokens, subject, negated, scope) ?? readCount(base, tokens, subject, negated, scope)
  if (exact) return { literals: exact, restrict: certainly }
  const at = tokens.findIndex(({ text }) => word.prepositions.has(text))
  if (at > 0 && !(word.pointing.has(tokens[0]!.text) || tokens[0]!.capital))
    return relation(
      `${base} ${joinWords(tokens.slice(0, at + 1))}`,
      subject.term,
      readObject(tokens.slice(at + 1), subject, scope),
      negated,
    )
  if (at === 0)
    return relation(
      `${base} ${joint(tokens, 0)}`,
      subject.term,
      readObject(tokens.slice(1), subject, scope),
      negated,
    )
  return relation(base, subject.term, readObject(tokens, subject, scope), negated)
}

/** Its preposition; on a day is in its year's order. */
function joint(tokens: readonly Token[], at: number): string {
  const { text } = tokens[at]!
  const dated = text === 'on' && tokens.length === at + 2 && isDate(tokens[at + 1]!.text)
  return `${at > 0 ? ' ' : ''}${dated ? 'in' : text}`
}

/** An individual other than the subject: "someone likes someone" is about two. */
function readObject(tokens: readonly Token[], subject: Noun, scope: Scope): Noun {
  const [first] = tokens
  const vague = first && ['someone', 'somebody', 'something'].includes(first.text)
  if (vague && !scope.conditional && !scope.asked) throw new Unparsed(`"${first.text}" does not say whom`)
  if (
    first &&
    tokens.length === 1 &&
    word.anyone.has(first.text) &&
    scope.variables.get(first.text) === subject.term
  )
    return readNoun([first, { text: 'else', capital: false }], scope, false)
  if (first && isBarePlural(tokens, scope)) {
    const name = [
      ...tokens.slice(0, -1).map(({ text }) => text),
      word.singular(tokens.at(-1)!.text, scope.lexicon.used),
    ]
    return { term: name.join(' '), restrict: certainly }
  }
  const object = readNoun(tokens, scope, false)
  if (!first || object.term !== subject.term || object.attribute || reflexive.has(first.text)) return object
  if (word.pronouns.has(first.text)) {
    const other = scope.mentioned.findLast((term) => term !== subject.term)
    if (other !== undefined) return { term: other, restrict: certainly }
  } else if (!word.pointing.has(first.text) || !isVariable(object.term)) return object
  throw new Unparsed(`"${joinWords(tokens)}" would be the subject itself; say whom else it means`)
}

const reflexive = new Set(['itself', 'himself', 'herself', 'themselves'])

function isBarePlural(tokens: readonly Token[], { lexicon }: Scope): boolean {
  const last = tokens.at(-1)!
  const plain =
    tokens.length <= relation_words_max &&
    tokens.every(({ text, capital }) => !capital && !isStructural(text))
  return plain && word.looksPlural(last.text) && !lexicon.names.has(last.text)
}

function isStructural(text: string): boolean {
  return (
    word.pointing.has(text) ||
    word.universal_determiners.has(text) ||
    word.pronouns.has(text) ||
    word.anyone.has(text) ||
    text === 'a' ||
    text === 'an' ||
    text === "'s" ||
    text === 'not' ||
    text === 'only'
  )
}

export function joinSaid(all: readonly Said[]): Said {
  const restrict = all.reduce<Alternatives>((joined, part) => bothOf(joined, part.restrict), certainly)
  return { literals: all.flatMap(({ literals }): Literal[] => [...literals]), restrict }
}
