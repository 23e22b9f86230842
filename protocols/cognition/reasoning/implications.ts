// Contraposition: where a rule's conclusion is denied, one of its conditions is.

import { type Clause, type Condition, isComparison, negate } from './clause.ts'
import type { Lexicon } from './lexicon.ts'

export type Rules = 'auto' | 'implications' | 'one_way'

/** The rules that follow from these by contraposition. */
export function contrapositives(clauses: readonly Clause[], rules: Rules, lexicon: Lexicon): Clause[] {
  if (rules === 'one_way') return []
  return clauses.flatMap((clause) => {
    const { head, body, source } = clause
    const strict = !body.some(
      (condition) => condition.naf || isComparison(condition) || isInternal(condition),
    )
    if (body.length === 0 || !strict || isInternal(head)) return []
    if (rules === 'auto' && [head, ...body].every((literal) => isDescription(literal, lexicon))) return []
    return body.map((condition, place): Clause => {
      const others = body.filter((_, other) => other !== place)
      return { head: negate(condition), body: [...others, negate(head)], source }
    })
  })
}

function isInternal({ predicate }: Condition): boolean {
  return predicate.startsWith('#')
}

/** "kind", or "likes the cow": a rule of these alone is read as rule engines do, in one direction. */
function isDescription({ predicate, args }: Condition, { adjectives, classes }: Lexicon): boolean {
  if (predicate.includes(' ')) return false
  return args.length === 2 || (args.length === 1 && adjectives.has(predicate) && !classes.has(predicate))
}
