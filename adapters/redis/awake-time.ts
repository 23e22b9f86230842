// Time in which this process was awake: its own pauses do not count against a peer that should answer.
import { system_clock } from '../clock/system.ts'

/** The most that counts of one interval between two checks, however late the second comes. */
export const step_ms_max = 25

/**
 * Checks every few milliseconds until told to stop, and reports how long this process was awake. Answers that arrived
 * while it was busy are read before each check: hence the immediate.
 */
export function lookWhileAwake(goesOn: (awake_ms: number) => boolean): void {
  let looked_ms = system_clock.monotonic_ms()
  const look = () => {
    const now_ms = system_clock.monotonic_ms()
    const awake_ms = Math.min(now_ms - looked_ms, step_ms_max)
    looked_ms = now_ms
    if (goesOn(awake_ms)) lookLater()
  }
  const lookLater = () => setTimeout(() => setImmediate(look), step_ms_max)
  lookLater()
}
