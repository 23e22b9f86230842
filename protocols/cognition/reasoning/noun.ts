// Noun phrases: names, "the cow", "someone", "every big cat", "people who are kind", "the age of X", "Bob's father".
import { constantOf, isVariable, literal, type Term, variable } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { suspending } from './hedges.ts'
import { loosely, not_both } from './phrases.ts'
import { bothOf, certainly, freshVariable, mention, type Noun, type Scope, unary } from './scope.ts'
import { joinWords, type Token } from './tokens.ts'
import * as word from './words.ts'

const name_words_max = 4
const number_form = /^\d/
const letter_form = /^[a-hj-z]\d?$/

/** `plural`: the verb or position allows a bare noun to mean the whole class. */
export function readNoun(tokens: readonly Token[], scope: Scope, plural: boolean): Noun {
  const [first, ...rest] = tokens
  if (!first) throw new Unparsed('a noun is missing')
  if (scope.asked && first.text === 'who' && rest.length === 0)
    return { term: scope.asked, restrict: certainly }
  if (word.pronouns.has(first.text) && rest.length === 0)
    return { term: referent(scope, first.text), restrict: certainly }
  requireTestable(first, scope)
  if (word.anyone.has(first.text) || (first.text === 'you' && scope.conditional))
    return readAnyone(first, rest, scope)
  if (first.text === 'those' && rest.length === 0) return { term: freshVariable(scope), restrict: certainly }
  const owned = tokens.findIndex(({ text }) => text === "'s")
  if (owned > 0) return readOwned(tokens, owned, scope)
  if (word.universal_determiners.has(first.text)) return readClassNoun(skipThe(rest), scope, true)
  if (first.text === 'some' && (scope.conditional || scope.asked)) return readClassNoun(rest, scope, true)
  if (isLetterVariable(first, scope) && rest.length === 0) return namedVariable(first.text, scope)
  if (first.text === 'a' || first.text === 'an') return readIndefinite(rest, scope, plural)
  if (word.pointing.has(first.text)) return readDefinite(rest, scope)
  if (plural && isClassNoun(tokens, scope)) return readClassNoun(tokens, scope, true)
  return entity(tokens, scope)
}

export function requireTestable({ text }: Token, { stance }: Scope): void {
  if (stance === 'condition' && word.universal_words.has(text))
    throw new Unparsed(`a condition about "${text}" would have to be checked of everyone; say someone`)
}

/** A whole class: "all big cats", "kind people". */
export function readClassNoun(tokens: readonly Token[], scope: Scope, plural: boolean): Noun {
  const at = tokens.findIndex(({ text }) => word.prepositions.has(text))
  if (at > 0) return readMembers(tokens, at, scope, plural)
  const term = freshVariable(scope)
  const { denied, rest } = takeDenied(tokens)
  const names = classNames(rest, scope, plural)
  scope.variables.set(names.at(-1) ?? 'someone', term)
  mention(scope, term)
  return {
    term,
    restrict: [[...denied.map((name) => unary(name, term, true)), ...names.map((name) => unary(name, term))]],
  }
}

/** "not brave people": the negated and the positive descriptions. */
function takeDenied(tokens: readonly Token[]): { denied: string[]; rest: readonly Token[] } {
  const denied: string[] = []
  let rest = tokens
  while (rest[0]?.text === 'not' && rest.length > 2) {
    requireContent(rest[1]!.text)
    denied.push(rest[1]!.text)
    rest = rest.slice(2)
  }
  return { denied, rest }
}

/** "all citizens of Rome": whoever has that relation to it; "all people in Rome": people who are in it. */
function readMembers(tokens: readonly Token[], at: number, scope: Scope, plural: boolean): Noun {
  const names = classNames(tokens.slice(0, at), scope, plural)
  const term = freshVariable(scope)
  const rest = tokens.slice(at + 1)
  const many = rest.length > 0 && isClassNoun(rest, scope) && rest.every(({ capital }) => !capital)
  const whole = many && !isArticle(rest[0]!) ? entity(rest, scope, true) : readNoun(rest, scope, false)
  const preposition = tokens[at]!.text
  const role = names.at(-1)
  if (whole.attribute || (role === undefined && preposition === 'of'))
    throw new Unparsed('a relation has no name')
  scope.variables.set(role ?? 'someone', term)
  const kinds = preposition === 'of' ? [] : names.map((name) => unary(name, term))
  const relation = preposition === 'of' ? `${role} of` : preposition === 'with' ? 'have' : preposition
  return { term, restrict: bothOf(whole.restrict, [[...kinds, literal(relation, [term, whole.term])]]) }
}

