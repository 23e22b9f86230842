// The references of a sentence while it is parsed: its variables, and the antecedent of "it".
import {
  body_literals_max,
  type Clause,
  type Condition,
  type Literal,
  literal,
  type Term,
  type Variable,
  variable,
} from './clause.ts'
import { Unparsed } from './datalog.ts'
import type { Hedge } from './hedges.ts'
import type { Lexicon } from './lexicon.ts'

export interface Scope {
  readonly lexicon: Lexicon
  /** By the noun, or "someone", that introduced it. */
  readonly variables: Map<string, Variable>
  /** The referent of a pronoun if there is no variable. */
  antecedent: Term | undefined
  /** Within a rule: "a cat" is any cat, and X is a variable. */
  readonly conditional: boolean
  /** The part of a rule being parsed; in a condition, "everyone" would have to be checked for everyone. */
  stance: 'plain' | 'condition' | 'conclusion'
  /** The variable a question asks for. */
  readonly asked: Variable | undefined
  /** It is a question: what it says is tested, not stated. */
  readonly judged: boolean
  /** The classes of entities named by a noun: "the cow" is a cow. */
  readonly typed: Map<string, readonly string[]>
  /** Everything mentioned, in order: "it" may be one before the last. */
  readonly mentioned: Term[]
  readonly counter: { next: number }
  /** How certain the sentence is, as far as its grammar says; others were taken out before. */
  readonly hedges: Hedge[]
  /** What the sentence says in alternatives: "red or blue". */
  readonly disjunctions: Disjunction[]
}

export function openScope(lexicon: Lexicon, parts: Partial<Scope> = {}): Scope {
  return {
    lexicon,
    variables: new Map(),
    antecedent: undefined,
    conditional: false,
    stance: 'plain',
    asked: undefined,
    judged: false,
    typed: new Map(),
    mentioned: [],
    counter: { next: 0 },
    hedges: [],
    disjunctions: [],
    ...parts,
  }
}

export function freshVariable(scope: Scope): Variable {
  scope.counter.next += 1
  return variable(`V${scope.counter.next}`)
}

export function mention(scope: Scope, term: Term): void {
  scope.antecedent = term
  scope.mentioned.push(term)
}

/** A disjunction of conjunctions of conditions. */
export type Alternatives = readonly (readonly Condition[])[]

export const certainly: Alternatives = [[]]
const alternatives_max = 32
/** Every subject is combined with every complement, so a short sentence could state millions. */
const statements_max = 256

export function bothOf(a: Alternatives, b: Alternatives): Alternatives {
  return combine(a, b, body_literals_max, 'conditions')
}

/** A disjunction of conjunctions. */
export type Formula = readonly (readonly Statement[])[]

export function joinFormulas(a: Formula, b: Formula): Formula {
  return combine(a, b, statements_max, 'statements')
}

export function requireFewStatements(count: number): void {
  requireAtMost(count, statements_max, 'statements')
}

function combine<T>(
  a: readonly (readonly T[])[],
  b: readonly (readonly T[])[],
  length_max: number,
  what: string,
): T[][] {
  requireAtMost(a.length * b.length, alternatives_max, 'alternatives')
  return a.flatMap((left) =>
    b.map((right) => {
      requireAtMost(left.length + right.length, length_max, what)
      return [...left, ...right]
    }),
  )
}

function requireAtMost(count: number, count_max: number, what: string): void {
  if (count > count_max) throw new Unparsed(`it has more than ${count_max} ${what}; write several sentences`)
}

/** A subject or object. `restrict` is what must hold for the sentence to apply to it. */
export interface Noun {
  readonly term: Term
  readonly restrict: Alternatives
  /** "the age of X": `term` is X, and the predicate applies to its age. */
  readonly attribute?: string
}

/** What holds in one of several ways. */
export interface Disjunction {
  readonly body: readonly Condition[]
  /** One of these conjunctions holds wherever the body does. */
  readonly alternatives: readonly (readonly Literal[])[]
  readonly source: number
}

/** A literal with its conditions. */
export interface Statement {
  readonly literal: Literal
  readonly restrict: Alternatives
}

export function unary(name: string, term: Term, negated = false): Literal {
  return literal(name, [term], negated)
}

export function clausesOf(statement: Statement, conditions: Alternatives, source: number): Clause[] {
  return bothOf(conditions, statement.restrict).map((body) => ({ head: statement.literal, body, source }))
}
