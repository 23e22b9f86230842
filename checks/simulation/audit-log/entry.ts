// Entries of simulated calls, the same in each run of a seed.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { World } from '../world.ts'

const hour_ms = 3_600_000

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

/** With names and times to search by; some were made long before. */
export function variedEntry(world: World, tenant_id: string, correlation_id?: string): AuditEntry {
  const { random } = world
  const entry = newEntry(world, tenant_id)
  return {
    ...entry,
    correlation_id: correlation_id ?? entry.correlation_id,
    timestamp: new Date(
      world.now_ms - (random.chance(0.002) ? 2 * hour_ms : random.below(1_000)),
    ).toISOString(),
    protocol: random.pick(protocols),
    outcome: random.chance(0.01) ? 'refused' : 'success',
  }
}

export const protocols = ['MAX', 'MOAT', 'MIND']
