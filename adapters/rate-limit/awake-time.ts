// Time as this process lives it: what it slept through itself is not held against whoever is to answer it.
import { system_clock } from '../clock/system.ts'

/** Of a stretch between two looks no more than this counts, however late the second comes. */
export const step_ms_max = 25

/**
 * Looks every few milliseconds for as long as it is told to go on, and says how long this process was awake meanwhile.
 * Answers that came while it was busy are read before each look: hence the immediate.
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
