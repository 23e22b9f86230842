// JSON requests outside the SDK: discovery, the person's keys, health. Never retried.
import { type ErrorCode, SvcError } from '@svc/sdk/errors'
import { refusals } from '../../../generated/sdk-operations.ts'

const answer_ms_max = 20_000
const body_chars_max = 1024 * 1024

export interface JsonRequest {
  readonly fetch: typeof globalThis.fetch
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly wait_ms?: number
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Undefined if it is not JSON. */
  readonly body: unknown
}

export async function askJson(
  url: string,
  { fetch, method = 'GET', headers, body, signal, wait_ms = answer_ms_max }: JsonRequest,
): Promise<Reply> {
  const ends = [AbortSignal.timeout(wait_ms), ...(signal ? [signal] : [])]
  try {
    const response = await fetch(url, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      redirect: 'manual',
      signal: AbortSignal.any(ends),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const is_readable = text.length <= body_chars_max
    return {
      status: response.status,
      headers: response.headers,
      body: is_readable ? parsed(text) : undefined,
    }
  } catch (cause) {
    throw unreachable(cause, URL.parse(url)?.origin ?? url, signal, wait_ms)
  }
}

/** The refusal in an answer; anything else is not an answer of the service. */
export function refusedBy({ status, body }: Reply, url: string): SvcError {
  const error = (
    body as { error?: { code?: unknown; message?: unknown; reason?: unknown } } | null | undefined
  )?.error
  const { code, message, reason } = error ?? {}
  if (typeof code === 'string' && typeof message === 'string' && Object.hasOwn(refusals, code))
    return new SvcError({
      code: code as ErrorCode,
      message,
      reason: typeof reason === 'string' ? reason : null,
    })
  const sentence = `${url} answered ${status}, but not like svc; check the address.`
  return new SvcError({ code: 'bad_answer', message: sentence })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Also for connection errors of openid-client. */
export function unreachable(
  cause: unknown,
  place: string,
  signal?: AbortSignal,
  wait_ms = answer_ms_max,
): unknown {
  if (signal?.aborted) return signal.reason
  if (cause instanceof SvcError) return cause
  if ((cause as { name?: string } | null)?.name === 'TimeoutError') {
    const message = `${place} did not answer within ${wait_ms / 1000} s; try again, or check the address.`
    return new SvcError({ code: 'timeout', message, reason: 'client timeout' }, cause)
  }
  const message = `${place} cannot be reached (${innermost(cause)}); check the address and that the engine runs.`
  return new SvcError({ code: 'network', message, reason: 'unreachable', retryable: true }, cause)
}

function innermost(cause: unknown): string {
  const {
    message,
    code,
    cause: deeper,
  } = (cause ?? {}) as { message?: string; code?: string; cause?: unknown }
  return deeper ? innermost(deeper) : code || message || 'no reason given'
}
