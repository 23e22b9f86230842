// How often and how soon a failed step is retried.

import type { Retry } from '@svc/contract/recipe-retry'
import { sha256Hex } from '@svc/contract/signing/canonical-json'

/** The error of a step whose answer is no success and has no name of its own. */
export const unsuccessful = 'unsuccessful'
const delay_ms_max = 3_600_000

/** `on` stays absent where every failure is retried. */
export type CompleteRetry = Required<Omit<Retry, 'on'>> & Pick<Retry, 'on'>

const no_retry: CompleteRetry = {
  max: 0,
  retry_penalty: 0.05,
  backoff_ms: 1000,
  factor: 2,
  jitter: 0,
}

/** The step's own settings first, then the recipe's defaults, then ours. */
export function completeRetry(retry?: Retry, fallback?: Retry): CompleteRetry {
  return { ...no_retry, ...fallback, ...retry }
}

/** The delay in ms after this attempt failed. The seed sets the jitter, so replays wait the same. */
export function retryDelay(retry: CompleteRetry, attempt: number, seed: string): number {
  const full = Math.min(delay_ms_max, retry.backoff_ms * retry.factor ** Math.max(0, attempt - 1))
  const chance = Number.parseInt(sha256Hex(`${seed}|${attempt}`).slice(0, 8), 16) / 0x1_0000_0000
  return Math.round(full * (1 - retry.jitter * chance))
}

/** Whether a failure of this type is followed by another attempt. */
export function isRetried(
  { max, on }: CompleteRetry,
  attempt: number,
  error_type: string | undefined,
): boolean {
  return attempt <= max && (on === undefined || (error_type !== undefined && on.includes(error_type)))
}
