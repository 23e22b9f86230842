// Noun phrases: names, "the cow", "someone", "every big cat", "people who are kind", "the age of X", "Bob's father".
import { constantOf, isVariable, type Literal, literal, type Term, variable } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { type Alternatives, bothOf, certainly, freshVariable, type Noun, type Scope, unary } from './scope.ts'
import { joinWords, type Token } from './tokens.ts'
import * as word from './words.ts'

const name_words_max = 4
const letter_form = /^[a-hj-z]\d?$/

/** `plural`: its verb, or its place, lets a bare noun stand for every one of its kind. */
export function readNoun(tokens: readonly Token[], scope: Scope, plural: boolean): Noun {
  const [first, ...rest] = tokens
  if (!first) throw new Unparsed('a noun is missing')
  if (scope.asked && first.text === 'who' && rest.length === 0)
    return { term: scope.asked, restrict: certainly }
  if (word.pronouns.has(first.text) && rest.length === 0)
    return { term: referent(scope, first.text), restrict: certainly }
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

/** Every one of its kind: "all big cats", "kind people". */
function readClassNoun(tokens: readonly Token[], scope: Scope, plural: boolean): Noun {
  const of = tokens.findIndex(({ text }) => text === 'of')
  if (of > 0) return readMembers(tokens, of, scope, plural)
  const term = freshVariable(scope)
  const names = classNames(tokens, scope, plural)
  scope.variables.set(names.at(-1) ?? 'someone', term)
  scope.antecedent = term
  return { term, restrict: [names.map((name) => unary(name, term))] }
}

/** "all citizens of Rome": whoever stands in that relation to it. */
function readMembers(tokens: readonly Token[], of: number, scope: Scope, plural: boolean): Noun {
  const [role] = classNames(tokens.slice(0, of), scope, plural)
  const whole = readNoun(tokens.slice(of + 1), scope, false)
  if (role === undefined || whole.attribute) throw new Unparsed('a relation has no name')
  const term = freshVariable(scope)
  scope.variables.set(role, term)
  return { term, restrict: bothOf(whole.restrict, [[literal(`${role} of`, [term, whole.term])]]) }
}

/** What something of this description is: "big cat" is both where big is known to be said alone, else one class. */
export function classNames(tokens: readonly Token[], { lexicon }: Scope, plural: boolean): string[] {
  const texts = tokens.map(({ text }) => text)
  const last = texts.pop()
  if (last === undefined) throw new Unparsed('a noun is missing')
  if (texts.length >= name_words_max)
    throw new Unparsed('a description has more words than can be told apart')
  for (const text of [...texts, last]) requireContent(text)
  const noun = plural ? word.singular(last, lexicon.used) : last
  if (word.trivial_nouns.has(word.singular(last, lexicon.used)) && !lexicon.classes.has(noun)) return texts
  if (texts.every((text) => lexicon.adjectives.has(text))) return [...texts, noun]
  return [[...texts, noun].join(' ')]
}

function requireContent(text: string): void {
  const structural =
    word.copulas.has(text) ||
    word.separators.has(text) ||
    word.plain_auxiliaries.has(text) ||
    word.modals.has(text) ||
    word.universal_determiners.has(text) ||
    word.relative_pronouns.has(text) ||
    word.pronouns.has(text) ||
    word.anyone.has(text) ||
    text === 'not' ||
    text === 'if' ||
    text === 'then' ||
    text === "'s" ||
    text === 'there'
  if (structural) throw new Unparsed(`"${text}" stands where a name or a description should`)
}

/** A name as it is spoken of everywhere. */
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
  scope.antecedent = term
  return { term, restrict: certainly }
}

/** Of "it" that nothing was said of before, as in "it rains", nothing more is known than that word. */
function referent(scope: Scope, text: string): Term {
  const spoken = [...scope.variables.values()][0] ?? scope.antecedent ?? (text === 'it' ? text : undefined)
  if (spoken === undefined) throw new Unparsed('a pronoun has nobody to stand for')
  return spoken
}

function readAnyone({ text }: Token, rest: readonly Token[], scope: Scope): Noun {
  const other = rest[0]?.text === 'else'
  const adjectives = rest.slice(other ? 1 : 0)
  const key = other ? `${text} else` : text
  const known = scope.variables.get(key)
  const term = known ?? freshVariable(scope)
  if (!known) scope.variables.set(key, term)
  scope.antecedent = term
  if (adjectives.length === 0) return { term, restrict: certainly }
  for (const adjective of adjectives) requireContent(adjective.text)
  return { term, restrict: [adjectives.map((adjective) => unary(adjective.text, term))] }
}

