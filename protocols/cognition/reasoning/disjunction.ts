// What holds in one of several ways: "every dish is vegetarian or contains meat".

import type { Clause } from './clause.ts'
import { isComparison, negate } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { type Alternatives, bothOf, certainly, type Disjunction, type Formula } from './scope.ts'

const clauses_max = 64

/** The disjunctions a formula states under these conditions. */
export function disjunctionsOf(formula: Formula, conditions: Alternatives, source: number): Disjunction[] {
  if (formula.flat().some(({ literal }) => isComparison(literal)))
    throw new Unparsed('a comparison is a condition, not a fact')
  const restricts = new Map(formula.flat().map(({ restrict }) => [JSON.stringify(restrict), restrict]))
  const restrict = [...restricts.values()].reduce<Alternatives>(
    (joined, one) => bothOf(joined, one),
    certainly,
  )
  const alternatives = formula.map((statements) => statements.map(({ literal }) => literal))
  return bothOf(conditions, restrict).map((body) => ({ body, alternatives, source }))
}

/** One alternative holds where the others are denied; with `apart`, also denied where another holds. */
export function resolutionsOf({ body, alternatives, source }: Disjunction, apart: boolean): Clause[] {
  const clauses: Clause[] = []
  for (const [place, own] of alternatives.entries()) {
    const others = alternatives.filter((_, other) => other !== place)
    const denials = others.reduce<Alternatives>(
      (joined, other) => joined.flatMap((before) => other.map((one) => [...before, negate(one)])),
      certainly,
    )
    for (const head of own) {
      for (const denied of denials) clauses.push({ head, body: [...body, ...denied], source })
      if (apart)
        for (const other of others) clauses.push({ head: negate(head), body: [...body, ...other], source })
    }
    if (apart && own.length > 1)
      throw new Unparsed('"but not both" is read where each alternative says one thing')
    if (clauses.length > clauses_max)
      throw new Unparsed('it has too many alternatives; write several sentences')
  }
  return clauses
}
