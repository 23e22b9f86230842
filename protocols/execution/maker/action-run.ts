// The MOON run of an action, read and cancelled by its rows: needs no permission or budget of its owner.
import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import { sql } from '@svc/database/sql'
import { cancelRun, type Executor, findRun, type OpenRun, restTopic, run_ref_start } from '../moon/api.ts'
import type { OpenAction } from './action-store.ts'
import type { ActionEnd } from './action-watch.ts'

const look_every_ms = 1_000

export type RunRows = Pick<Executor, 'transaction' | 'vaultOf' | 'change_notifications' | 'clock'>
type Named = Pick<OpenAction, 'tenant_id' | 'action_id' | 'owner_did'>

/** The action's own key: a repeated start finds the same run. Nobody else can tell it, and take it first. */
export function runKeyOf(vault: Vault, action_id: string): string {
  return `action ${vault.blind(`run of action ${action_id}`)}`
}

export async function findActionRun(rows: RunRows, action: Named): Promise<OpenRun | undefined> {
  const transaction = rows.transaction(action.tenant_id)
  try {
    const run = await runIn(transaction.db, rows, action)
    await transaction.commit([])
    return run
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

async function runIn(db: Database, { vaultOf }: RunRows, { tenant_id, action_id, owner_did }: Named) {
  const vault = vaultOf(tenant_id)
  // The second is that of runs begun before keys were blinded.
  const keys = [runKeyOf(vault, action_id), `action ${action_id}`].map((key) =>
    vault.blind(`run named ${key}`),
  )
  const row = await sql<{ run_id: string }>`SELECT run_id FROM moon_run
    WHERE tenant_id = ${tenant_id} AND run_key = ANY(${keys}::text[]) AND owner_did = ${owner_did}
    ORDER BY array_position(${keys}::text[], run_key) LIMIT 1`.first(db)
  return row && findRun({ db, tenant_id, vault }, row.run_id)
}

/** Completed steps are compensated. An ended run needs no cancelling. */
export async function cancelActionRun(rows: RunRows, action: Named): Promise<void> {
  const { change_notifications, clock } = rows
  const { tenant_id } = action
  const transaction = rows.transaction(tenant_id)
  const after: (() => Promise<void>)[] = []
  const place = {
    db: transaction.db,
    tenant_id,
    now: new Date(clock.now_ms()).toISOString(),
    change_notifications,
    afterCommit: (work: () => Promise<void>) => void after.push(work),
  }
  try {
    const run = await runIn(transaction.db, rows, action)
    if (run && !run.ended_at) await cancelRun(place, run, true)
    await transaction.commit([])
  } catch (error) {
    await transaction.rollback()
    throw error
  }
  for (const work of after) await work()
}

/** How it ended; undefined if following was aborted. */
export async function followActionRun(
  rows: RunRows,
  action: Named,
  signal: AbortSignal,
): Promise<ActionEnd | undefined> {
  const begun = await findActionRun(rows, action)
  if (!begun) return { state: 'failed', how: 'no run was started', error_code: 'internal' }
  const listening = rows.change_notifications.listen(restTopic(begun.run_id))
  try {
    while (!signal.aborted) {
      const run = await findActionRun(rows, action)
      if (run?.ended_at) return endOfRun(run)
      await listening.heard(look_every_ms, signal)
    }
    return undefined
  } finally {
    listening.close()
  }
}

function endOfRun({ run_id, state, output }: OpenRun): ActionEnd {
  const run_ref = run_ref_start + run_id
  return state === 'succeeded'
    ? { state, how: run_ref, error_code: null, ...(output !== undefined && { output }) }
    : { state: 'failed', how: `${run_ref} ${state}`, error_code: state }
}
