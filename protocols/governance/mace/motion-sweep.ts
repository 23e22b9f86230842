// Advances motions without a caller, with the same result as in a call.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { advance, type DueMotion, findDueMotions, keepState, lapseOf, lockMotion } from '../motions/api.ts'

const batch_max = 64

/** As the engine's role. Returns how many were due; a full batch means there may be more. */
export async function sweepMotions(db: Database, tick: Tick): Promise<number> {
  const due = await findDueMotions(db, tick.now, batch_max)
  const faults: unknown[] = []
  // One transaction each: a failure must not block the others.
  for (const motion of due)
    await db
      .transaction((transaction) => sweepMotion(transaction, motion, tick))
      .catch((fault: unknown) => faults.push(fault))
  if (faults.length > 0)
    throw new AggregateError(faults, `${faults.length} motions could not be brought up to date`)
  return due.length
}

async function sweepMotion(
  db: Database,
  { tenant_id, motion_id }: DueMotion,
  { now, newId }: Tick,
): Promise<void> {
  const motion = await lockMotion(db, tenant_id, motion_id)
  if (!motion) return
  const advanced = advance(motion, now)
  await keepState(db, motion, advanced)
  // Another engine or a caller has already recorded it.
  if (advanced.state === motion.state) return
  await leaveInOutbox(db, {
    id: newId(),
    event_type: 'MotionLapsed',
    correlation_id: newId(),
    timestamp: now.toISOString(),
    tenant_id,
    caller_did: motion.body.convened_by,
    protocol: 'MACE',
    outcome: 'success',
    latency_ms: 0,
    meta: lapseOf(motion),
  })
}
