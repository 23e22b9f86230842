// Records of what the engine does in a case without a caller.
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { EventType } from '@svc/contract/audit/event'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { type Case, tenantsOf } from '../cases/api.ts'

export interface Moment extends Tick {
  readonly correlation_id: string
}

/** To the chains of all three; contract changes only to those of the parties. */
export async function tellAll(
  db: Database,
  dispute: Case,
  event_type: EventType,
  meta: Record<string, unknown>,
  { correlation_id, now, newId }: Moment,
  protocol = 'MOOT',
): Promise<void> {
  const parties = [dispute.claimant.tenant_id, dispute.respondent.tenant_id]
  const tenants = protocol === 'MOOT' ? tenantsOf(dispute) : [...new Set(parties)]
  for (const tenant_id of tenants)
    await leaveInOutbox(db, {
      id: newId(),
      event_type,
      correlation_id,
      timestamp: now.toISOString(),
      tenant_id,
      caller_did: dispute[dispute.filed_by].did,
      protocol,
      outcome: 'success',
      latency_ms: 0,
      meta,
    })
}
