// The rule a device declares for an actuator: CEL over the intended state, the reported state and fresh sensor readings.

import { compileExpression, judge } from '@svc/contract/expressions/expression'
import type { ActuatorState } from './actuator-state.ts'

export interface InterlockFacts {
  /** The intended state: last reported or commanded values plus the change. */
  readonly state: ActuatorState
  readonly reported: ActuatorState
  /** Only fresh, good readings; a rule that needs any other does not hold. */
  readonly sensors: Readonly<Record<string, number>>
}

/** Why the interlock is invalid; undefined if it is valid or not set. */
export function interlockFault(interlock: string | undefined): string | undefined {
  if (interlock === undefined) return undefined
  try {
    const { type } = compileExpression(interlock)
    return type === 'bool' || type === 'dyn' ? undefined : 'its interlock answers neither true nor false'
  } catch {
    return 'its interlock is no CEL over input.state, input.reported and input.sensors'
  }
}

/** Only true is safe: a missing sensor, a wrong type and an error in the rule all count as false. */
export function holdsInterlock(
  interlock: string | undefined,
  facts: InterlockFacts,
  now_ms: number,
): boolean {
  if (interlock === undefined) return true
  try {
    return judge(compileExpression(interlock), { input: { ...facts }, steps: {}, now_ms, seed: '' })
  } catch {
    return false
  }
}
