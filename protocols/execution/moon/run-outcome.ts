// What the outcome of an attempt means for its step. Temporary refusals are retried without counting.
import type { RefusalCode } from '@svc/contract/refusal'
import { refusals } from '@svc/contract/refusal'
import { isRetried, type PlannedProtocol, retryDelay, type StepRecord } from '../recipes/api.ts'

const wait_ms_default = 1_000
const runway_wait_ms = 15_000
const approval_wait_ms = 5_000
export const cut_off = 'caller left'
const runway_reasons: ReadonlySet<unknown> = new Set(['tenant runway exhausted', 'runway exhausted'])
const not_now: ReadonlySet<RefusalCode> = new Set([
  'rate_limited',
  'idempotency_in_flight',
  'no_endpoint_available',
  'circuit_open',
  'unavailable',
  'draining',
])

/** Any other reason with this code is final: nobody decided in time. */
const approval_pending = 'approval required'

export type Performed =
  | {
      readonly kind: 'done'
      readonly output: unknown
      readonly record_id: string
      readonly elapsed_ms: number
    }
  | {
      readonly kind: 'refused'
      readonly code: RefusalCode
      readonly message: string
      readonly details: Readonly<Record<string, unknown>>
      readonly record_id: string | null
      readonly elapsed_ms: number
      /** It had claimed its key, so no attempt before it was committed. */
      readonly has_claimed?: boolean
    }

/** Work that goes on after its call was answered, and since when the step asks how it ends. */
export interface Asking {
  readonly subject: unknown
  readonly since: string
}

/** How many calls of a step were answered without success. */
export function answersOf(metadata: StepRecord['metadata']): number {
  return typeof metadata?.answered === 'number' ? metadata.answered : 0
}

export type Refused = Extract<Performed, { kind: 'refused' }>

export type Verdict =
  | { readonly verdict: 'succeeded' }
  | { readonly verdict: 'failed' }
  /** Retry after this many ms; `counts` if it used up an attempt. */
  | {
      readonly verdict: 'again'
      readonly after_ms: number
      readonly counts: boolean
      readonly waiting_on: Waiting
    }
  /** Unknown outcome: a signal must report it. */
  | { readonly verdict: 'unknown' }

type Waiting = 'timer' | 'runway' | 'approval'

interface Tried {
  readonly step: Pick<PlannedProtocol, 'retry' | 'on_unknown'>
  readonly attempt: number
  /** Its effect cannot be rolled back. */
  readonly is_outside: boolean
  readonly seed: string
}

export function judge(performed: Performed, tried: Tried): Verdict {
  if (performed.kind === 'done') return { verdict: 'succeeded' }
  const postponed = postponement(performed, tried)
  if (postponed) return postponed
  // A call that was cut off may still have been performed.
  const broke = refusals[performed.code].outcome === 'error' || performed.details.reason === cut_off
  if (!broke) return { verdict: 'failed' }
  if (tried.is_outside && performed.details.performed !== 'no') return judgeUnknown(tried)
  return tryAgain(tried, performed.code)
}

/** An intent without a result: after a crash, or when an external service failed midway. */
export function judgeUnknown(tried: Tried): Verdict {
  const { on_unknown = 'escalate' } = tried.step
  if (on_unknown === 'escalate') return { verdict: 'unknown' }
  return on_unknown === 'fail' ? { verdict: 'failed' } : tryAgain(tried)
}

/** Without an error type only the number of attempts counts: `on_unknown` has said what is to be done. */
function tryAgain({ step: { retry }, attempt, seed }: Tried, error_type?: string): Verdict {
  const is_left = error_type === undefined ? attempt <= retry.max : isRetried(retry, attempt, error_type)
  if (!is_left) return { verdict: 'failed' }
  return { verdict: 'again', after_ms: retryDelay(retry, attempt, seed), counts: true, waiting_on: 'timer' }
}

/** It was sent for commit and never confirmed. */
export function isUnconfirmed(details: unknown): boolean {
  return (details as { outcome?: unknown } | undefined)?.outcome === 'unknown'
}

/** An attempt was never confirmed or is not over, and no later one has shown that it was not committed. */
export function mayBeDone({ error, metadata }: Pick<StepRecord, 'error' | 'metadata'>): boolean {
  return (
    metadata?.may_be_done === true || isUnconfirmed((error as { details?: unknown } | undefined)?.details)
  )
}

/** Whether a step may be done after this refusal: also by an attempt before it, which is what has its key in flight. */
export function staysInDoubt(before: StepRecord, { code, details, has_claimed }: Refused): boolean {
  if (isUnconfirmed(details) || code === 'idempotency_in_flight') return true
  return mayBeDone(before) && !has_claimed
}

function postponement(
  { code, details }: Refused,
  { is_outside }: Pick<Tried, 'is_outside'>,
): Verdict | undefined {
  if (runway_reasons.has(details.reason))
    return { verdict: 'again', after_ms: runway_wait_ms, counts: false, waiting_on: 'runway' }
  if (code === 'approval_required' && details.reason === approval_pending)
    return { verdict: 'again', after_ms: approval_wait_ms, counts: false, waiting_on: 'approval' }
  // The same key finds out whether our own rows were committed, so the step must not be given up before it is asked.
  if (!not_now.has(code) || (is_outside && isUnconfirmed(details))) return undefined
  const { retry_after_ms } = details
  const after_ms = typeof retry_after_ms === 'number' && retry_after_ms > 0 ? retry_after_ms : wait_ms_default
  return { verdict: 'again', after_ms, counts: false, waiting_on: 'timer' }
}
