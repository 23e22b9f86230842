// Billing periods: half-open, in UTC, whole months for invoices.
import { isMoment } from '@svc/contract/moment'
import { refuse } from '@svc/contract/refusal'

export interface BillingPeriod {
  readonly from_ms: number
  readonly to_ms: number
}

const day_ms = 86_400_000
const days_max = 400

/** The schema checks the format, not whether the date exists. */
export function periodOf({ from, to }: { readonly from: string; readonly to: string }): BillingPeriod {
  const period = { from_ms: momentOf(from, '/period/from'), to_ms: momentOf(to, '/period/to') }
  const length_ms = period.to_ms - period.from_ms
  if (length_ms > 0 && length_ms <= days_max * day_ms) return period
  throw refuse(
    'invalid_payload',
    `A period begins before it ends and lasts ${days_max} days at most; ${from} to ${to} does not.`,
    {
      reason: 'bad_period',
      faults: [{ pointer: '/period', message: `must be longer than 0 and at most ${days_max} days` }],
    },
  )
}

export function momentOf(text: string, pointer: string): number {
  if (isMoment(text)) return Date.parse(text)
  throw refuse('invalid_payload', `${text} is a moment that does not exist; name a real one.`, {
    reason: 'no_such_moment',
    faults: [{ pointer, message: 'is no moment that exists' }],
  })
}

/** The start of the calendar month that is this many months after the given time. */
export function monthStart(ms: number, months_later = 0): number {
  const date = new Date(ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months_later)
}
