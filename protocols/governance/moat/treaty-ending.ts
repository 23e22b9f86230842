// Ends a treaty: by one party, by a court or by the engine.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import type { NewIds, Tick } from '@svc/contract/tick'
import { openContractsUnder } from '../../economic/contracts/api.ts'
import { advance, type Notice, type Step, type StoredTreaty, stepTo, tenantsOf } from './treaty.ts'
import { openHead, openTreaty, requireHome, requireVoice, take } from './treaty-progress.ts'
import { isPending } from './treaty-states.ts'
import { findHead, findLast, findLine, findPending, keepState, lockTreaty } from './treaty-store.ts'

interface Wish {
  readonly treaty_id: string
  readonly reason: string
}

/** Either party, at any time. Any id of the line ends the treaty in force; an unsigned one is withdrawn. */
export async function terminate({ treaty_id, reason }: Wish, context: OperationContext<'charter'>) {
  requireHome(context, 'terminate it')
  const named = await openTreaty(context, treaty_id)
  await requireVoice(context, named, 'terminate')
  const by = context.caller.did
  // A proposal affects only itself: withdrawing it twice must not end the treaty it would have amended.
  const is_own = named.activated_at === null
  const living = is_own ? isPending(named.state) && named : await openHead(context, named.root_id)
  const ended = living && (await endInCall(context, living, { by, reason }))
  const last = ended || (is_own ? named : await findLast(context.db, named.root_id))
  return {
    treaty_id: last.id,
    state: last.state,
    terminated_at: (last.ended_at ?? new Date(context.now)).toISOString(),
    open_obligations: await openObligations(context.db, named.root_id),
  }
}

async function endInCall(
  context: OperationContext,
  treaty: StoredTreaty,
  ending: { by: string; reason: string },
): Promise<StoredTreaty> {
  const at = new Date(context.now)
  for (const step of await lapses(context.db, treaty, at)) await take(context, step)
  return take(context, endOf(treaty, at, ending.by), ending)
}

/** A proposal is withdrawn; a signed treaty is terminated. */
function endOf(treaty: StoredTreaty, at: Date, by: string): Step {
  const state = isPending(treaty.state) ? 'WITHDRAWN' : 'TERMINATED'
  return stepTo(treaty, 'Terminated', { state, ended_at: at }, { by })
}

/** Pending amendments of an ended treaty lapse. */
async function lapses(db: Database, treaty: StoredTreaty, at: Date): Promise<Step[]> {
  if (isPending(treaty.state)) return []
  const pending = await findPending(db, treaty.root_id, treaty.id)
  return pending.map((amendment) =>
    stepTo(amendment, 'TreatyExpired', { state: 'LAPSED', ended_at: at }, { superseded_by: null }),
  )
}

/** Contracts that stay due although their treaty has ended. */
async function openObligations(db: Database, root_id: string): Promise<string[]> {
  const ids = (await findLine(db, root_id)).map(({ id }) => id)
  return (await openContractsUnder(db, ids)).map((contract_id) => `made://contract/${contract_id}`)
}

export interface Termination extends NewIds {
  /** Who or what ended it: a DID, or a reference to the ruling. */
  readonly by: string
  readonly reason: string
  readonly at: Date | string
}

export interface Terminated {
  readonly treaty_id: string
  readonly state: StoredTreaty['state']
  readonly terminated_at: Date
}

/** As the engine's role, in the caller's transaction: rulings, dissolutions. Ended treaties stay so. */
export async function terminateTreaty(
  db: Database,
  treaty_id: string,
  { by, reason, at: moment, newId }: Termination,
): Promise<Terminated> {
  const at = new Date(moment)
  const named = await lockTreaty(db, treaty_id)
  if (!named) throw notFound('treaty', treaty_id)
  const treaty = named.activated_at === null ? named : ((await findHead(db, named.root_id)) ?? named)
  const steps = advance(treaty, at)
  const current = steps.at(-1)?.treaty ?? treaty
  if (current.ended_at === null) {
    for (const step of await lapses(db, current, at)) steps.push(step)
    steps.push(endOf(current, at, by))
  }
  for (const step of steps) await takeAsEngine(db, step, { now: at, newId }, { by, reason })
  const is_own = treaty.activated_at === null
  const last = steps.at(-1)?.treaty ?? (is_own ? treaty : await findLast(db, named.root_id))
  return { treaty_id: last.id, state: last.state, terminated_at: last.ended_at ?? at }
}

/** Stores a change without a caller and notifies both chains. */
export async function takeAsEngine(
  db: Database,
  { treaty, notice }: Step,
  tick: Tick,
  ending?: { by: string; reason: string },
): Promise<void> {
  await keepState(
    db,
    treaty,
    treaty.state === 'TERMINATED' || treaty.state === 'WITHDRAWN' ? ending : undefined,
  )
  await leaveChanges(db, treaty, notice, tick)
}

async function leaveChanges(
  db: Database,
  treaty: StoredTreaty,
  { type, meta }: Notice,
  { now, newId }: Tick,
): Promise<void> {
  const correlation_id = newId()
  for (const tenant_id of tenantsOf(treaty)) {
    await leaveInOutbox(db, {
      id: newId(),
      event_type: type,
      correlation_id,
      timestamp: now.toISOString(),
      tenant_id,
      caller_did: treaty.proposed_by,
      protocol: 'MOAT',
      outcome: 'success',
      latency_ms: 0,
      meta,
    })
  }
}

/** A suspension does not end by itself while a case about it is open. Idempotent. */
export async function holdSuspension(db: Database, treaty_id: string, case_ref: string): Promise<void> {
  await changeCases(db, treaty_id, (open) => [...new Set([...open, case_ref])])
}

/** The case has ended: the treaty resumes if its thirty days of suspension have passed. */
export async function releaseSuspension(
  db: Database,
  treaty_id: string,
  case_ref: string,
  at: Date | string,
): Promise<void> {
  await changeCases(db, treaty_id, (open) => open.filter((ref) => ref !== case_ref), new Date(at))
}

async function changeCases(
  db: Database,
  treaty_id: string,
  change: (open: readonly string[]) => readonly string[],
  at?: Date,
): Promise<void> {
  const named = await lockTreaty(db, treaty_id)
  const head = named && (await findHead(db, named.root_id))
  if (!head) return
  const { suspended } = head
  const is_held = head.state === 'SUSPENDED' && suspended && at !== undefined && at > suspended.until
  const suspension = is_held ? { ...suspended, until: at } : suspended
  await keepState(db, { ...head, suspended: suspension, open_cases: change(head.open_cases) })
}

/** A court ends a suspension, as the engine's role. False if there is none. */
export async function resumeTreaty(
  db: Database,
  treaty_id: string,
  { by, at: moment, newId }: Omit<Termination, 'reason'>,
): Promise<boolean> {
  const at = new Date(moment)
  const named = await lockTreaty(db, treaty_id)
  const head = named && (await findHead(db, named.root_id))
  if (head?.state !== 'SUSPENDED' || advance(head, at).length > 0) return false
  await takeAsEngine(db, resumption(head, at, by), { now: at, newId })
  return true
}

export function resumption(treaty: StoredTreaty, at: Date, by: string): Step {
  const suspended = treaty.suspended && { ...treaty.suspended, until: at }
  return stepTo(treaty, 'TreatyResumed', { state: 'ACTIVE', suspended }, { by })
}
