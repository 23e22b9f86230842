// Changes without a caller are recorded in all chains concerned, under one correlation id.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { EventType } from '@svc/contract/audit/event'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import type { Dissolution } from './dissolution.ts'

interface Telling extends Tick {
  readonly db: Database
  readonly dissolution: Dissolution
}

export async function tellOf(
  { db, dissolution, now, newId }: Telling,
  event_type: EventType,
  meta: Record<string, unknown>,
  tenants: readonly string[],
): Promise<void> {
  const correlation_id = newId()
  for (const tenant_id of new Set(tenants))
    await leaveInOutbox(db, {
      id: newId(),
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
