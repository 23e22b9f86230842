// Approvals end on time without a caller: that is recorded once, and old ones are deleted.
import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { type DueApproval, findDue, forgetEnded, markExpired } from './approval-store.ts'

const batch_max = 64
const forgotten_at_once_max = 256
const kept_ms = 90 * 86_400_000

/** As the engine's role. Returns how many were due; a full batch means there may be more. */
export async function sweepApprovals(db: Database, tick: Tick): Promise<number> {
  const due = await findDue(db, tick.now, batch_max)
  for (const approval of due) await db.transaction((transaction) => expire(transaction, approval, tick))
  await forgetEnded(db, new Date(tick.now.getTime() - kept_ms), forgotten_at_once_max)
  return due.length
}

async function expire(db: Database, approval: DueApproval, { now, newId }: Tick): Promise<void> {
  const { tenant_id, approval_id, caller_did, correlation_id, protocol, operation, state } = approval
  const reason = state === 'PENDING' ? 'not decided in time' : 'not used in time'
  if (!(await markExpired(db, tenant_id, approval_id, now, reason))) return
  await leaveInOutbox(db, {
    id: newId(),
    event_type: 'ApprovalExpired',
    correlation_id,
    timestamp: now.toISOString(),
    tenant_id,
    caller_did,
    protocol: 'MAXIM',
    outcome: 'success',
    latency_ms: 0,
    meta: { approval_id, protocol, operation, reason },
  })
}
