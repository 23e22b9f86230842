import { refusals } from '../../generated/sdk-operations.ts'
import { type AnswerHeaders, retryAfterMs } from './answer-headers.ts'

/** A refusal of the service, or one of three things that go wrong before it could answer. */
export type ErrorCode = keyof typeof refusals | 'not_configured' | 'network' | 'bad_answer'

/** The `error` object of a refused call, as it came over the wire. */
export interface RefusalBody {
  code: ErrorCode
  message: string
  /** A short stable phrase naming the rule, e.g. `no active treaty`. */
  reason: string | null
  /** The stage that said no, 0 to 8; null where the call never became one. */
  stage: number | null
  correlation_id: string | null
  /** Whether asking again may help, and can do no harm. */
  retryable: boolean
  retry_after_ms: number | null
  details: Record<string, unknown>
  audit_head: string | null
}

/**
 * Why a call was not done. The message is one sentence: what was asked, which rule said no, what to do.
 *
 * `code` is the service's, or `not_configured` (nothing says where or as whom to call), `network` (no answer
 * came), `bad_answer` (what answered is no svc, or says a code unknown here: see `details.code`).
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
  /** What the answer's headers said; null where no answer came. */
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

  /** The wire's `error` object again, so that `JSON.stringify(error)` says everything. */
  toJSON(): RefusalBody {
    const { code, message, reason, stage, correlation_id, retryable, retry_after_ms } = this
    const { details, audit_head } = this
    return { code, message, reason, stage, correlation_id, retryable, retry_after_ms, details, audit_head }
  }
}

/** Where a refusal came from, as far as that is known. */
export interface RefusedBy {
  readonly api_url?: string
  /** The `Date` of the answer. */
  readonly answered_at?: string | null
  readonly headers?: AnswerHeaders
}

/** What an answer that is no success says; a proxy's page is not taken for an answer of the service. */
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
      // A newer service may know more codes than this client: its sentence stands, and its word is kept.
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

/** The fields of a JSON object; undefined for anything else, lists too. */
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
