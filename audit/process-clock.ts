// The clock of the writer thread: the outbox interval is measured in real time.
import type { NewIds } from '@svc/contract/tick'

export interface ProcessClock extends NewIds {
  /** Monotonic: for durations. */
  monotonic_ms(): number
}
