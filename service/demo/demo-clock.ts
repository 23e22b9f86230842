// The clock of a demo: stands in the past, is moved through it, and then goes on with real time.
import type { Clock } from '@svc/engine/ports'

export interface DemoClock extends Clock {
  /** Never backwards. */
  moveTo(ms: number): void
  goOn(): void
}

export function demoClock(clock: Clock, start_ms: number): DemoClock {
  let past_ms: number | undefined = start_ms
  return {
    ...clock,
    now_ms: () => past_ms ?? clock.now_ms(),
    moveTo(ms) {
      if (past_ms !== undefined && ms > past_ms) past_ms = ms
    },
    goOn() {
      past_ms = undefined
    },
  }
}
