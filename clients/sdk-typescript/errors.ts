import { refusals } from '../../generated/sdk-operations.ts'
import { type AnswerHeaders, retryAfterMs } from './answer-headers.ts'

/** A refusal code of the service, or one of three local errors. */
export type ErrorCode = keyof typeof refusals | 'not_configured' | 'network' | 'bad_answer'

/** The `error` object of a refused call, as on the wire. */
export interface RefusalBody {
  code: ErrorCode
  message: string
  /** A short stable phrase naming the rule, e.g. `no active treaty`. */
  reason: string | null
  /** The stage that refused, 0 to 8; null if the request never became a call. */
  stage: number | null
  correlation_id: string | null
  /** Whether a retry may help and is safe. */
  retryable: boolean
  retry_after_ms: number | null
  details: Record<string, unknown>
  audit_head: string | null
}

/**
 * A refused or failed call. The message says what happened, why, and what to do.
 *
 * `code` is the service's, or `not_configured` (address, key or DID is missing), `network` (no answer),
 * `bad_answer` (not an answer of svc, or an unknown code: see `details.code`).
 *
 * @example
 * ```ts
 * import { createClient, SvcError } from '@svc/sdk'
 *
 * const client = createClient()
 * try {
 *   await client.max.audit_query({ outcome: 'refused' }, { tenantId: 'somebody-else' })
 * } catch (error) {
 *   if (error instanceof SvcError) console.error(error.code, error.message, error.correlation_id)
 *   else throw error
 * }
 * ```
 *
 * ```output
 * capability_denied Tenant dev has no active treaty with the tenant asked for; propose one with MOAT propose. …
 * ```
 */
export class SvcError extends Error implements RefusalBody {
  readonly code: ErrorCode
  readonly reason: string | null
  readonly stage: number | null
  readonly correlation_id: string | null
  readonly retryable: boolean
  readonly retry_after_ms: number | null
  readonly details: Record<string, unknown>
  readonly audit_head: string | null
  /** The answer's headers; null without an answer. */
  readonly headers: AnswerHeaders | null

  constructor(
    body: Partial<RefusalBody> & { code: ErrorCode; message: string },
    cause?: unknown,
    headers: AnswerHeaders | null = null,
  ) {
    super(body.message, cause === undefined ? undefined : { cause })
    this.name = 'SvcError'
    this.code = body.code
    this.reason = body.reason ?? null
    this.stage = body.stage ?? null
    this.correlation_id = body.correlation_id ?? headers?.correlation_id ?? null
    this.retryable = body.retryable ?? false
    this.retry_after_ms = body.retry_after_ms ?? null
    this.details = body.details ?? {}
    this.audit_head = body.audit_head ?? null
    this.headers = headers
  }

  /** The wire's `error` object, so that `JSON.stringify(error)` is complete. */
  toJSON(): RefusalBody {
    const { code, message, reason, stage, correlation_id, retryable, retry_after_ms } = this
    const { details, audit_head } = this
    return { code, message, reason, stage, correlation_id, retryable, retry_after_ms, details, audit_head }
  }
}

/** The source of a refusal, as far as known. */
export interface RefusedBy {
  readonly api_url?: string
  /** The `Date` of the answer. */
  readonly answered_at?: string | null
  readonly headers?: AnswerHeaders
}

/** The error of an unsuccessful answer; a proxy's page is not mistaken for an answer of the service. */
export function refusalOf(
  body: unknown,
  status: number,
  retry_after: string | null,
  by: RefusedBy = {},
): SvcError {
  const error = fieldsOf(fieldsOf(body)?.error)
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') return strangerSaid(status, by)
  const { code, message, reason, stage, correlation_id, retryable, retry_after_ms, audit_head } = error
  const details = fieldsOf(error.details) ?? {}
  const is_known = isRefusalCode(code)
  return new SvcError(
    {
      code: is_known ? code : 'bad_answer',
      message,
      reason: textOf(reason),
      stage: typeof stage === 'number' ? stage : null,
      correlation_id: textOf(correlation_id),
      retryable: retryable === true,
      retry_after_ms: waitOf(retry_after_ms) ?? retryAfterMs(retry_after, by.answered_at ?? null),
      // A newer service may have more codes: its message is used, and its code is in the details.
      details: is_known ? details : { ...details, code, status },
      audit_head: textOf(audit_head),
    },
    undefined,
    by.headers,
  )
}

function strangerSaid(status: number, { api_url = 'The address', headers }: RefusedBy): SvcError {
  const advice =
    status >= 500
      ? 'a proxy in between may have said it: check that the engine runs.'
      : 'check that apiUrl is that of an engine or its gateway.'
  const message = `${api_url} answered ${status} with something that is no answer of svc; ${advice}`
  return badAnswer(message, { status }, headers)
}

export function badAnswer(
  message: string,
  details: Record<string, unknown> = {},
  headers: AnswerHeaders | null = null,
  cause?: unknown,
): SvcError {
  return new SvcError({ code: 'bad_answer', message, reason: 'bad answer', details }, cause, headers)
}

function isRefusalCode(code: string): code is keyof typeof refusals {
  return Object.hasOwn(refusals, code)
}

/** The fields of a JSON object; undefined for anything else, including arrays. */
export function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function waitOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}
