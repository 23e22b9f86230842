// The input, intermediate results and answer of a reasoning.

import type { Clause, Literal } from './clause.ts'
import type { Solved } from './kernel.ts'
import type { ProofStep } from './proof.ts'
import type { Question } from './question.ts'

export interface Reasoned {
  readonly status: 'complete' | 'budget_exhausted' | 'deadline'
  readonly answer: Answer
  /** False if it is unknown, or holds because nothing speaks against it. */
  readonly proved: boolean
  /** Only if the question asks for individuals. */
  readonly bindings?: readonly Readonly<Record<string, string>>[]
  /** One for a proved answer, two for a contradiction. */
  readonly proofs: readonly (readonly ProofStep[])[]
  readonly confidence: number
  /** Equal to confidence if that is exact. */
  readonly confidence_upper: number
  readonly alternatives: readonly Alternative[]
  readonly work: number
}

export type Answer = 'true' | 'false' | 'unknown' | 'contradictory'

export interface Task {
  readonly clauses: readonly Clause[]
  readonly question: Question
  readonly assumption: 'open' | 'closed'
  /** Something was not understood, so what is not derivable may still be so. */
  readonly incomplete?: boolean
  /** By source of a clause; 1 if it states none. */
  chanceOf(source: number): number
  readonly wants: { readonly proofs: boolean; readonly confidence: boolean; readonly alternatives: boolean }
}

export interface Alternative {
  readonly answer?: Answer
  readonly binding?: Readonly<Record<string, string>>
  readonly missing_facts?: readonly Literal[]
  readonly confidence: number
}

export const alternatives_max = 20
export const bindings_max = 1000

export interface Judged {
  readonly answer: Answer
  readonly bindings?: Reasoned['bindings']
  /** What was proved, with its values. */
  readonly proved: readonly Literal[]
}

export interface Case {
  readonly solved: Solved
  readonly clauses: readonly Clause[]
  readonly goals: readonly Clause[]
  readonly individuals: ReadonlySet<string>
  readonly judged: Judged
}
