// The clock of the thread that the writer runs in: how long it has not looked at the outbox is a matter of real time.
import type { NewIds } from '@svc/contract/tick'

export interface ProcessClock extends NewIds {
  /** Never goes back: what durations are measured by. */
  monotonic_ms(): number
}
