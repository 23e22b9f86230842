// Controlled English to clauses: sentences with their conditions, exceptions and quantifiers.
import type { Clause } from './clause.ts'
import { isComparison } from './clause.ts'
import {
  concludedClauses,
  concluding,
  readConclusion,
  readStatements,
  requireOne,
  trimCommas,
} from './conclusion.ts'
import { readCondition } from './condition.ts'
import { dropViceVersa, openParticiples, requireOneGender, splitLink, startsWith } from './connectives.ts'
import { Unparsed } from './datalog.ts'
import { applyExceptions, spokenOf } from './exception.ts'
import { readExistence } from './existence.ts'
import { conditionsOf, readFormula } from './formula.ts'
import { type Alternatives, bothOf, certainly, clausesOf, openScope, type Scope } from './scope.ts'
import type { Token } from './tokens.ts'
import {
  copulas,
  modals,
  plain_auxiliaries,
  prepositions,
  separators,
  universal_determiners,
} from './words.ts'

const openings = [
  'it is true that',
  'it is the case that',
  'it is known that',
  'we know that',
  'suppose that',
  'assume that',
  'suppose',
  'assume',
].map((phrase) => phrase.split(' '))
const beginners = new Set(['they', 'it', 'he', 'she', 'you'])
const conditional_words = new Set(['if', 'when', 'once', 'provided'])
const exception_words = new Set(['unless', 'except'])
/** "Dodos are extinct" says nothing of a single dodo. */
const of_kinds = new Set([
  'extinct',
  'common',
  'rare',
  'widespread',
  'numerous',
  'abundant',
  'plentiful',
  'scarce',
  'endangered',
])
const going_on = /^\p{L}{2,}ing\b/u
const comma_splits_max = 8

/** The clauses of one sentence. */
export function readSentence(sentence: readonly Token[], scope: Scope, source: number): Clause[] {
  const tokens = dropOpening(isForIs(sentence, scope))
  requireOneGender(tokens)
  const exception = tokens.findIndex(({ text }) => exception_words.has(text))
  if (exception >= 0) return readException(tokens, exception, scope, source)
  const clauses = readRule(tokens, scope, certainly, source)
  const of_kind = clauses.find(({ head, body }) => of_kinds.has(head.predicate) && body.length > 0)
  if (of_kind && !tokens.some(({ text }) => universal_determiners.has(text) || conditional_words.has(text)))
    throw new Unparsed(`"${of_kind.head.predicate}" is said of a kind, and of none of its members`)
  return clauses
}

/** "Gary's big": 's is "is" if nothing else can be the verb. */
function isForIs(tokens: readonly Token[], { lexicon }: Scope): readonly Token[] {
  const at = tokens.findIndex(({ text }) => text === "'s")
  if (at < 0 || tokens.some(({ text }) => isVerbWord(text) || lexicon.isVerb(text))) return tokens
  return tokens.with(at, { text: 'is', capital: false })
}

function isVerbWord(text: string): boolean {
  return copulas.has(text) || plain_auxiliaries.has(text) || modals.has(text)
}

function dropOpening(tokens: readonly Token[]): readonly Token[] {
  if (startsWith(tokens, ['given', 'that'])) {
    const rule = tokens.some(({ text }) => text === ',' || text === 'then')
    return rule ? [{ text: 'if', capital: false }, ...tokens.slice(2)] : tokens.slice(2)
  }
  const [first, second] = tokens
  // Reads "For every person who is wise, …" as a condition.
  if (first?.text === 'for' && second && universal_determiners.has(second.text))
    return [...['if', 'there', 'is', 'a'].map((text) => ({ text, capital: false })), ...tokens.slice(2)]
  for (const opening of openings) {
    if (startsWith(tokens, opening)) return tokens.slice(opening.length)
  }
  return tokens
}

function readRule(tokens: readonly Token[], scope: Scope, extra: Alternatives, source: number): Clause[] {
  const turned = dropViceVersa(tokens)
  if (turned) {
    const [condition, conclusion] = splitIf(
      conditional_words.has(turned[0]?.text ?? '') ? turned.slice(1) : [],
      scope,
    )
    return readBoth(condition, conclusion, scope, extra, source)
  }
  const link = splitLink(tokens)
  if (link?.kind === 'leads') return readConditional(link.left, link.right, scope, extra, source)
  if (link?.kind === 'needed') return readConcludingFirst(link.left, link.right, scope, extra, source)
  if (link) return readBoth(link.left, link.right, scope, extra, source)
  return readIfs(openParticiples(tokens), scope, extra, source)
}

