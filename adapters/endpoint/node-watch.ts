// Whether a node answers in time. While it does not, nobody waits for it: one question at a time shows when it is back.
import type { Clock, Log } from '@svc/engine/ports'

/** No question so soon after one that was not answered. */
const ask_again_ms = 250

export interface NodeWatch {
  readonly is_away: boolean
  /** While it is away: whether it is time to see if it is back. */
  mayBeAsked(): boolean
  answered(): void
  failed(error: unknown): void
}

/** The operator is told once for each time it goes away. */
export function nodeWatch(node: string, clock: Pick<Clock, 'monotonic_ms'>, log: Log): NodeWatch {
  let ask_at_ms = 0
  let is_away = false
  return {
    get is_away() {
      return is_away
    },
    mayBeAsked: () => clock.monotonic_ms() >= ask_at_ms,
    answered() {
      is_away = false
    },
    failed(error) {
      if (!is_away)
        log.warn(
          { err: error, node },
          'a node does not answer in time; calls that need it are told to try again',
        )
      is_away = true
      ask_at_ms = clock.monotonic_ms() + ask_again_ms
    },
  }
}
