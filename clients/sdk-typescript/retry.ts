import type { SvcError } from './errors.ts'

const network_retries_max = 3
const network_wait_ms = 200
const rate_retries_max = 5
/** A server that asks for more than this is not waited for: the caller decides. */
const rate_wait_ms_max = 60_000
const circuit_retries_max = 8
const circuit_wait_ms = 500
const circuit_wait_ms_max = 30_000

/**
 * How long to wait before asking again, or undefined where the error stands. Only for operations that change nothing:
 * whoever repeats a write would have to know that the first one was lost.
 */
export function retryDelay(
  error: Pick<SvcError, 'code' | 'retry_after_ms'>,
  attempt: number,
  random: () => number,
): number | undefined {
  switch (error.code) {
    case 'rate_limited': {
      const wait_ms = error.retry_after_ms ?? 1_000
      return attempt < rate_retries_max && wait_ms <= rate_wait_ms_max ? wait_ms : undefined
    }
    case 'circuit_open':
      return attempt < circuit_retries_max
        ? Math.min(circuit_wait_ms * 2 ** attempt, circuit_wait_ms_max)
        : undefined
    case 'network':
      return attempt < network_retries_max ? network_wait_ms * 2 ** attempt * (0.5 + random()) : undefined
    default:
      return undefined
  }
}
