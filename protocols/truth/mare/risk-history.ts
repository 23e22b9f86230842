// How often an operation failed, from the tenant's own audit log. A refusal is not a failure.
import { findRecords } from '@svc/audit/query/records'
import { spanOf } from '@svc/audit/query/span'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'

const day_ms = 86_400_000
const days_of_year = 365
/** The newest suffice: more would hardly change the rate. */
const records_max = 5000
const endings = [
  'ProtocolInvocation',
  'Error',
  'RateLimitExceeded',
  'CircuitBreakerOpen',
  'SecurityViolation',
] as const

export interface History {
  readonly calls: number
  readonly failures: number
  readonly calls_per_year: number
}

export async function historyOf(
  { protocol, operation, window_days }: { protocol: string; operation: string; window_days: number },
  context: OperationContext<'audit_log'>,
): Promise<History> {
  const { db, tenant_id, now, audit_log } = context
  await audit_log.settled()
  const now_ms = Date.parse(now)
  const from = new Date(now_ms - window_days * day_ms).toISOString()
  const span = await spanOf(db, tenant_id, from, new Date(now_ms + day_ms).toISOString())
  const records = span
    ? await findRecords(db, tenant_id, {
        protocol: protocol.toUpperCase(),
        operation,
        event_types: endings,
        after_seq: span.first_seq - 1,
        newest_first: true,
        limit: records_max,
      })
    : []
  if (records.length === 0)
    throw refuse(
      'invalid_payload',
      `Your audit log has no call of ${protocol} ${operation} in the last ${window_days} days; ` +
        'name one that was made, or a longer window.',
      { reason: 'no_history', path: '/from_history' },
    )
  const oldest_ms = Math.min(...records.map(({ timestamp }) => Date.parse(timestamp)))
  const days =
    records.length < records_max ? window_days : Math.max((now_ms - oldest_ms) / day_ms, 1 / days_of_year)
  return {
    calls: records.length,
    failures: records.filter(({ outcome }) => outcome === 'error').length,
    calls_per_year: (records.length / days) * days_of_year,
  }
}
