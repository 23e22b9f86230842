// Service of process: the other side has the case in a mailbox, or has read it. Without proof of it there is no default.
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import type { Tick } from '@svc/contract/tick'
import {
  type Case,
  findUnserved,
  keepService,
  keepServiceTried,
  lockCase,
  otherCaseSide,
  plead_ms,
  tenantsOf,
} from '../cases/api.ts'
import { type CourtMail, leaveMail } from './case-mail.ts'
import { tellAll } from './case-telling.ts'
import { eachCase } from './each-case.ts'

const batch_max = 64
/** A full mailbox is tried again after this time. */
const retry_ms = 3_600_000
const served_told_max = 16

/** As the engine's role. Returns how many waited. */
export async function sweepService(db: Database, tick: Tick, mail: CourtMail): Promise<number> {
  const waiting = await findUnserved(db, new Date(tick.now.getTime() - retry_ms), batch_max)
  await eachCase(waiting, async (case_id) => {
    // Noted first, so that one that cannot be delivered does not stand before the others.
    await keepServiceTried(db, case_id, tick.now)
    await db.transaction((transaction) => serve(transaction, case_id, tick, mail))
  })
  return waiting.length
}

/** To the party itself and to all who may answer for its organization: no one of them can be chosen because it does not read. */
async function serve(db: Database, case_id: string, tick: Tick, mail: CourtMail): Promise<void> {
  const dispute = await lockCase(db, case_id)
  if (dispute.served_at !== null || dispute.state !== 'FILED') return
  const { did, tenant_id } = dispute[otherCaseSide(dispute.filed_by)]
  const plead_by = new Date(tick.now.getTime() + plead_ms)
  const to = [did, ...(await mail.membersOf(db, tenant_id))]
  const more = { plead_by: plead_by.toISOString(), answer_with: 'MOOT plead' }
  const reached = await leaveMail(db, dispute, { event: 'filed', to, more }, tick, mail)
  if (reached.length === 0) return
  const served = { ...dispute, served_at: tick.now, plead_by }
  await keepService(db, served, reached)
  await tellAll(db, dispute, 'CaseServed', serviceChange(served, 'mail', reached), {
    ...tick,
    correlation_id: tick.newId(),
  })
}

/** Who reads a case before it was delivered is served by that. */
export async function servedByReading(
  context: OperationContext<'charter'>,
  dispute: Case,
  is_other_side: boolean,
): Promise<Case> {
  if (!is_other_side || dispute.served_at !== null || dispute.state !== 'FILED') return dispute
  const now = new Date(context.now)
  const served = { ...dispute, served_at: now, plead_by: new Date(now.getTime() + plead_ms) }
  await keepService(context.db, served, [context.caller.did])
  context.audit('CaseServed', serviceChange(served, 'read', [context.caller.did]), {
    also: tenantsOf(dispute),
  })
  return served
}

function serviceChange({ case_id, plead_by }: Case, by: 'mail' | 'read', served_to: readonly string[]) {
  return {
    case_id,
    by,
    served_to: served_to.slice(0, served_told_max),
    served_count: served_to.length,
    plead_by: plead_by.toISOString(),
  }
}
