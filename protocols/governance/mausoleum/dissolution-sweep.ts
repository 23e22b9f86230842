// Runs dissolutions on schedule: each step in its own transaction, continued after a crash.

import type { Database } from '@svc/contract/database'
import { Refusal } from '@svc/contract/refusal'
import type { Tick } from '@svc/contract/tick'
import {
  cancelOrdersOf,
  findOpenContracts,
  hasBalances,
  hasOpenOrders,
  releaseAll,
} from '../../economic/estate/api.ts'
import { type Dissolution, nextStep, type Step, stateAfter, steps } from './dissolution.ts'
import { distribute, sealBlockers, type Undertaking, work } from './dissolution-steps.ts'
import {
  doneSteps,
  findDissolution,
  findDueDissolutions,
  keepBlocked,
  keepStep,
  tryLockDissolution,
} from './dissolution-store.ts'

const batch_max = 16

export interface SweepParts extends Pick<Undertaking, 'operator_tenant_id' | 'sign'> {
  /** For fault tests: called inside each step's transaction, and right after it. */
  readonly disturb?: (step: Step, moment: 'within' | 'after') => void | Promise<void>
}

/** As the engine's role. Returns the number of steps done. */
export async function sweepDissolutions(db: Database, tick: Tick, parts: SweepParts): Promise<number> {
  const faults: unknown[] = []
  let taken = 0
  for (const id of await findDueDissolutions(db, tick.now, batch_max)) {
    try {
      // At most one pass over the steps; the rest follows in the next sweep.
      for (const _ of steps) {
        if (!(await takeStep(db, id, tick, parts))) break
        taken++
      }
      await lookAfter(db, id, tick, parts)
    } catch (fault) {
      faults.push(fault)
    }
  }
  if (faults.length > 0) throw new AggregateError(faults, `${faults.length} dissolutions could not go on`)
  return taken
}

/** False if nothing is due or something blocks it. */
async function takeStep(db: Database, id: string, tick: Tick, parts: SweepParts): Promise<boolean> {
  const { now } = tick
  const found_dissolution = await findDissolution(db, id)
  const step = found_dissolution && nextStep(found_dissolution, await doneSteps(db, id), now)
  if (!step) return false
  try {
    // One order book at a time, so that no market is blocked for long.
    if (step === 'orders') await cancelOrdersOf(db, found_dissolution.tenant_id, tick)
    const is_done = await db.transaction(async (transaction) => {
      const dissolution = await tryLockDissolution(transaction, id)
      const done = await doneSteps(transaction, id)
      if (!dissolution || nextStep(dissolution, done, now) !== step) return false
      const { operator_tenant_id, sign } = parts
      const detail = await work[step]({ db: transaction, dissolution, ...tick, operator_tenant_id, sign })
      await keepStep(transaction, dissolution, { step, detail, state: stateAfter(done.add(step)), at: now })
      await parts.disturb?.(step, 'within')
      return true
    })
    await parts.disturb?.(step, 'after')
    return is_done
  } catch (fault) {
    await keepBlocked(db, id, { step, reason: reasonOf(fault) })
    if (fault instanceof Refusal) return false
    throw fault
  }
}

function reasonOf(fault: unknown): string {
  if (fault instanceof Refusal) return fault.details.reason ?? fault.code
  return 'an internal error occurred; the engine will retry'
}

/** Assets received while waiting for the seal are distributed like those before. */
async function lookAfter(db: Database, id: string, tick: Tick, parts: SweepParts): Promise<void> {
  const dissolution = await findDissolution(db, id)
  if (dissolution?.state !== 'READY_TO_SEAL') return
  const { tenant_id } = dissolution
  try {
    if (await hasOpenOrders(db, tenant_id)) await cancelOrdersOf(db, tenant_id, tick)
    if ((await findOpenContracts(db, tenant_id)).length > 0)
      await whileReady(db, id, ({ tenant_id }, within) => releaseAll(within, tenant_id, tick))
    if (await hasBalances(db, tenant_id))
      await whileReady(db, id, (dissolution, within) => {
        const { operator_tenant_id, sign } = parts
        return distribute({ db: within, dissolution, ...tick, operator_tenant_id, sign })
      })
    const blockers = await sealBlockers(db, tenant_id)
    await keepBlocked(db, id, blockers.length > 0 ? { step: 'seal', reason: blockers.join('; ') } : null)
  } catch (fault) {
    await keepBlocked(db, id, { step: 'seal', reason: reasonOf(fault) })
    if (!(fault instanceof Refusal)) throw fault
  }
}

/** One posting per transaction: while the ledger is locked, nothing else is waited for. */
async function whileReady(
  db: Database,
  id: string,
  work: (dissolution: Dissolution, within: Database) => Promise<unknown>,
): Promise<void> {
  await db.transaction(async (within) => {
    const dissolution = await tryLockDissolution(within, id)
    if (dissolution?.state === 'READY_TO_SEAL') await work(dissolution, within)
  })
}
