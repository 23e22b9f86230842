// How texts were read, in one normal form: clauses in Datalog.

import { type Clause, type Condition, renderLiteral } from './clause.ts'
import { hedge_prefix, type ReadPremises } from './premises.ts'
import type { Question } from './question.ts'

export interface Reading {
  /** Of the premise; -1 for the intent. */
  readonly index: number
  /** Clauses that can be given as `datalog:`, without hedges. */
  readonly clauses: readonly string[]
  readonly hedges: readonly { readonly word: string; readonly probability: number }[]
}

/** One for each premise of which something was understood. */
export function readingsOf({ clauses, hedges }: ReadPremises): Reading[] {
  const by_index = new Map<number, { clauses: string[]; hedges: { word: string; probability: number }[] }>()
  for (const clause of clauses) {
    const reading = by_index.get(clause.source) ?? { clauses: [], hedges: [] }
    by_index.set(clause.source, reading)
    reading.clauses.push(renderClause(clause))
  }
  for (const { index, word, probability } of hedges) by_index.get(index)?.hedges.push({ word, probability })
  return [...by_index].sort(([a], [b]) => a - b).map(([index, reading]) => ({ index, ...reading }))
}

export function readingOfQuestion({ goal, granted }: Question): Reading {
  const assumptions = granted.map(({ head }) => renderLiteral(head))
  const queries = goal.map((all) => `?- ${[...all].map(renderLiteral).join(', ')}`)
  return {
    index: -1,
    clauses: [...assumptions.map((one) => `${one}.`), ...queries.map((one) => `${one}.`)],
    hedges: [],
  }
}

export function renderClause({ head, body }: Clause): string {
  const conditions = body.filter(({ predicate }: Condition) => !predicate.startsWith(hedge_prefix))
  return `${renderLiteral(head)}${conditions.length > 0 ? ` :- ${conditions.map(renderLiteral).join(', ')}` : ''}.`
}
