// What follows a failed delivery: a pause that grows, or the end.
import { too_slow } from '../outbound/outbound.ts'

const wait_ms_min = 5_000
const wait_ms_max = 3_600_000
/** Of each pause, so that many receivers behind one outage are not asked at once. */
const jitter = 0.2
const failing_ms_max = 72 * 3_600_000
const gone = 410
export const answer_ms_max = 10_000

export interface Trouble {
  /** Consecutive failures, this one included. */
  readonly failures: number
  readonly failing_ms: number
  readonly status?: number | undefined
}

/** Undefined where it is to be stopped. `chance` is from 0 to 1. */
export function waitAfter({ failures, failing_ms, status }: Trouble, chance: number): number | undefined {
  if (status === gone || failing_ms >= failing_ms_max) return undefined
  const wait_ms = Math.min(wait_ms_min * 2 ** Math.min(failures - 1, 30), wait_ms_max)
  return Math.round(wait_ms * (1 - jitter * chance))
}

/** For whoever set it; never text of the receiver. */
export function sentenceOf(status: number | undefined, fault: string): string {
  if (status === gone) return 'The receiver answered 410: it wants no more events.'
  if (status !== undefined && status >= 300 && status < 400)
    return `The receiver answered ${status}; redirects are not followed, so name the address itself.`
  if (status !== undefined) return `The receiver answered ${status}.`
  if (fault === too_slow) return `The receiver did not answer within ${answer_ms_max / 1000} seconds.`
  return `The receiver could not be reached: ${fault}.`
}

/** Why it was stopped. */
export function lastSentence(sentence: string, status: number | undefined): string {
  if (status === gone) return sentence
  return `${sentence} Nothing could be delivered for ${failing_ms_max / 3_600_000} hours, so it was stopped.`
}
