// How often and how soon a failed step is retried.

import type { Retry } from '@svc/contract/recipe'
import { sha256Hex } from '@svc/contract/signing/canonical-json'

const delay_ms_max = 3_600_000

const no_retry: Required<Retry> = {
  max: 0,
  retry_penalty: 0.05,
  backoff_ms: 1000,
  factor: 2,
  jitter: 0,
}

/** The step's own settings first, then the recipe's defaults, then ours. */
export function completeRetry(retry?: Retry, fallback?: Retry): Required<Retry> {
  return { ...no_retry, ...fallback, ...retry }
}

/** The delay in ms after this attempt failed. The seed sets the jitter, so replays wait the same. */
export function retryDelay(retry: Required<Retry>, attempt: number, seed: string): number {
  const full = Math.min(delay_ms_max, retry.backoff_ms * retry.factor ** Math.max(0, attempt - 1))
  const chance = Number.parseInt(sha256Hex(`${seed}|${attempt}`).slice(0, 8), 16) / 0x1_0000_0000
  return Math.round(full * (1 - retry.jitter * chance))
}
