// Refusals by remote services. One of our codes counts with its own status, or with the 422 of the specification's
// example; the message decides only without such a code (error-keywords.ts).
import { type Refusal, type RefusalCode, refusals, refuse, refuseForeign } from '@svc/contract/refusal'
import { left, type OutboundError, too_large, too_slow } from '../outbound/outbound.ts'
import { mappedByKeyword } from './error-keywords.ts'

const sentence_chars_max = 500
const reason_chars_max = 200
const retry_ms_max = 600_000

/** A service's request and answer. `request` is all that was sent: text from it is not the service's own. */
export interface Refused {
  readonly protocol: string
  readonly status: number
  readonly answer: unknown
  readonly request: string
}

const status_of_example = 422

/** The codes that a service may use; every other failure is an adapter error. */
export function refusalOf(refused: Refused, own_codes: readonly RefusalCode[]): Refusal {
  const { protocol, status } = refused
  const { code, message, reason, retry_after_ms } = errorIn(refused.answer)
  const own = own_codes.find(
    (refusal_code) =>
      refusal_code === code && (refusals[refusal_code].status === status || status === status_of_example),
  )
  const delay = retryDelay(retry_after_ms)
  if (own) {
    const sentence = bounded(message, sentence_chars_max) || `${protocol} refused it as ${own}.`
    return refuseForeign(own, sentence, { reason: bounded(reason, reason_chars_max) || own, ...delay })
  }
  const is_ours = typeof code === 'string' && Object.hasOwn(refusals, code)
  return (
    (is_ours || status < 400 ? undefined : refusedByKeyword(refused, bounded(message, sentence_chars_max))) ??
    refuse('adapter_error', `${protocol} answered ${status}; try again later.`, {
      reason: 'service failed',
      status,
      ...delay,
    })
  )
}

function refusedByKeyword({ protocol, status, request }: Refused, message: string): Refusal | undefined {
  const mapped = mappedByKeyword(message, request)
  if (!mapped) return undefined
  const details = { reason: 'error without a known code', status, ...mapped.details }
  return refuse(mapped.code, `${protocol} answered ${status}: ${message}`, details)
}

function errorIn(answer: unknown): Record<string, unknown> {
  const { error } = (answer ?? {}) as { error?: unknown }
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
}

function bounded(text: unknown, chars_max: number): string {
  return typeof text === 'string' ? text.toWellFormed().slice(0, chars_max).toWellFormed() : ''
}

function retryDelay(ms: unknown): { retry_after_ms?: number } {
  return typeof ms === 'number' && ms > 0 ? { retry_after_ms: Math.min(Math.ceil(ms), retry_ms_max) } : {}
}

/** Why no complete answer came. */
export function unanswered(protocol: string, timeout_ms: number, error: OutboundError): Refusal {
  if (error.fault === too_slow) {
    const sentence = `${protocol} did not answer within ${timeout_ms} ms; try again later.`
    return refuse('timeout', sentence, { reason: 'service too slow' })
  }
  if (error.fault === too_large) return unreadable(protocol, error)
  // Not the service's failure, or callers who hang up often could open its circuit for everybody.
  if (error.fault === left) {
    return refuse('invalid_request', `The caller left before ${protocol} answered; ask again.`, {
      reason: left,
    })
  }
  const refused = error.fault === 'address not allowed' || error.fault === 'only https is asked'
  return refuse(
    'adapter_error',
    `${protocol} cannot be reached; try again later.`,
    { reason: refused ? error.fault : 'unreachable' },
    error,
  )
}

export function unreadable(protocol: string, cause: unknown): Refusal {
  return refuse(
    'adapter_error',
    `${protocol} gave an unreadable answer; ask its operator to check it.`,
    { reason: 'unreadable answer' },
    cause,
  )
}
