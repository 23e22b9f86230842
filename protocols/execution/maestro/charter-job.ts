// Checks on a worker thread that all expressions of a charter can be computed.
import {
  compileCondition,
  compileDomain,
  type Fault,
  type MethodSource,
  sentenceOf,
} from '../planning/api.ts'

export interface CharterExpressions {
  readonly methods: readonly MethodSource[]
  /** Empty if a constraint is only for people. */
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
