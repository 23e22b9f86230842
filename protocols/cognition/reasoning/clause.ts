// The reasoner's input: literals with explicit negation, and clauses with their source.

/** A variable of a clause; a plain string is a constant. */
export interface Variable {
  readonly variable: string
}

export type Term = string | Variable

/** `negated` is explicit negation: "is not kind" is stated, not the absence of "is kind". */
export interface Literal {
  readonly predicate: string
  readonly negated: boolean
  readonly args: readonly Term[]
}

/** With `naf` it holds if the literal is not derivable. */
export interface Condition extends Literal {
  readonly naf?: boolean
}

export interface Clause {
  readonly head: Literal
  /** Empty for a fact. */
  readonly body: readonly Condition[]
  /** Index of the source (a premise, then snapshot facts); -1 if it holds by definition. */
  readonly source: number
}

/** Holds for every named individual: the range of "someone". */
export const domain_predicate = '#individual'
export const comparisons: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', '=', '!='])

export const body_literals_max = 64
export const args_max = 16

export function variable(name: string): Variable {
  return { variable: name }
}

export function isVariable(term: Term): term is Variable {
  return typeof term !== 'string'
}

export function literal(predicate: string, args: readonly Term[], negated = false): Literal {
  return { predicate, negated, args }
}

export function negate(atom: Literal): Literal {
  return { predicate: atom.predicate, negated: !atom.negated, args: atom.args }
}

export function isGround(atom: Literal): boolean {
  return !atom.args.some(isVariable)
}

export function isComparison(atom: Literal): boolean {
  return comparisons.has(atom.predicate)
}

export function substitute(condition: Condition, bound: ReadonlyMap<string, Term>): Condition {
  return {
    ...condition,
    args: condition.args.map((arg) => (isVariable(arg) ? (bound.get(arg.variable) ?? arg) : arg)),
  }
}

const plain_word = /^[a-z][A-Za-z0-9_]*$/
const number_word = /^-?\d{1,15}(\.\d{1,15})?$/

/** In `datalog:` syntax, so that output can be used as input. */
export function renderLiteral(condition: Condition): string {
  const args = condition.args.map(renderTerm)
  const sign = condition.naf ? 'not ' : ''
  if (isComparison(condition)) return `${sign}${args[0]} ${condition.predicate} ${args[1]}`
  const name = renderConstant(condition.predicate)
  return `${sign}${condition.negated ? '-' : ''}${name}${args.length > 0 ? `(${args.join(', ')})` : ''}`
}

function renderTerm(term: Term): string {
  return isVariable(term) ? term.variable : renderConstant(term)
}

function renderConstant(text: string): string {
  if ((plain_word.test(text) && text !== 'not') || number_word.test(text)) return text
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Canonical number spelling: 5 and 5.0 are the same constant. */
export function constantOf(text: string): string {
  return number_word.test(text) ? String(Number(text)) : text
}

/** Compares numbers by value, others by equality only; undefined for an order between words. */
export function compareConstants(operator: string, left: string, right: string): boolean | undefined {
  const a = number_word.test(left) ? Number(left) : Number.NaN
  const b = number_word.test(right) ? Number(right) : Number.NaN
  const numeric = !Number.isNaN(a) && !Number.isNaN(b)
  if (operator === '=') return numeric ? a === b : left === right
  if (operator === '!=') return numeric ? a !== b : left !== right
  if (!numeric) return undefined
  if (operator === '<') return a < b
  if (operator === '<=') return a <= b
  return operator === '>' ? a > b : a >= b
}