/** The classes of a description: "big cat" is two if "big" is also used alone, else one. */
export function classNames(tokens: readonly Token[], { lexicon }: Scope, plural: boolean): string[] {
  const texts = tokens.map(({ text }) => text)
  const last = texts.pop()
  if (last === undefined) throw new Unparsed('a noun is missing')
  if (texts.length >= name_words_max)
    throw new Unparsed('a description has more words than can be told apart')
  for (const text of [...texts, last]) requireContent(text)
  if (plural && texts.some((text) => number_form.test(text))) throw new Unparsed('how many is not told apart')
  const noun = plural ? word.singular(last, lexicon.used) : last
  if (word.trivial_nouns.has(word.singular(last, lexicon.used)) && !lexicon.classes.has(noun)) return texts
  const measure = texts.length === 1 && word.measured_by_noun.has(texts[0]!) && !word.people_nouns.has(noun)
  if (measure) return [`${texts[0]} ${noun}`, noun]
  const divides = texts.every((text) => lexicon.adjectives.has(text) && !suspending.has(text))
  if (divides) return [...texts, noun]
  return [[...texts, noun].join(' ')]
}

const structure = new Set(
  "not if then 's there either neither iff unless when only a an vice versa"
    .split(' ')
    .concat(not_both, loosely),
)

export function requireContent(text: string): void {
  const structural =
    word.copulas.has(text) ||
    word.separators.has(text) ||
    word.plain_auxiliaries.has(text) ||
    word.modals.has(text) ||
    word.universal_determiners.has(text) ||
    word.relative_pronouns.has(text) ||
    word.pronouns.has(text) ||
    word.anyone.has(text) ||
    word.unread.has(text) ||
    structure.has(text)
  if (structural) throw new Unparsed(`"${text}" stands where a name or a description should`)
}

/** A name in its canonical form. */
function entity(tokens: readonly Token[], scope: Scope, singularise = false): Noun {
  if (tokens.length === 0 || tokens.length > name_words_max)
    throw new Unparsed('a name has one to four words')
  for (const { text } of tokens) {
    requireContent(text)
    if (text !== 'of' && word.prepositions.has(text)) throw new Unparsed(`"${text}" stands inside of a name`)
  }
  const last = tokens.at(-1)!
  const name = joinWords(tokens)
  const plural = singularise && !last.capital && !scope.lexicon.names.has(last.text)
  const term = constantOf(
    plural
      ? [...tokens.slice(0, -1).map(({ text }) => text), word.singular(last.text, scope.lexicon.used)].join(
          ' ',
        )
      : name,
  )
  mention(scope, term)
  return { term, restrict: certainly }
}

/** "it" without an antecedent, as in "it rains", is a constant. */
function referent(scope: Scope, text: string): Term {
  const spoken =
    [...scope.variables.values()][0] ??
    scope.mentioned[0] ??
    scope.antecedent ??
    (text === 'it' ? text : undefined)
  if (spoken === undefined) throw new Unparsed('a pronoun has nobody to stand for')
  return spoken
}

function readAnyone({ text }: Token, rest: readonly Token[], scope: Scope): Noun {
  const other = rest[0]?.text === 'else'
  const adjectives = rest.slice(other ? 1 : 0)
  const key = other ? `${text} else` : text
  const variable_of_key = scope.variables.get(key)
  const term = variable_of_key ?? freshVariable(scope)
  if (!variable_of_key) scope.variables.set(key, term)
  mention(scope, term)
  if (adjectives.length === 0) return { term, restrict: certainly }
  const [joined, ...place] = adjectives
  if (word.prepositions.has(joined!.text)) {
    const whole = readNoun(place, scope, false)
    if (whole.attribute) throw new Unparsed('a relation to an attribute cannot be told')
    const relation = joined!.text === 'with' ? 'have' : joined!.text
    return { term, restrict: bothOf(whole.restrict, [[literal(relation, [term, whole.term])]]) }
  }
  for (const { text: described } of adjectives) {
    requireContent(described)
    if (word.prepositions.has(described)) throw new Unparsed(`"${described}" stands inside of a description`)
  }
  return { term, restrict: [adjectives.map((adjective) => unary(adjective.text, term))] }
}

