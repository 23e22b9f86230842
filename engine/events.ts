// Records that stand beside a dispatch's own one: same correlation, same caller, own tag.
import type { AuditEntry } from '@svc/contract/audit-record'
import type { EventType } from '@svc/contract/event'
import type { TenantBook } from '@svc/contract/operation-context'
import type { Call } from './call.ts'
import type { Ports } from './ports.ts'

/** An event of this call, ready for the book or the outbox. */
export function eventOf(
  call: Call,
  ports: Ports,
  event_type: EventType,
  meta: Record<string, unknown>,
  outcome: AuditEntry['outcome'] = 'success',
): AuditEntry {
  return {
    id: ports.clock.uuid(),
    event_type,
    correlation_id: call.correlation_id,
    timestamp: call.timestamp,
    tenant_id: call.asked.credential.tenant_id,
    caller_did: call.asked.credential.did,
    protocol: call.registered?.facts.id,
    operation: call.operation?.name,
    outcome,
    latency_ms: 0,
    meta: { ...meta, origin: call.asked.origin },
  }
}

export function recordEvent(
  call: Call,
  ports: Ports,
  event_type: EventType,
  meta: Record<string, unknown>,
): void {
  ports.book.record(eventOf(call, ports, event_type, meta))
}

/** The same event in every chain it concerns. The database lets one into another chain only if it says in whose transaction it was written. */
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

/** A tenant's book as a handler has it: what it appends is told of this call. */
export function bookOf(call: Call, ports: Ports, tenant_id: string): TenantBook {
  const book = ports.book.forTenant(tenant_id)
  return {
    settled: () => book.settled(),
    sign: (bytes) => book.sign(bytes),
    openInputs: (hashes) => book.openInputs(hashes),
    seal: (order) => book.seal(order),
    append: (entry) => {
      const own = eventOf(call, ports, entry.event_type as EventType, entry.meta, entry.outcome)
      return book.append({ ...own, ...entry, meta: own.meta })
    },
  }
}
