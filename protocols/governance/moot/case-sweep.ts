// Advances cases without a caller: defaults, counting of votes, and execution of rulings.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { EventType } from '@svc/contract/audit/event'
import type { Database } from '@svc/contract/database'
import type { Tick } from '@svc/contract/tick'
import {
  advanceCase,
  asAdvanced,
  type Case,
  decide,
  findDueCases,
  keepProgress,
  lockCase,
  type Ruling,
  rulingIdOf,
  tenantsOf,
} from '../cases/api.ts'
import { releaseSuspension } from '../moat/api.ts'
import { votesOf } from './case-papers.ts'
import { defaultChanges } from './case-progress.ts'
import { finishCase } from './remedy.ts'
import { keepDecided, rulingBody, rulingChange } from './ruling-making.ts'

const batch_max = 64

/** As the engine's role. Returns how many were due; a full batch means there may be more. */
export async function sweepCases(db: Database, tick: Tick): Promise<number> {
  const faults: unknown[] = []
  const due = await findDueCases(db, tick.now, batch_max)
  // One transaction each: a failure must not block the others.
  for (const case_id of due)
    await db
      .transaction((transaction) => sweepCase(transaction, case_id, tick))
      .catch((fault: unknown) => faults.push(fault))
  if (faults.length > 0)
    throw new AggregateError(faults, `${faults.length} cases could not be brought up to date`)
  return due.length
}

async function sweepCase(db: Database, case_id: string, tick: Tick): Promise<void> {
  const dispute = await lockCase(db, case_id)
  const advanced = advanceCase(dispute, tick.now)
  if (advanced.due === 'decision') return await closeVoting(db, dispute, tick)
  if (advanced.due === 'finish') return await finish(db, dispute, tick)
  await keepProgress(db, asAdvanced(dispute, advanced), advanced.next_at)
  if (advanced.state === 'DEFAULTED' && dispute.state !== 'DEFAULTED')
    await tell(db, dispute, 'CasePleaded', defaultChanges(dispute), { ...tick, correlation_id: tick.newId() })
}

/** Missing votes no longer count. The ruling is not registered: there is no caller to sign the entry. */
async function closeVoting(db: Database, dispute: Case, tick: Tick): Promise<void> {
  const { now } = tick
  const votes = await votesOf(db, dispute.case_id)
  const body = rulingBody(dispute, decide(dispute.panel.length, votes, true)!, votes, now.toISOString())
  const correlation_id = tick.newId()
  const ruling: Ruling = { ruling_id: rulingIdOf(body), body, mars_ref: null, correlation_id }
  const after = await keepDecided(db, dispute, ruling, now)
  await tell(db, dispute, 'CaseRuled', rulingChange(after, ruling), { ...tick, correlation_id })
}

async function finish(db: Database, dispute: Case, tick: Tick): Promise<void> {
  const { now, newId } = tick
  const correlation_id = newId()
  // Locked before contracts and the ledger, in the same order as in filing, to avoid a deadlock.
  if (dispute.treaty_id !== null)
    await releaseSuspension(db, dispute.treaty_id, `moot://case/${dispute.case_id}`, now)
  const { remedy, changes } = await finishCase(db, dispute, {
    correlation_id,
    at: now.toISOString(),
    newId,
  })
  const state =
    dispute.state !== 'RULED' ? dispute.state : remedy?.state === 'EXECUTED' ? 'REMEDIED' : 'CLOSED'
  await keepProgress(db, { ...dispute, state, closed_at: now }, null)
  if (dispute.treaty_id !== null)
    await releaseSuspension(db, dispute.treaty_id, `moot://case/${dispute.case_id}`, now)
  const at = { correlation_id, now, newId }
  for (const { type, meta } of changes) await tell(db, dispute, type, meta, at, 'MADE')
  if (!remedy) return
  const { ruling, kind, state: outcome, result } = remedy
  const { case_id } = dispute
  await tell(db, dispute, 'CaseRemedyExecuted', { case_id, state, ruling, kind, outcome, ...result }, at)
}

interface Moment extends Tick {
  readonly correlation_id: string
}

/** To the chains of all three; contract changes only to those of the parties. */
async function tell(
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
