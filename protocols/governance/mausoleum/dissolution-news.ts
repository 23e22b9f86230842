// What is done without a caller is told in the chains of all whom it concerns, under one correlation id.
import { randomUUID } from 'node:crypto'
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { EventType } from '@svc/contract/audit/event'
import type { Database } from '@svc/contract/database'
import type { Dissolution } from './dissolution.ts'

interface Telling {
  readonly db: Database
  readonly dissolution: Dissolution
  readonly now: Date
}

export async function tellOf(
  { db, dissolution, now }: Telling,
  event_type: EventType,
  meta: Record<string, unknown>,
  tenants: readonly string[],
): Promise<void> {
  const correlation_id = randomUUID()
  for (const tenant_id of new Set(tenants))
    await leaveInOutbox(db, {
      id: randomUUID(),
      event_type,
      correlation_id,
      timestamp: now.toISOString(),
      tenant_id,
      caller_did: dissolution.initiated_by,
      protocol: 'MAUSOLEUM',
      outcome: 'success',
      latency_ms: 0,
      meta: { ...meta, ...(tenant_id !== dissolution.tenant_id && { from_tenant: dissolution.tenant_id }) },
    })
}
