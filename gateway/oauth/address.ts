// The trusted source address of a request, and its rate limit.
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { refuse } from '@svc/contract/refusal'
import { recent } from '@svc/engine/limits/recent'
import type { Clock } from '@svc/engine/ports'

const addresses_kept_max = 10_000
const window_ms = 60_000

type From = Pick<IncomingMessage, 'headers' | 'socket'>

/** `hops` of our own proxies are in front, and each adds the address it saw; anybody could write what is further left. */
export function exactAddressOf({ headers, socket }: From, hops: number): string | undefined {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  return (hops > 0 ? forwarded.at(-hops)?.trim() : undefined) || socket.remoteAddress
}

/** What counts as one source. */
export function addressOf(request: From, hops: number): string {
  const address = exactAddressOf(request, hops) ?? 'unknown'
  return isIPv6(address) && !address.startsWith('::ffff:') ? networkOf(address) : address.slice(0, 64)
}

/** One holder of IPv6 has a whole /64, so that counts as one address. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const [left, right] = [head.split(':').filter(Boolean), (tail ?? '').split(':').filter(Boolean)]
  const middle = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  return `${[...left, ...middle, ...right].slice(0, 4).join(':')}::/64`
}

export interface Throttle {
  /** Refuses a request above the limit per minute. */
  take(address: string): void
}

/** In this process's memory: it limits the work one address can cause, not its guesses. */
export function openThrottle(per_minute_max: number, clock: Clock): Throttle {
  const attempts = recent<{ count: number; readonly until_ms: number }>(addresses_kept_max)
  return {
    take(address) {
      const now_ms = clock.monotonic_ms()
      const attempt = attempts.get(address)
      const current =
        attempt && attempt.until_ms > now_ms ? attempt : { count: 0, until_ms: now_ms + window_ms }
      if (current !== attempt) attempts.set(address, current)
      if (++current.count <= per_minute_max) return
      throw refuse('rate_limited', 'Too many requests for signing in from this address; wait a minute.', {
        reason: 'login requests',
        retry_after_ms: Math.ceil(current.until_ms - now_ms),
      })
    },
  }
}