/** "Bob's father": who stands in that relation to Bob. */
function readOwned(tokens: readonly Token[], owned: number, scope: Scope): Noun {
  const owner = readNoun(tokens.slice(0, owned), scope, false)
  const role = tokens.slice(owned + 1)
  if (role.length === 0 || role.length > name_words_max) throw new Unparsed('a role has one to four words')
  return { ...owner, attribute: `${joinWords(role)} of` }
}

/** "a cat": any cat in a rule; elsewhere one that is known by its kind. */
function readIndefinite(tokens: readonly Token[], scope: Scope, generic: boolean): Noun {
  const names = classNames(tokens, scope, false)
  const key = names.at(-1) ?? 'someone'
  const known = scope.conditional ? scope.variables.get(key) : undefined
  if (known) return { term: known, restrict: certainly }
  if (generic || scope.conditional || scope.asked) return readClassNoun(tokens, scope, false)
  return typedEntity(tokens, scope)
}

function readDefinite(tokens: readonly Token[], scope: Scope): Noun {
  const of = tokens.findIndex(({ text }) => text === 'of')
  if (of > 0) {
    const owner = readNoun(tokens.slice(of + 1), scope, false)
    return { ...owner, attribute: `${joinWords(tokens.slice(0, of))} of` }
  }
  const noun = joinWords(tokens)
  const brought_in = scope.variables.get(noun) ?? scope.variables.get(tokens.at(-1)?.text ?? '')
  if (brought_in) return { term: brought_in, restrict: certainly }
  if (word.trivial_nouns.has(noun) && scope.variables.size > 0)
    return { term: referent(scope, noun), restrict: certainly }
  return typedEntity(tokens, scope)
}

/** "the cow" is called cow, and is one. */
function typedEntity(tokens: readonly Token[], scope: Scope): Noun {
  const noun = entity(tokens, scope, true)
  if (!isVariable(noun.term)) scope.typed.set(noun.term, noun.term)
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

function isClassNoun(tokens: readonly Token[], { lexicon }: Scope): boolean {
  const last = tokens.at(-1)!
  if (tokens.some(({ text }) => lexicon.names.has(text))) return false
  return word.looksPlural(last.text)
}

function skipThe(tokens: readonly Token[]): readonly Token[] {
  return tokens[0]?.text === 'the' || tokens[0]?.text === 'of' ? skipThe(tokens.slice(1)) : tokens
}

/** The subject of a sentence: one noun, several joined by "and", or adjectives joined before one. */
export function readSubjects(tokens: readonly Token[], scope: Scope, plural: boolean): Noun[] {
  const parts = splitParts(tokens)
  const one_of_kind = tokens[0]?.text === 'a' || tokens[0]?.text === 'an'
  if (parts.length <= 1) return [readNoun(parts[0] ?? [], scope, plural || one_of_kind)]
  const [first] = parts[0]!
  const determined = first !== undefined && word.universal_determiners.has(first.text)
  const last = parts.at(-1)!
  const describing = parts.slice(0, -1).every((part, place) => {
    const bare = place === 0 && determined ? part.slice(1) : part
    return bare.length === 1 && isDescribing(bare[0]!, scope)
  })
  if (describing && (determined || (plural && isClassNoun(last, scope)))) {
    const adjectives = parts.slice(0, -1).map((part) => part.at(-1)!.text)
    const noun = readClassNoun(last, scope, plural)
    const said: Alternatives = [adjectives.map((adjective): Literal => unary(adjective, noun.term))]
    return [{ ...noun, restrict: bothOf(said, noun.restrict) }]
  }
  const nouns = parts.map((part, place) => {
    const whole = determined && place > 0 ? [first, ...part] : part
    return readNoun(whole, scope, plural)
  })
  // What was said of the first holds of no other: each has a variable of its own.
  return nouns
}

function isDescribing({ text, capital }: Token, { lexicon }: Scope): boolean {
  if (lexicon.names.has(text)) return false
  return lexicon.adjectives.has(text) || !(word.looksPlural(text) || (capital && lexicon.names.has(text)))
}

function splitParts(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (!word.separators.has(token.text)) parts.at(-1)!.push(token)
    else if (parts.at(-1)!.length > 0) parts.push([])
  }
  return parts.filter((part) => part.length > 0)
}
