// Entries of simulated calls, the same in each run of a seed.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { World } from '../world.ts'

export function newEntry(world: World, tenant_id: string): AuditEntry {
  return {
    id: world.random.uuid(),
    event_type: 'ProtocolInvocation',
    correlation_id: world.random.uuid(),
    timestamp: new Date(world.now_ms).toISOString(),
    tenant_id,
    caller_did: `did:oas:${tenant_id}:agent:${'a'.repeat(64)}`,
    protocol: 'MAX',
    operation: 'audit_query',
    outcome: 'success',
    latency_ms: 1,
    meta: {},
  }
}
