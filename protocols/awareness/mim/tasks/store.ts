// Rows of tasks and their steps.
import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import type { SealedBox } from '@svc/contract/needs/vault'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import { counted_max, kept_days, open_tasks_max } from './limits.ts'
import { ended_states, type TaskState } from './task.ts'

const forgotten_at_once = 200
const rounds_max = 100

export interface TaskRow {
  readonly task_id: string
  readonly agent_did: string
  readonly state: TaskState
  readonly steps: number
  readonly bytes: number
  readonly created_at: Date
  readonly changed_at: Date
  readonly context_sealed: Buffer
  readonly context_wrapped: Buffer
  readonly context_key: string
}

interface Rows {
  readonly db: Database
  readonly tenant_id: string
}

export interface NewTask {
  readonly task_id: string
  readonly caller_did: string
  readonly agent_did: string
  readonly context: SealedBox
  readonly context_key: string
  readonly at: string
}

export async function insertTask({ db, tenant_id }: Rows, task: NewTask): Promise<void> {
  const { task_id, caller_did, agent_did, context, context_key, at } = task
  await sql`
    INSERT INTO mim_tasks (tenant_id, task_id, caller_did, agent_did, context_sealed, context_wrapped, context_key,
      state, created_at, changed_at)
    VALUES (${tenant_id}, ${task_id}, ${caller_did}, ${agent_did}, ${context.sealed}, ${context.wrapped_key},
      ${context_key}, 'submitted', ${at}, ${at})`.execute(db)
}

/** Whether one more would be too many. Locked until the commit, so that those sent at once count against each other. */
export async function hasTooMany({ db, tenant_id }: Rows, caller_did: string): Promise<boolean> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`tasks|${tenant_id}|${caller_did}`}, 0))`.execute(
    db,
  )
  const ended = [...ended_states]
  const rows = await sql<{ open: number }>`
    SELECT count(*)::integer AS open FROM (SELECT FROM mim_tasks WHERE tenant_id = ${tenant_id}
      AND caller_did = ${caller_did} AND state <> ALL(${ended}::text[]) LIMIT ${open_tasks_max}) t`.all(db)
  return rows[0]!.open >= open_tasks_max
}

export interface Mine {
  readonly caller_did: string
  readonly agent_did?: string | undefined
}

/** Only of this caller: to others it does not exist. */
export async function findTask(
  { db, tenant_id }: Rows,
  task_id: string,
  { caller_did, agent_did }: Mine,
): Promise<TaskRow | undefined> {
  const of_agent = agent_did === undefined ? sql`` : sql`AND agent_did = ${agent_did}`
  return sql<TaskRow>`
    SELECT task_id, agent_did, state, steps, bytes, created_at, changed_at, context_sealed, context_wrapped,
      context_key
    FROM mim_tasks WHERE tenant_id = ${tenant_id} AND task_id = ${task_id} AND caller_did = ${caller_did}
      ${of_agent}`.first(db)
}

export interface TaskFilter extends Mine {
  readonly context_key?: string | undefined
  readonly state?: TaskState | undefined
}

function filtersOf({ caller_did, agent_did, context_key, state }: TaskFilter) {
  return [
    sql`caller_did = ${caller_did}`,
    ...(agent_did === undefined ? [] : [sql`agent_did = ${agent_did}`]),
    ...(context_key === undefined ? [] : [sql`context_key = ${context_key}`]),
    ...(state === undefined ? [] : [sql`state = ${state}`]),
  ]
}

/** The last changed first. */
export async function listTasks(
  { db, tenant_id }: Rows,
  filter: TaskFilter,
  bounds: Bounds,
): Promise<TaskRow[]> {
  return sql<TaskRow>`
    SELECT task_id, agent_did, state, steps, bytes, created_at, changed_at, context_sealed, context_wrapped,
      context_key
    FROM mim_tasks WHERE tenant_id = ${tenant_id}
      AND ${pageOf(bounds, sql`changed_at`, sql`task_id`, filtersOf(filter))}`.all(db)
}

export async function countTasks(
  { db, tenant_id }: Rows,
  filter: TaskFilter,
  since: string | undefined,
): Promise<number> {
  const from = since === undefined ? sql`true` : sql`changed_at >= ${since}`
  const conditions = sql.join([from, ...filtersOf(filter)], sql` AND `)
  const rows = await sql<{ tasks: number }>`
    SELECT count(*)::integer AS tasks FROM (SELECT FROM mim_tasks WHERE tenant_id = ${tenant_id} AND ${conditions}
      LIMIT ${counted_max}) t`.all(db)
  return rows[0]!.tasks
}

export interface StepRow extends SealedBox {
  readonly task_id: string
  readonly n: number
  readonly step_id: string
  readonly state: TaskState
  readonly by_agent: boolean
  readonly at: Date
}

export async function readSteps({ db, tenant_id }: Rows, task_ids: readonly string[]): Promise<StepRow[]> {
  if (task_ids.length === 0) return []
  return sql<StepRow>`
    SELECT task_id, n, step_id, state, by_agent, at, sealed, wrapped_key FROM mim_task_steps
    WHERE tenant_id = ${tenant_id} AND task_id = ANY(${[...task_ids]}::uuid[])
    ORDER BY task_id, n`.all(db)
}

export interface NewStep extends SealedBox {
  readonly tenant_id: string
  readonly task_id: string
  readonly step_id: string
  readonly state: TaskState
  readonly by_agent: boolean
  readonly party_did: string
  readonly bytes: number
  readonly at: string
}

export interface Stepped {
  readonly outcome: 'added' | 'none' | 'ended' | 'full'
  readonly place: number | null
}

export async function addStep(db: Database, step: NewStep): Promise<Stepped> {
  const { tenant_id, task_id, step_id, state, by_agent, at, sealed, wrapped_key } = step
  const rows = await sql<Stepped>`
    SELECT outcome, place FROM svc_task_step(ROW(${tenant_id}, ${task_id}::uuid, 0, ${step_id}::uuid, ${state},
      ${by_agent}::boolean, ${at}::timestamptz, ${sealed}::bytea, ${wrapped_key}::bytea)::mim_task_steps,
      ${step.party_did}, ${step.bytes}::integer)`.all(db)
  return rows[0]!
}

/** Runs as the engine, over all tenants. */
export async function forgetTasks(db: Database, now: Date): Promise<void> {
  const until = new Date(now.getTime() - kept_days * 86_400_000)
  for (let round = 0; round < rounds_max; round++) {
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM mim_tasks WHERE ctid = ANY(ARRAY(SELECT ctid FROM mim_tasks WHERE changed_at <= ${until}::timestamptz
        ORDER BY changed_at LIMIT ${sql.lit(forgotten_at_once)} FOR UPDATE SKIP LOCKED))`.execute(db)
    if (numAffectedRows < forgotten_at_once) return
  }
}
