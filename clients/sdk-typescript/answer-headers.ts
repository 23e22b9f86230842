// The headers of an answer as plain values: the same for successes, refusals and streams.

/** The caller's remaining rate limit for this protocol. */
export interface RateLimit {
  limit: number
  remaining: number
  /** Seconds until the limit is fully restored. */
  reset_s: number
}

/** The headers of an answer. */
export interface AnswerHeaders {
  /** `X-Correlation-Id`: names the call in the audit log. */
  correlation_id: string | null
  /** `traceparent`, as sent and returned. */
  traceparent: string | null
  /** `X-RateLimit-*`; null if no limit applies or a browser may not read them. */
  rate_limit: RateLimit | null
}

export function readAnswerHeaders(headers: Headers): AnswerHeaders {
  const [limit, remaining, reset_s] = ['limit', 'remaining', 'reset'].map((name) =>
    countOf(headers.get(`x-ratelimit-${name}`)),
  )
  const is_limited = limit !== undefined && remaining !== undefined && reset_s !== undefined
  return {
    correlation_id: headers.get('x-correlation-id'),
    traceparent: headers.get('traceparent'),
    rate_limit: is_limited ? { limit, remaining, reset_s } : null,
  }
}

/** In seconds or as a date, which is compared with the answer's own `Date`, not with the local clock. */
export function retryAfterMs(retry_after: string | null, answered_at: string | null): number | null {
  if (retry_after === null) return null
  const seconds = countOf(retry_after)
  if (seconds !== undefined) return seconds * 1000
  const wait_ms = timeOf(retry_after) - timeOf(answered_at ?? '')
  return Number.isFinite(wait_ms) ? Math.max(0, wait_ms) : null
}

/** An HTTP date, e.g. `Sun, 06 Nov 1994 08:49:37 GMT`. `Date.parse` alone would accept `-1`. */
const date_form = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

function timeOf(date: string): number {
  return date_form.test(date) ? Date.parse(date) : Number.NaN
}

function countOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) : undefined
}
