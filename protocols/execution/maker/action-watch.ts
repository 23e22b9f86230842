// The supervisor's queries: claim an action, keep it, end it, and take over from a dead supervisor.
import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import { sql } from '@svc/database/sql'
import { sealJson } from '../../cognition/content/api.ts'
import type { ActionState } from './action.ts'
import type { ActionRow } from './action-store.ts'

/** A supervisor silent for this long is dead, and so are its programs: they exit when their pipe closes. */
const silent_ms_max = 5_000

export interface Watched {
  readonly tenant_id: string
  readonly action_id: string
}

/** Authorised but not started, oldest first. The latch is checked at the start. */
export async function waitingActions(
  db: Database,
  limit: number,
  but_not_of: readonly string[],
): Promise<readonly Watched[]> {
  return sql<Watched>`SELECT tenant_id, action_id FROM maker_action
    WHERE state = 'authorised' AND tenant_id <> ALL(${[...but_not_of]}::text[])
    ORDER BY created_at LIMIT ${limit}`.all(db)
}

/** False if another supervisor has it, or it was stopped before it started. */
export async function takeAction(
  db: Database,
  { tenant_id, action_id }: Watched,
  supervisor: string,
  host: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE maker_action SET state = 'running', supervisor = ${supervisor}, host = ${host},
      started_at = now(), heartbeat_at = clock_timestamp()
    WHERE tenant_id = ${tenant_id} AND action_id = ${action_id} AND state = 'authorised'`.execute(db)
  return numAffectedRows > 0n
}

export async function noteProcess(
  db: Database,
  { tenant_id, action_id }: Watched,
  process_group: number,
): Promise<void> {
  await sql`UPDATE maker_action SET process_group = ${process_group}
    WHERE tenant_id = ${tenant_id} AND action_id = ${action_id}`.execute(db)
}

export type Beaten = Watched & Pick<ActionRow, 'state' | 'stop_mode'>

/** Heartbeat for all supervised actions; returns their states. Skips rows locked by a stop. */
export async function beat(db: Database, supervisor: string): Promise<readonly Beaten[]> {
  return sql<Beaten>`
    UPDATE maker_action SET heartbeat_at = clock_timestamp()
    WHERE (tenant_id, action_id) IN (
      SELECT tenant_id, action_id FROM maker_action
      WHERE supervisor = ${supervisor} AND ended_at IS NULL FOR UPDATE SKIP LOCKED)
    RETURNING tenant_id, action_id, state, stop_mode`.all(db)
}

/** Takes over the actions of dead supervisors. */
export async function takeOver(db: Database, supervisor: string, limit: number): Promise<void> {
  await sql`
    UPDATE maker_action SET supervisor = ${supervisor}, heartbeat_at = clock_timestamp()
    WHERE (tenant_id, action_id) IN (
      SELECT tenant_id, action_id FROM maker_action
      WHERE ended_at IS NULL AND supervisor IS NOT NULL AND supervisor <> ${supervisor}
        AND heartbeat_at < clock_timestamp() - ${silent_ms_max} * interval '1 millisecond'
      ORDER BY heartbeat_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`.execute(db)
}

export interface ActionEnd {
  readonly state: Exclude<ActionState, 'proposed' | 'authorised' | 'running' | 'stopping'>
  readonly how: string
  readonly error_code: string | null
  readonly output?: unknown
}

/** Undefined if over or taken over: an action ends once. An exit during a stop counts as stopped. */
export async function endAction(
  db: Database,
  vault: Vault,
  { tenant_id, action_id }: Watched,
  supervisor: string,
  end: ActionEnd,
  now: Date,
): Promise<ActionState | undefined> {
  const { state, how, error_code, output } = end
  const sealed = output === undefined ? null : sealJson(vault, `output ${action_id}`, output)
  const row = await sql<{ state: ActionState }>`
    UPDATE maker_action SET how = ${how}, error_code = ${error_code}, output = ${sealed},
      ended_at = ${state === 'stop_unconfirmed' ? null : now},
      state = CASE WHEN stop_ref IS NOT NULL AND ${state} IN ('succeeded', 'failed') THEN 'stopped' ELSE ${state} END
    WHERE tenant_id = ${tenant_id} AND action_id = ${action_id} AND supervisor = ${supervisor} AND ended_at IS NULL
    RETURNING state`.first(db)
  return row?.state
}
