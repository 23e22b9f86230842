import { SvcError } from './errors.ts'

const network_retries_max = 3
const network_wait_ms = 200
const rate_retries_max = 5
const rate_wait_ms = 1_000
const rate_wait_ms_min = 50
/** Longer waits are left to the caller. */
const rate_wait_ms_max = 60_000
const circuit_retries_max = 8
const circuit_wait_ms = 500
const circuit_wait_ms_max = 30_000

/** Jitter, so that callers refused together do not retry together. */
const rate_jitter = 0.1

/**
 * The delay before a retry, undefined for none; `attempt` counts earlier failures of the kind.
 * Only for reads: repeating a write is safe only if the first was lost.
 */
export function retryDelay(
  error: Pick<SvcError, 'code' | 'retry_after_ms'>,
  attempt: number,
  random: () => number,
): number | undefined {
  switch (error.code) {
    case 'rate_limited': {
      const asked_ms = error.retry_after_ms ?? rate_wait_ms * 2 ** attempt
      if (attempt >= rate_retries_max || asked_ms > rate_wait_ms_max) return undefined
      // Never sooner than the server asks.
      return Math.max(asked_ms, rate_wait_ms_min) * (1 + rate_jitter * random())
    }
    case 'circuit_open':
    case 'unavailable':
      if (attempt >= circuit_retries_max) return undefined
      return Math.min(circuit_wait_ms * 2 ** attempt, circuit_wait_ms_max)
    case 'network':
      if (attempt >= network_retries_max) return undefined
      return network_wait_ms * 2 ** attempt * (0.5 + random())
    default:
      return undefined
  }
}

export type Sleep = (wait_ms: number, signal?: AbortSignal) => Promise<void>

/** Retries until success, a final error, or an abort. Each kind of failure is counted separately. */
export async function repeat<Result>(
  send: () => Promise<Result>,
  sleep: Sleep,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const failures = new Map<string, number>()
  while (true) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      const attempt = failures.get(error.code) ?? 0
      failures.set(error.code, attempt + 1)
      const wait_ms = retryDelay(error, attempt, chance)
      if (wait_ms === undefined) throw error
      await sleep(wait_ms, signal)
      signal?.throwIfAborted()
    }
  }
}

/** From 0 to 1. */
function chance(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32
}

/** Waits, or throws the reason of an abort at once. */
export function wait(wait_ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const leave = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave)
      resolve()
    }, wait_ms)
    signal?.addEventListener('abort', leave, { once: true })
  })
}
