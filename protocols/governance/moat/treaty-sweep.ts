// Advances treaties on time without a caller, with the same result, and notifies both parties.

import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import { advance } from './treaty.ts'
import { takeAsEngine } from './treaty-ending.ts'
import { findDueTreaties, lockTreaty } from './treaty-store.ts'

const batch_max = 64

/** As the engine's role. Returns how many were due; a full batch means there may be more. */
export async function sweepTreaties(db: Database, tick: Tick): Promise<number> {
  const faults: unknown[] = []
  const due = await findDueTreaties(db, tick.now, batch_max)
  // One transaction each: a failure must not block the others.
  for (const id of due)
    await db
      .transaction((transaction) => sweepTreaty(transaction, id, tick))
      .catch((fault: unknown) => faults.push(fault))
  if (faults.length > 0)
    throw new AggregateError(faults, `${faults.length} treaties could not be brought up to date`)
  return due.length
}

async function sweepTreaty(db: Database, id: string, tick: Tick): Promise<void> {
  const treaty = await lockTreaty(db, id)
  if (!treaty) return
  for (const step of advance(treaty, tick.now)) await takeAsEngine(db, step, tick)
}
