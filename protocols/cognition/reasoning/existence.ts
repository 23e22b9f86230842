// "Some cats are black", "there is a dog that is kind": a witness without a name.

import { type Clause, isComparison, isVariable, variable } from './clause.ts'
import { readCondition } from './condition.ts'
import { Unparsed } from './datalog.ts'
import { hedgeOf } from './hedges.ts'
import { variablesOf } from './kernel.ts'
import { openScope, type Scope } from './scope.ts'
import type { Token } from './tokens.ts'
import { relative_pronouns } from './words.ts'

const openings = new Set(['some', 'someone', 'somebody', 'something', 'there'])

/** Individuals that exist without being named. */
const witness_mark = '#some:'

export function isWitness(term: string): boolean {
  return term.startsWith(witness_mark)
}

/** Undefined if the sentence does not say that something exists. */
export function readExistence(tokens: readonly Token[], outer: Scope, source: number): Clause[] | undefined {
  const [first, second] = tokens
  if (outer.conditional || outer.asked || !openings.has(first?.text ?? '')) return undefined
  // "Someone who is kind is nice" may mean all of them or one; read as a rule, it is hedged.
  if (second && relative_pronouns.has(second.text)) {
    outer.hedges.push(hedgeOf('generally'))
    return undefined
  }
  const scope = openScope(outer.lexicon, { ...outer, asked: variable('Q'), stance: 'condition' })
  const ways = readCondition(tokens, scope)
  const [conditions] = ways
  if (ways.length !== 1 || !conditions) throw new Unparsed('that one thing or another exists is not read')
  const witnesses = new Map(variablesOf(conditions).map((name) => [name, `${witness_mark}${source}:${name}`]))
  if (witnesses.size === 0) throw new Unparsed('it does not say what exists')
  return conditions.map(({ predicate, negated, args, naf }) => {
    // "does not like a teacher" may mean any teacher, or a certain one.
    if (naf || isComparison({ predicate, negated, args }) || (negated && args.filter(isVariable).length > 1))
      throw new Unparsed('what is denied of something that exists may be meant of one or of all')
    const named = args.map((arg) => (isVariable(arg) ? witnesses.get(arg.variable)! : arg))
    return { head: { predicate, negated, args: named }, body: [], source }
  })
}
