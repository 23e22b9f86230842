// Whether everything that a charter asks to be computed can be, for a thread of its own.
import {
  compileCondition,
  compileDomain,
  type Fault,
  type MethodSource,
  sentenceOf,
} from '../planning/api.ts'

export interface CharterExpressions {
  readonly methods: readonly MethodSource[]
  /** Empty where a constraint is for people. */
  readonly constraints: readonly string[]
}

export function compute({ methods, constraints }: CharterExpressions): Fault[] {
  const compiled = compileDomain({ methods, operators: [] })
  const faults = 'faults' in compiled ? compiled.faults : []
  for (const [place, text] of constraints.entries()) {
    try {
      if (text !== '') compileCondition(text)
    } catch (error) {
      faults.push({ pointer: `/constraints/${place}/expr`, message: sentenceOf(error) })
    }
  }
  return faults
}
