// Controlled English to clauses: sentences with their conditions, exceptions and quantifiers.
import type { Clause, Condition, Literal } from './clause.ts'
import { isComparison, isVariable, negate, variable } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { conditionsOf, type Formula, readFormula } from './formula.ts'
import {
  type Alternatives,
  bothOf,
  certainly,
  clausesOf,
  openScope,
  type Scope,
  type Statement,
} from './scope.ts'
import type { Token } from './tokens.ts'
import { nobody, separators } from './words.ts'

const openings = [
  'it is true that',
  'it is the case that',
  'it is known that',
  'we know that',
  'suppose that',
  'assume that',
  'given that',
  'suppose',
  'assume',
].map((phrase) => phrase.split(' '))
const denials = ['neither', 'it is false that', 'it is not true that', 'it is not the case that'].map(
  (phrase) => phrase.split(' '),
)
const beginners = new Set(['they', 'it', 'he', 'she', 'you'])
const conditional_words = new Set(['if', 'when', 'once', 'provided'])
const exception_words = new Set(['unless', 'except'])
const comma_splits_max = 8

/** Clauses of one sentence. */
export function readSentence(sentence: readonly Token[], scope: Scope, source: number): Clause[] {
  const tokens = dropOpening(sentence)
  const exception = tokens.findIndex(({ text }) => exception_words.has(text))
  if (exception >= 0) return readException(tokens, exception, scope, source)
  return readRule(tokens, scope, certainly, source)
}

function dropOpening(tokens: readonly Token[]): readonly Token[] {
  for (const opening of openings) {
    if (startsWith(tokens, opening)) return tokens.slice(opening.length)
  }
  return tokens
}

function startsWith(tokens: readonly Token[], phrase: readonly string[]): boolean {
  return phrase.every((text, place) => tokens[place]?.text === text)
}

function readRule(tokens: readonly Token[], scope: Scope, extra: Alternatives, source: number): Clause[] {
  const both = findPhrase(tokens, ['if', 'and', 'only', 'if']) ?? findPhrase(tokens, ['iff'])
  if (both) {
    return readBoth(tokens.slice(0, both.at), tokens.slice(both.end), scope, extra, source)
  }
  const only = findPhrase(tokens, ['only', 'if'])
  if (only) return readConditional(tokens.slice(0, only.at), tokens.slice(only.end), scope, extra, source)
  const at = tokens.findIndex(({ text }) => conditional_words.has(text))
  if (at === 0) return readIf(tokens.slice(1), scope, extra, source)
  if (at > 0) {
    const rest = tokens.slice(at + 1)
    const condition = rest[0]?.text === 'that' ? rest.slice(1) : rest
    return readConditional(condition, tokens.slice(0, at), scope, extra, source)
  }
  return readPlain(tokens, scope, extra, source)
}

function findPhrase(tokens: readonly Token[], phrase: readonly string[]) {
  for (const at of tokens.keys()) {
    if (at > 0 && phrase.every((text, place) => tokens[at + place]?.text === text))
      return { at, end: at + phrase.length }
  }
  return undefined
}

/** "If C then D", or with only a comma between them: then the first that lets both be read. */
function readIf(tokens: readonly Token[], scope: Scope, extra: Alternatives, source: number): Clause[] {
  const then = tokens.findIndex(({ text }) => text === 'then')
  if (then > 0) return readConditional(tokens.slice(0, then), tokens.slice(then + 1), scope, extra, source)
  const commas = [...tokens.keys()].filter((at) => at > 0 && splitsAt(tokens, at))
  let reason = new Unparsed('an "if" has no "then"')
  for (const at of commas.slice(-comma_splits_max).reverse()) {
    try {
      return readConditional(tokens.slice(0, at), tokens.slice(at), scope, extra, source)
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error
      reason = error
    }
  }
  throw reason
}

/** A comma, or a pronoun that begins a clause of its own: "when someone is kind they are nice". */
function splitsAt(tokens: readonly Token[], at: number): boolean {
  const { text } = tokens[at]!
  return text === ',' || (beginners.has(text) && !separators.has(tokens[at - 1]!.text))
}

function readConditional(
  condition: readonly Token[],
  conclusion: readonly Token[],
  outer: Scope,
  extra: Alternatives,
  source: number,
): Clause[] {
  const scope = openScope(outer.lexicon, { ...outer, variables: new Map(outer.variables), conditional: true })
  const conditions = bothOf(conditionsOf(readFormula(trimCommas(condition), scope)), extra)
  return concluding(trimCommas(conclusion), scope, conditions, source)
}

/** Two rules that speak of the same: whom the second half calls "they", the first half named. */
function readBoth(
  left: readonly Token[],
  right: readonly Token[],
  outer: Scope,
  extra: Alternatives,
  source: number,
): Clause[] {
  const scope = openScope(outer.lexicon, { ...outer, variables: new Map(outer.variables), conditional: true })
  const halves = [left, right].map((half) => readFormula(trimCommas(half), scope))
  return [halves, halves.toReversed()].flatMap(([condition, conclusion]) => {
    const conditions = bothOf(conditionsOf(condition!), extra)
    return requireOne(conclusion!).flatMap((statement) => clausesOf(statement, conditions, source))
  })
}

function concluding(
  tokens: readonly Token[],
  scope: Scope,
  conditions: Alternatives,
  source: number,
): Clause[] {
  return readStatements(tokens, scope).flatMap((statement) => clausesOf(statement, conditions, source))
}

