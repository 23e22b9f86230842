// Login decisions are recorded like any other: in the audit log of the person's tenant, where known.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import type { DispatchEndpoint } from '../dispatch/refusal-recorder.ts'
import type { Person } from './ports.ts'

export interface Decision {
  readonly event_type: EventType
  readonly outcome: 'success' | 'refused'
  /** Names and reasons only: never a password, a code, a token, a cookie or a key. */
  readonly meta: Record<string, unknown>
}

/** Resolves when it is journalled: only then may the answer be sent. Refusals of unknown people are counted by address. */
export async function recordDecision(
  dispatch_endpoint: Pick<DispatchEndpoint, 'audit_log' | 'clock' | 'own' | 'sums'>,
  person: Pick<Person, 'tenant_id' | 'did'> | undefined,
  { event_type, outcome, meta }: Decision,
  address = '',
): Promise<void> {
  const tenant_id = person?.tenant_id ?? dispatch_endpoint.own.tenant_id
  await dispatch_endpoint.audit_log.ready(tenant_id)
  const entry: AuditEntry = {
    id: dispatch_endpoint.clock.uuid(),
    event_type,
    correlation_id: dispatch_endpoint.clock.uuid(),
    timestamp: new Date(dispatch_endpoint.clock.now_ms()).toISOString(),
    tenant_id,
    caller_did: person?.did ?? 'unauthenticated',
    outcome,
    latency_ms: 0,
    meta: { ...meta, origin: 'http' },
  }
  if (person || outcome === 'success') dispatch_endpoint.audit_log.record(entry)
  else dispatch_endpoint.sums.take(entry, { kind: 'unknown', id: address })
  await dispatch_endpoint.audit_log.written()
}
