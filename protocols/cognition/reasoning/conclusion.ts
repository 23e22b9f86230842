// What a sentence or the second half of a rule concludes: statements, denials, or alternatives.
import { type Clause, isComparison, isVariable, negate } from './clause.ts'
import { startsWith } from './connectives.ts'
import { Unparsed } from './datalog.ts'
import { disjunctionsOf, resolutionsOf } from './disjunction.ts'
import { readFormula } from './formula.ts'
import { not_both } from './phrases.ts'
import { type Alternatives, clausesOf, type Formula, type Scope, type Statement } from './scope.ts'
import type { Token } from './tokens.ts'
import { nobody, universal_determiners } from './words.ts'

const denials = ['neither', 'it is false that', 'it is not true that', 'it is not the case that'].map(
  (phrase) => phrase.split(' '),
)

export function concluding(
  tokens: readonly Token[],
  scope: Scope,
  conditions: Alternatives,
  source: number,
): Clause[] {
  return concludedClauses(readConclusion(tokens, scope), scope, conditions, source)
}

interface Conclusion {
  readonly formula: Formula
  /** "but not both" */
  readonly apart: boolean
}

export function readConclusion(tokens: readonly Token[], scope: Scope): Conclusion {
  const apart = tokens.at(-1)?.text === not_both
  if (!apart && !tokens.some(({ text }) => text === 'or'))
    return { formula: [readStatements(tokens, scope)], apart: false }
  if (readDenial(tokens)) return { formula: [readStatements(tokens, scope)], apart: false }
  return { formula: readFormula(apart ? trimCommas(tokens.slice(0, -1)) : tokens, scope), apart }
}

/** What is said in one way is a rule; in several ways, a disjunction. */
export function concludedClauses(
  { formula, apart }: Conclusion,
  scope: Scope,
  conditions: Alternatives,
  source: number,
): Clause[] {
  if (formula.length === 1 && !apart)
    return requireOne(formula).flatMap((statement) => clausesOf(statement, conditions, source))
  if (apart && formula.length !== 2) throw new Unparsed('"but not both" is read after two alternatives')
  const disjunctions = disjunctionsOf(formula, conditions, source)
  scope.disjunctions.push(...disjunctions)
  return disjunctions.flatMap((disjunction) => resolutionsOf(disjunction, apart))
}

/** The statements of a sentence, each with its conditions; "no" and "nobody" negate them. */
export function readStatements(tokens: readonly Token[], scope: Scope): readonly Statement[] {
  const denied = readDenial(tokens)
  const statements = requireOne(readFormula(denied ?? tokens, scope))
  if (!denied) return statements
  requireOneQuantity(denied)
  if (tokens[0]!.text === 'it' && statements.some((statement) => isOfKind(statement, scope)))
    throw new Unparsed('it denies that all are so, which leaves open which are; say it of one')
  if (statements.length !== 1 && tokens[0]!.text !== 'neither')
    throw new Unparsed('"no" and "false" are read before one thing that is said; write several sentences')
  return statements.map((statement) => ({ ...statement, literal: negate(statement.literal) }))
}

/** "It is false that birds fly" does not say of any bird that it does not. */
function isOfKind({ literal, restrict }: Statement, { conditional }: Scope): boolean {
  return (
    restrict.some((conditions) => conditions.length > 0) || (!conditional && literal.args.some(isVariable))
  )
}

export function requireOne(formula: Formula): readonly Statement[] {
  if (formula.length !== 1) throw new Unparsed('it concludes one thing or another; a conclusion is one')
  const [statements] = formula
  if (!statements!.some(({ literal }) => isComparison(literal))) return statements!
  throw new Unparsed('a comparison is a condition, not a fact')
}

/** The positive form of a negated sentence; undefined if it is not negated as a whole. */
export function readDenial(tokens: readonly Token[]): readonly Token[] | undefined {
  const phrase = denials.find((words) => startsWith(tokens, words))
  return phrase ? tokens.slice(phrase.length) : quantifiesNone(tokens)
}

/** "No dog likes every cat" leaves open which cats each dog likes. */
export function requireOneQuantity(denied: readonly Token[]): void {
  if (denied.slice(1).some(({ text }) => universal_determiners.has(text)))
    throw new Unparsed('it denies something of all of them, which may mean some or none; write two sentences')
}

/** A sentence starting with "no", rewritten to start with "every". */
function quantifiesNone(tokens: readonly Token[]): Token[] | undefined {
  const [first, second, ...rest] = tokens
  if (first && nobody.has(first.text)) return [{ text: 'everyone', capital: false }, ...tokens.slice(1)]
  if (first?.text !== 'no') return undefined
  if (second?.text === 'one' || second?.text === 'body')
    return [{ text: 'everyone', capital: false }, ...rest]
  return [{ text: 'all', capital: false }, ...tokens.slice(1)]
}

export function trimCommas(tokens: readonly Token[]): readonly Token[] {
  let [from, to] = [0, tokens.length]
  while (from < to && tokens[from]!.text === ',') from += 1
  while (to > from && tokens[to - 1]!.text === ',') to -= 1
  return tokens.slice(from, to)
}
