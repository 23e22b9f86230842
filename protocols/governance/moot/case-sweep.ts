// Advances cases without a caller: panels, service, defaults, counting of votes, and execution of rulings.

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
} from '../cases/api.ts'
import { releaseSuspension } from '../moat/api.ts'
import { votesOf } from './case-papers.ts'
import { defaultChanges } from './case-progress.ts'
import { sweepService } from './case-service.ts'
import { tellAll } from './case-telling.ts'
import { eachCase } from './each-case.ts'
import { type DrawParts, sweepDraws } from './panel-draw.ts'
import { finishCase } from './remedy.ts'
import { lockForRemedy } from './remedy-locks.ts'
import { keepDecided, rulingBody, rulingChange } from './ruling-making.ts'

const batch_max = 64

/** As the engine's role. Returns how many were due; a full batch means there may be more. */
export async function sweepCases(db: Database, tick: Tick, court: DrawParts): Promise<number> {
  const faults: unknown[] = []
  const note = (fault: unknown) => void faults.push(fault)
  await sweepDraws(db, tick, court).catch(note)
  await sweepService(db, tick, court).catch(note)
  const due = await findDueCases(db, tick.now, batch_max)
  const work = (case_id: string) => db.transaction((transaction) => sweepCase(transaction, case_id, tick))
  await eachCase(due, work).catch(note)
  if (faults.length > 0) throw new AggregateError(faults, 'the cases could not all be brought up to date')
  return due.length
}

/** In a transaction of its own. */
export async function sweepCase(db: Database, case_id: string, tick: Tick): Promise<void> {
  const dispute = await lockCase(db, case_id)
  const advanced = advanceCase(dispute, tick.now)
  if (advanced.due === 'decision') return await closeVoting(db, dispute, tick)
  if (advanced.due === 'finish') return await finish(db, dispute, tick)
  await keepProgress(db, asAdvanced(dispute, advanced), advanced.next_at)
  if (advanced.state === 'DEFAULTED' && dispute.state !== 'DEFAULTED')
    await tellAll(db, dispute, 'CasePleaded', defaultChanges(dispute), {
      ...tick,
      correlation_id: tick.newId(),
    })
}

/** Missing votes no longer count. The ruling is not registered: there is no caller to sign the entry. */
async function closeVoting(db: Database, dispute: Case, tick: Tick): Promise<void> {
  const { now } = tick
  const votes = await votesOf(db, dispute.case_id)
  const body = rulingBody(dispute, decide(dispute.panel.length, votes, true)!, votes, now.toISOString())
  const correlation_id = tick.newId()
  const ruling: Ruling = { ruling_id: rulingIdOf(body), body, mars_ref: null, correlation_id }
  const after = await keepDecided(db, dispute, ruling, now)
  await tellAll(db, dispute, 'CaseRuled', rulingChange(after, ruling), { ...tick, correlation_id })
}

async function finish(db: Database, dispute: Case, tick: Tick): Promise<void> {
  const { now, newId } = tick
  const correlation_id = newId()
  await lockForRemedy(db, dispute)
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
  for (const { type, meta } of changes) await tellAll(db, dispute, type, meta, at, 'MADE')
  if (!remedy) return
  const { ruling, kind, state: outcome, result } = remedy
  const { case_id } = dispute
  await tellAll(db, dispute, 'CaseRemedyExecuted', { case_id, state, ruling, kind, outcome, ...result }, at)
}