function readIfs(tokens: readonly Token[], scope: Scope, extra: Alternatives, source: number): Clause[] {
  const both = findPhrase(tokens, ['if', 'and', 'only', 'if']) ?? findPhrase(tokens, ['iff'])
  if (both?.at === 0) {
    const [condition, conclusion] = splitIf(tokens.slice(both.end), scope)
    return readBoth(condition, conclusion, scope, extra, source)
  }
  if (both) return readBoth(tokens.slice(0, both.at), tokens.slice(both.end), scope, extra, source)
  const only = findPhrase(tokens, ['only', 'if'])
  if (only?.at === 0) {
    const [needed, consequence] = splitIf(tokens.slice(only.end), scope)
    return readConcludingFirst(needed, consequence, scope, extra, source)
  }
  if (only)
    return readConditional(tokens.slice(0, only.at), tokens.slice(only.end), scope, extra, source, 'plain')
  const at = tokens.findIndex(({ text }) => conditional_words.has(text))
  if (at === 0) {
    const [condition, conclusion] = splitIf(tokens.slice(1), scope)
    return readConditional(condition, conclusion, scope, extra, source)
  }
  if (at > 0) {
    const rest = tokens.slice(at + 1)
    const condition = rest[0]?.text === 'that' ? rest.slice(1) : rest
    return readConcludingFirst(tokens.slice(0, at), condition, scope, extra, source)
  }
  return readPlain(tokens, scope, extra, source)
}

function findPhrase(tokens: readonly Token[], phrase: readonly string[]) {
  for (const at of tokens.keys()) {
    if (startsWith(tokens, phrase, at)) return { at, end: at + phrase.length }
  }
  return undefined
}

type Halves = readonly [condition: readonly Token[], conclusion: readonly Token[]]

/** "If C then D", or with only a comma: then the last one at which both halves parse. */
function splitIf(tokens: readonly Token[], outer: Scope): Halves {
  const then = tokens.findIndex(({ text }) => text === 'then')
  if (then > 0) return [tokens.slice(0, then), tokens.slice(then + 1)]
  const places = [...tokens.keys()].filter((at) => at > 0 && splitsAt(tokens, at))
  let reason = new Unparsed('an "if" has no "then"')
  for (const at of places.slice(-comma_splits_max).reverse()) {
    const halves: Halves = [tokens.slice(0, at), tokens.slice(at)]
    try {
      const scope = openTrial(outer)
      readCondition(trimCommas(halves[0]), scope)
      concluding(trimCommas(halves[1]), scope, certainly, 0)
      return halves
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error
      reason = error
    }
  }
  throw reason
}

/** What it reads leaves no trace. */
function openTrial(outer: Scope, parts: Partial<Scope> = {}): Scope {
  const untraced = { counter: { ...outer.counter }, typed: new Map(), hedges: [], disjunctions: [] }
  return openRule(outer, { ...untraced, ...parts })
}

function openRule(outer: Scope, parts: Partial<Scope> = {}): Scope {
  return openScope(outer.lexicon, {
    ...outer,
    variables: new Map(outer.variables),
    mentioned: [...outer.mentioned],
    conditional: true,
    stance: 'condition',
    ...parts,
  })
}

/** A comma, or a pronoun that starts a new clause: "when someone is kind they are nice". */
function splitsAt(tokens: readonly Token[], at: number): boolean {
  const { text } = tokens[at]!
  // "kind, and nice": this comma only ends a list.
  if (text === ',') return !separators.has(tokens[at + 1]?.text ?? ',')
  return beginners.has(text) && !separators.has(tokens[at - 1]!.text)
}

function readConditional(
  condition: readonly Token[],
  conclusion: readonly Token[],
  outer: Scope,
  extra: Alternatives,
  source: number,
  stance: Scope['stance'] = 'condition',
): Clause[] {
  const scope = openRule(outer, { stance })
  const conditions = bothOf(readCondition(trimCommas(condition), scope), extra)
  scope.stance = 'conclusion'
  return concluding(trimCommas(conclusion), scope, conditions, source)
}

