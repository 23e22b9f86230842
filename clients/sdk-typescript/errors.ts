import { refusals } from '../../generated/sdk-operations.ts'

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
  retryable: boolean
  retry_after_ms: number | null
  details: Record<string, unknown>
  audit_head: string | null
}

/**
 * Why a call was not done. The message is one sentence: what was asked, which rule said no, what to do next.
 *
 * @example
 * ```ts
 * import { createClient, SvcError } from '@svc/sdk'
 *
 * const client = createClient()
 * try {
 *   await client.max.audit_query({ limit: 1 })
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

  constructor(body: Partial<RefusalBody> & { code: ErrorCode; message: string }, cause?: unknown) {
    super(body.message, cause === undefined ? undefined : { cause })
    this.name = 'SvcError'
    this.code = body.code
    this.reason = body.reason ?? null
    this.stage = body.stage ?? null
    this.correlation_id = body.correlation_id ?? null
    this.retryable = body.retryable ?? false
    this.retry_after_ms = body.retry_after_ms ?? null
    this.details = body.details ?? {}
    this.audit_head = body.audit_head ?? null
  }
}

/** What an answer that is no 200 says; a proxy's page is not taken for an answer of the service. */
export function refusalOf(body: unknown, status: number, retry_after: string | null): SvcError {
  const error = (body as { error?: Partial<RefusalBody> } | null)?.error
  if (typeof error?.code !== 'string' || typeof error.message !== 'string') {
    return new SvcError({
      code: 'bad_answer',
      message: `The address answered ${status} with something that is no answer of svc; check apiUrl.`,
    })
  }
  const known = Object.hasOwn(refusals, error.code)
  const waited_ms = retry_after !== null && /^\d{1,9}$/.test(retry_after) ? Number(retry_after) * 1000 : null
  return new SvcError({
    ...error,
    code: known ? error.code : 'bad_answer',
    message: error.message,
    retry_after_ms: error.retry_after_ms ?? waited_ms,
  })
}
