// The rule a device sets for itself: CEL over what it would be, what it says it is, and what its fresh sensors read.

import { compileExpression, judge } from '../expressions/api.ts'
import type { ActuatorState } from './actuator-state.ts'

export interface InterlockFacts {
  /** What it would be: as it says it is and was last told, with the change. */
  readonly state: ActuatorState
  readonly reported: ActuatorState
  /** Only what was read a moment ago and looks right; a rule that asks for another does not hold. */
  readonly sensors: Readonly<Record<string, number>>
}

/** Why this is no interlock; undefined where it is one, or none is set. */
export function interlockFault(interlock: string | undefined): string | undefined {
  if (interlock === undefined) return undefined
  try {
    const { type } = compileExpression(interlock)
    return type === 'bool' || type === 'dyn' ? undefined : 'its interlock answers neither true nor false'
  } catch {
    return 'its interlock is no CEL over input.state, input.reported and input.sensors'
  }
}

/** Only what is plainly true is safe: a missing sensor, a wrong type and a fault in the rule all say no. */
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
