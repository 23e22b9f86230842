// The time that is left for a search: what comes after it, with the plan that it found, takes time too.
import type { ComputationHost } from '@svc/contract/needs/computation'

export interface Finishing {
  isLate(): boolean
  /** Nothing is left: what still has to be done is done in a hurry. */
  isOver(): boolean
  /** Finishes the first plan that is found, to know how long that takes for those after it. */
  measure(finish: () => unknown): void
}

export function finishingBy(deadline_ms: number, host: ComputationHost): Finishing {
  let reserved_ms: number | undefined
  return {
    isOver: () => host.elapsed_ms() > deadline_ms,
    isLate: () => host.elapsed_ms() + (reserved_ms ?? 0) > deadline_ms,
    measure(finish) {
      if (reserved_ms !== undefined) return
      const begun_ms = host.elapsed_ms()
      finish()
      reserved_ms = host.elapsed_ms() - begun_ms
    },
  }
}
