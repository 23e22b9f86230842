// What a sentence may refer to while it is read: its variables, and whom "it" means.
import {
  type Clause,
  type Condition,
  type Literal,
  literal,
  type Term,
  type Variable,
  variable,
} from './clause.ts'
import { Unparsed } from './datalog.ts'
import type { Lexicon } from './lexicon.ts'

export interface Scope {
  readonly lexicon: Lexicon
  /** By the noun, or "someone", that brought it in. */
  readonly variables: Map<string, Variable>
  /** Whom a pronoun means where no variable is there. */
  antecedent: Term | undefined
  /** Inside of a rule: there "a cat" is any cat, and X is a variable. */
  readonly conditional: boolean
  /** Which part of a rule is being read; in a condition, "everyone" would have to be checked of everyone. */
  stance: 'plain' | 'condition' | 'conclusion'
  /** In a question, who is asked for. */
  readonly asked: Variable | undefined
  /** What entities named by a noun are: "the cow" is a cow. */
  readonly typed: Map<string, readonly string[]>
  /** Whoever was spoken of, in order: "it" may be one before the last. */
  readonly mentioned: Term[]
  readonly counter: { next: number }
}

export function openScope(lexicon: Lexicon, parts: Partial<Scope> = {}): Scope {
  return {
    lexicon,
    variables: new Map(),
    antecedent: undefined,
    conditional: false,
    stance: 'plain',
    asked: undefined,
    typed: new Map(),
    mentioned: [],
    counter: { next: 0 },
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

/** Any of several, each of which needs all of its conditions. */
export type Alternatives = readonly (readonly Condition[])[]

export const certainly: Alternatives = [[]]
const alternatives_max = 32

export function bothOf(a: Alternatives, b: Alternatives): Alternatives {
  if (a.length * b.length > alternatives_max)
    throw new Unparsed(`it has more than ${alternatives_max} alternatives; write several sentences`)
  return a.flatMap((left) => b.map((right) => [...left, ...right]))
}

/** Who or what is spoken of. `restrict` is what must hold of it for the sentence to speak of it at all. */
export interface Noun {
  readonly term: Term
  readonly restrict: Alternatives
  /** "the age of X": then `term` is X, and what follows is said of its age. */
  readonly attribute?: string
}

/** A literal with what must hold before it is said. */
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