function readPlain(tokens: readonly Token[], scope: Scope, extra: Alternatives, source: number): Clause[] {
  const [first, second] = tokens
  if (first?.text === 'there') throw new Unparsed('that something exists is not told; say what it is called')
  if (first?.text === 'some') throw new Unparsed('"some" does not say which; name one, or say all')
  if (first?.text === 'not' || first?.text === 'most' || first?.text === 'few' || first?.text === 'many')
    throw new Unparsed(`"${first.text}" at the beginning does not say of whom`)
  if (first?.text === 'only' && second) return readOnly(tokens.slice(1), scope, source)
  return concluding(tokens, scope, extra, source)
}

/** "Only cats are happy": what is happy is a cat. */
function readOnly(tokens: readonly Token[], scope: Scope, source: number): Clause[] {
  const clauses = concluding([{ text: 'all', capital: false }, ...tokens], scope, certainly, source)
  return clauses.map(({ head, body }) => {
    if (body.length !== 1 || body[0]!.naf || isComparison(body[0]!))
      throw new Unparsed('"only" is read before one kind; write an "if"')
    const { predicate, negated, args } = body[0]!
    return { head: { predicate, negated, args }, body: [head], source }
  })
}

/** What a sentence says, each with what it is said under; "no" and "nobody" turn it round. */
function readStatements(tokens: readonly Token[], scope: Scope): readonly Statement[] {
  const denied = readDenial(tokens)
  const statements = requireOne(readFormula(denied ?? tokens, scope))
  if (!denied) return statements
  if (statements.length !== 1 && tokens[0]!.text !== 'neither')
    throw new Unparsed('"no" and "false" are read before one thing that is said; write several sentences')
  return statements.map((statement) => ({ ...statement, literal: negate(statement.literal) }))
}

function requireOne(formula: Formula): readonly Statement[] {
  if (formula.length !== 1) throw new Unparsed('it concludes one thing or another; a conclusion is one')
  const [statements] = formula
  if (!statements!.some(({ literal }) => isComparison(literal))) return statements!
  throw new Unparsed('a comparison is a condition, not a fact')
}

/** What a sentence denies, as if it asserted it; undefined where it denies nothing as a whole. */
export function readDenial(tokens: readonly Token[]): readonly Token[] | undefined {
  const phrase = denials.find((words) => startsWith(tokens, words))
  return phrase ? tokens.slice(phrase.length) : quantifiesNone(tokens)
}

/** The sentence as if it began with "every", where it begins with "no". */
function quantifiesNone(tokens: readonly Token[]): Token[] | undefined {
  const [first, second, ...rest] = tokens
  if (first && nobody.has(first.text)) return [{ text: 'everyone', capital: false }, ...tokens.slice(1)]
  if (first?.text !== 'no') return undefined
  if (second?.text === 'one' || second?.text === 'body')
    return [{ text: 'everyone', capital: false }, ...rest]
  return [{ text: 'all', capital: false }, ...tokens.slice(1)]
}

/** "D unless C": D, as long as C is not derivable. */
function readException(tokens: readonly Token[], at: number, outer: Scope, source: number): Clause[] {
  let end = at + 1
  while (['when', 'if', 'that', 'for'].includes(tokens[end]?.text ?? '')) end += 1
  let [main, except] = [tokens.slice(0, at), tokens.slice(end)]
  if (at === 0) {
    const comma = except.findIndex(({ text }) => text === ',')
    if (comma < 0) throw new Unparsed('after an "unless" at the beginning, a comma ends the exception')
    ;[main, except] = [except.slice(comma + 1), except.slice(0, comma)]
  }
  const rules = readRule(trimCommas(main), outer, certainly, source)
  const spoken = spokenOf(rules)
  const scope = openScope(outer.lexicon, { ...outer, variables: spoken, conditional: true })
  const exceptions = conditionsOf(readFormula(trimCommas(except), scope))
  return applyExceptions(rules, exceptions, scope, source)
}

function spokenOf(rules: readonly Clause[]): Scope['variables'] {
  const arg = rules[0]?.head.args.find(isVariable)
  return new Map(arg ? [['someone', arg]] : [])
}

function applyExceptions(
  rules: readonly Clause[],
  exceptions: Alternatives,
  scope: Scope,
  source: number,
): Clause[] {
  const shared = new Set(rules.flatMap(({ head }) => head.args.filter(isVariable).map((arg) => arg.variable)))
  const definitions: Clause[] = []
  const failing = exceptions.map((conditions): Condition => {
    const [only] = conditions
    const open = conditions.flatMap(({ args }) => args.filter(isVariable).map((arg) => arg.variable))
    const simple = conditions.length === 1 && !isComparison(only!) && open.every((name) => shared.has(name))
    if (simple) return { ...only!, naf: true }
    scope.counter.next += 1
    const args = [...new Set(open.filter((name) => shared.has(name)))].map(variable)
    const head: Literal = { predicate: `#except:${source}:${scope.counter.next}`, negated: false, args }
    definitions.push({ head, body: conditions, source })
    return { ...head, naf: true }
  })
  return [...rules.map((rule) => ({ ...rule, body: [...rule.body, ...failing] })), ...definitions]
}

function trimCommas(tokens: readonly Token[]): readonly Token[] {
  let [from, to] = [0, tokens.length]
  while (from < to && tokens[from]!.text === ',') from += 1
  while (to > from && tokens[to - 1]!.text === ',') to -= 1
  return tokens.slice(from, to)
}
