// Records beside a dispatch's own: same correlation and caller, own event type.

import type { EventMore, RecordName } from '@svc/contract/audit/audit-event'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { EventType } from '@svc/contract/audit/event'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { Call, Used } from '../call.ts'
import type { Ports } from '../ports.ts'

/** An event of this call, for the log or the outbox. Untrusted text goes under `supplied`, whatever the facts are called. */
export function eventOf(
  call: Call,
  ports: Ports,
  event_type: EventType,
  facts: Record<string, unknown>,
  { supplied, outcome = 'success', correlation_id = call.correlation_id }: EventMore = {},
): AuditEntry {
  const { supplied: _, ...engine } = facts
  if (call.trace && event_type === 'ToolInvoked') call.trace.tool_id = String(engine.tool_id)
  return {
    id: ports.clock.uuid(),
    event_type,
    correlation_id,
    timestamp: call.timestamp,
    tenant_id: call.asked.credential.tenant_id,
    caller_did: call.asked.credential.did,
    protocol: call.registered?.facts.id,
    operation: call.operation?.name,
    outcome,
    latency_ms: 0,
    meta: { ...engine, ...(supplied && { supplied }), origin: call.asked.origin },
  }
}

export function nameOf({ tenant_id, id: record_id, correlation_id }: AuditEntry): RecordName {
  return { tenant_id, record_id, correlation_id }
}

export function recordEvent(
  call: Call,
  ports: Ports,
  event_type: EventType,
  facts: Record<string, unknown>,
): void {
  ports.audit_log.record(eventOf(call, ports, event_type, facts))
}

/** The same event in every chain it concerns. The database accepts one into another chain only if it names the transaction's tenant. */
export function eventInChains(
  own: AuditEntry,
  also: readonly string[],
  from_tenant: string,
  { clock }: Pick<Ports, 'clock'>,
): AuditEntry[] {
  return [...new Set([own.tenant_id, ...also])].map((tenant_id) => ({
    ...own,
    id: tenant_id === own.tenant_id ? own.id : clock.uuid(),
    tenant_id,
    meta: { ...own.meta, ...(tenant_id === from_tenant ? {} : { from_tenant }) },
  }))
}

const events_max = 100
export const event_bytes_max = 64 * 1024
const kib = 1024
const ms_per_kib = 10

/** Each started KiB is charged like this many milliseconds of work. */
export function chargedEventMs(bytes: number): number {
  return Math.ceil(bytes / kib) * ms_per_kib
}

/** Counts an event, or refuses it: events recorded before it stay. */
export function countForeignEvent(used: Used, event_type: string, meta: unknown): void {
  const { events = 0, event_bytes = 0 } = used
  const bytes = event_bytes + Buffer.byteLength(event_type + canonicalJson(meta))
  if (events >= events_max || bytes > event_bytes_max)
    throw refuse(
      'policy_denied',
      `One call may record ${events_max} events of ${event_bytes_max} bytes in all, and this is more; record less.`,
      { reason: 'event limit' },
    )
  used.events = events + 1
  used.event_bytes = bytes
}
