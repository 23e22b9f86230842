// Whether a node answers in time. While it does not, one call at a time finds out whether it is back; no other waits
// for it.
import type { Log } from '@svc/engine/ports'
import { within } from '../clock/within.ts'

/** The longest wait for a node, because all calls pass here. The request itself continues. */
export const node_wait_ms_max = 1_000

export interface NodeWatch {
  readonly is_away: boolean
  /** Whether a request is in flight that will show whether it is back. */
  readonly is_asked: boolean
  /** Resolves when the node answers; limit the wait with `within`. */
  ask<Answer>(question: () => Answer | Promise<Answer>): Promise<Answer>
}

/** The operator is notified once per outage. */
export function nodeWatch(node: string, log: Log): NodeWatch {
  let in_progress = 0
  let is_away = false
  const failed = (error: unknown) => {
    if (!is_away)
      log.warn(
        { err: error, node },
        'a node does not answer in time; calls that need it are told to try again',
      )
    is_away = true
  }
  return {
    get is_away() {
      return is_away
    },
    get is_asked() {
      return in_progress > 0
    },
    ask(question) {
      in_progress++
      const answering = Promise.try(question).finally(() => in_progress--)
      within(node_wait_ms_max, answering).catch(failed)
      answering.then(() => {
        is_away = false
      }, failed)
      return answering
    },
  }
}