/** "Bob's father": whoever has that relation to Bob. */
function readOwned(tokens: readonly Token[], owned: number, scope: Scope): Noun {
  const owner = readNoun(tokens.slice(0, owned), scope, false)
  const role = tokens.slice(owned + 1)
  if (role.length === 0 || role.length > name_words_max) throw new Unparsed('a role has one to four words')
  for (const { text } of role) requireContent(text)
  return { ...owner, attribute: `${joinWords(role)} of` }
}

/** "a cat": any cat in a rule; elsewhere an individual named by its class. */
function readIndefinite(tokens: readonly Token[], scope: Scope, generic: boolean): Noun {
  const names = classNames(tokens, scope, false)
  const key = names.at(-1) ?? 'someone'
  const variable_of_key = scope.conditional ? scope.variables.get(key) : undefined
  if (variable_of_key) return { term: variable_of_key, restrict: certainly }
  // In a conclusion, "a cat" is an individual named by its class, as in a fact.
  const any = scope.stance === 'condition' || (scope.conditional && scope.stance === 'plain')
  if (generic || any || scope.asked) return readClassNoun(tokens, scope, false)
  return typedEntity(tokens, scope)
}

function readDefinite(tokens: readonly Token[], scope: Scope): Noun {
  const of = tokens.findIndex(({ text }) => text === 'of')
  if (of > 0) {
    const owner = readNoun(tokens.slice(of + 1), scope, false)
    return { ...owner, attribute: `${joinWords(tokens.slice(0, of))} of` }
  }
  const at = tokens.findIndex(({ text }) => word.prepositions.has(text))
  if (at > 0) return describedEntity(tokens, at, scope)
  const noun = joinWords(tokens)
  const brought_in = scope.variables.get(noun) ?? scope.variables.get(tokens.at(-1)?.text ?? '')
  if (brought_in) return { term: brought_in, restrict: certainly }
  if (word.trivial_nouns.has(noun) && scope.variables.size > 0)
    return { term: referent(scope, noun), restrict: certainly }
  return typedEntity(tokens, scope)
}

/** "the tower on the hill" is one thing, named so, and is a tower. */
function describedEntity(tokens: readonly Token[], at: number, scope: Scope): Noun {
  const kind = tokens.slice(0, at)
  if (word.looksPlural(kind.at(-1)!.text))
    throw new Unparsed('which of several is not told; name one, or say all')
  for (const { text } of tokens.slice(at + 1))
    if (text !== 'the' && !word.prepositions.has(text)) requireContent(text)
  const term = joinWords(tokens)
  scope.typed.set(term, classNames(kind, scope, false))
  mention(scope, term)
  return { term, restrict: certainly }
}

/** "the cow" is named cow, and is a cow. */
function typedEntity(tokens: readonly Token[], scope: Scope): Noun {
  const noun = entity(tokens, scope, true)
  if (!isVariable(noun.term)) scope.typed.set(noun.term, classNames(tokens, scope, true))
  return noun
}

function isLetterVariable({ text, capital }: Token, scope: Scope): boolean {
  return scope.conditional && capital && letter_form.test(text)
}

function namedVariable(text: string, scope: Scope): Noun {
  const term = scope.variables.get(text) ?? variable(text.toUpperCase())
  scope.variables.set(text, term)
  return { term, restrict: certainly }
}

export function isClassNoun(tokens: readonly Token[], { lexicon }: Scope): boolean {
  const last = tokens.at(-1)!
  if (tokens.some(({ text }) => lexicon.names.has(text))) return false
  return word.looksPlural(last.text)
}

function skipThe(tokens: readonly Token[]): readonly Token[] {
  return tokens[0]?.text === 'the' || tokens[0]?.text === 'of' ? skipThe(tokens.slice(1)) : tokens
}

export function isArticle({ text }: Token): boolean {
  return text === 'a' || text === 'an' || text === 'the'
}