/** "D if C": "they" in C refers to the subject of D. */
function readConcludingFirst(
  conclusion: readonly Token[],
  condition: readonly Token[],
  outer: Scope,
  extra: Alternatives,
  source: number,
): Clause[] {
  const scope = openRule(outer, { stance: 'conclusion' })
  const concluded = readConclusion(trimCommas(conclusion), scope)
  scope.stance = 'condition'
  const conditions = bothOf(readCondition(trimCommas(condition), scope), extra)
  return concludedClauses(concluded, scope, conditions, source)
}

/** Two rules about the same subject: "they" in the second half refers to the first. */
function readBoth(
  left: readonly Token[],
  right: readonly Token[],
  outer: Scope,
  extra: Alternatives,
  source: number,
): Clause[] {
  const scope = openRule(outer, { stance: 'conclusion' })
  const halves = [left, right].map((half) => readFormula(trimCommas(half), scope))
  return [halves, halves.toReversed()].flatMap(([condition, conclusion]) => {
    const conditions = bothOf(conditionsOf(condition!), extra)
    return requireOne(conclusion!).flatMap((statement) => clausesOf(statement, conditions, source))
  })
}

function readPlain(tokens: readonly Token[], scope: Scope, extra: Alternatives, source: number): Clause[] {
  const [first, second] = tokens
  const existence = extra === certainly ? readExistence(tokens, scope, source) : undefined
  if (existence) return existence
  if ((first?.text === 'a' || first?.text === 'an') && extra === certainly && isEvent(tokens, scope))
    return readExistence([{ text: 'some', capital: false }, ...tokens.slice(1)], scope, source)!
  if (first?.text === 'not' || first?.text === 'most' || first?.text === 'few' || first?.text === 'many')
    throw new Unparsed(`"${first.text}" at the beginning does not say of whom`)
  if (first?.text === 'only' && second && !(second.capital && isVerbWord(tokens[2]?.text ?? '')))
    return readOnly(tokens.slice(1), scope, source)
  return concluding(tokens, scope, extra, source)
}

/** "A dog bit Bob", "a dog is barking", "a man is in the garden": of one that is not named, and not of the kind. */
function isEvent(tokens: readonly Token[], outer: Scope): boolean {
  if (outer.conditional) return false
  const heads = concluding(
    tokens,
    openTrial(outer, { conditional: false, stance: 'plain' }),
    certainly,
    0,
  ).map(({ head }) => head)
  return heads.some(
    ({ predicate }) =>
      predicate.startsWith('past ') || prepositions.has(predicate) || going_on.test(predicate),
  )
}

/** Reads "Only cats are happy" as: whoever is happy is a cat. */
function readOnly(tokens: readonly Token[], scope: Scope, source: number): Clause[] {
  const statements = readStatements([{ text: 'all', capital: false }, ...tokens], scope)
  const clauses = statements.flatMap((statement) => clausesOf(statement, certainly, source))
  return clauses.map(({ head, body }) => {
    if (body.length !== 1 || body[0]!.naf || isComparison(body[0]!))
      throw new Unparsed('"only" is read before one kind; write an "if"')
    const { predicate, negated, args } = body[0]!
    return { head: { predicate, negated, args }, body: [head], source }
  })
}

/** "D unless C", or "unless C, D": "they" in the second part refers to the subject of the first. */
function readException(tokens: readonly Token[], at: number, outer: Scope, source: number): Clause[] {
  let end = at + 1
  while (['when', 'if', 'that', 'for'].includes(tokens[end]?.text ?? '')) end += 1
  const except = tokens.slice(end)
  if (at > 0) {
    const rules = readRule(trimCommas(tokens.slice(0, at)), outer, certainly, source)
    const scope = openRule(outer, { variables: spokenOf(rules) })
    return applyExceptions(rules, readCondition(trimCommas(except), scope), scope, source)
  }
  const comma = except.findIndex(({ text }) => text === ',')
  if (comma < 0) throw new Unparsed('after an "unless" at the beginning, a comma ends the exception')
  const scope = openRule(outer)
  const exceptions = readCondition(except.slice(0, comma), scope)
  const main = openScope(outer.lexicon, { ...scope, conditional: false, stance: 'plain' })
  const rules = readRule(trimCommas(except.slice(comma + 1)), main, certainly, source)
  return applyExceptions(rules, exceptions, scope, source)
}
