// What would have to hold for a question to be answered with false.
import { type Condition, isComparison, isVariable, negate } from './clause.ts'
import { otherBound } from './counting.ts'
import { Unparsed } from './datalog.ts'
import { variablesOf } from './kernel.ts'
import { opposites } from './predicate.ts'
import type { Alternatives } from './scope.ts'

const denials_max = 32

/** Each alternative must fail in one of its parts; a measure fails by its test while the value exists. */
export function denialOf(goal: Alternatives): Alternatives {
  let denials: Alternatives = [[]]
  for (const all of goal) {
    const measured = all.filter(isComparison)
    const ways = all.flatMap((condition): Condition[][] => {
      if (condition.naf) return [[{ ...condition, naf: false }]]
      if (!isComparison(condition))
        return measured.length > 0 && condition.args.some(isVariable) ? [] : [[negate(condition)]]
      // A guard of the others, such as that more than the year is known.
      if (condition.predicate === '!=') return []
      const shared = all.filter((other) => {
        const guards = !isComparison(other) || other.predicate === '!='
        return (
          guards &&
          other.args.some((arg) => isVariable(arg) && variablesOf([condition]).includes(arg.variable))
        )
      })
      return [[...shared.map(otherBound), { ...condition, predicate: opposites.get(condition.predicate)! }]]
    })
    denials = denials.flatMap((before) => ways.map((way) => [...before, ...way]))
    if (denials.length > denials_max)
      throw new Unparsed(`it can be denied in more than ${denials_max} ways; ask less at once`)
  }
  return denials
}
