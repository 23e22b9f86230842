// Where the buckets are: in this process, or, for several replicas, in Redis.
import { memoryLimiter } from '@svc/adapters/rate-limit/memory'
import type { Clock, Log, RateLimiter } from '@svc/engine/ports'
import type { Config } from './config.ts'
import { ConfigError } from './config-error.ts'

type Closing = (() => Promise<unknown>)[]

export async function openLimiter(
  config: Config,
  { clock }: { readonly clock: Clock; readonly log: Log },
  _closing: Closing,
): Promise<RateLimiter> {
  if (config.redis_url === undefined) return memoryLimiter(clock)
  throw new ConfigError('The Redis rate-limit backend is being built; set SVC_RATE_LIMIT_BACKEND=memory.')
}
