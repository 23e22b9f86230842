// Runs that steps of a run have started: the step waits for the end, and calls the child off with its run.
import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import { sql } from '@svc/database/sql'
import { openJson } from '../../cognition/content/api.ts'
import { run_ref_start } from './run-effect.ts'
import type { ChildRun, RunProgress } from './run-progress.ts'
import type { JournalRow } from './run-store.ts'

/** A child that ends wakes its parent; this is for an engine that was killed between the two. */
export const child_look_ms = 10_000

interface Place {
  readonly db: Database
  readonly tenant_id: string
  readonly vault: Vault
}

export function childOf({ metadata }: Pick<JournalRow, 'metadata'>): string | undefined {
  return typeof metadata?.child === 'string' ? metadata.child : undefined
}

/** The start was answered: from now on the step waits for the run. */
export function followChild(
  run_progress: RunProgress,
  path: string,
  run_ref: string,
  { elapsed_ms, record_id }: Pick<JournalRow, 'elapsed_ms' | 'record_id'>,
): void {
  const child = run_ref.slice(run_ref_start.length)
  run_progress.adopted.add(child)
  const { metadata } = run_progress.rows.get(path)!
  const waiting = { ...metadata, may_be_done: true, waiting_on: 'run', child }
  // It may have ended already, before it could know whom to wake.
  const due_at = run_progress.situation.now
  run_progress.put(path, { state: 'waiting', due_at, elapsed_ms, record_id, metadata: waiting })
}

type SealedChild = Omit<ChildRun, 'output'> & { readonly output: Buffer | null }

export async function readChildren(
  { db, tenant_id, vault }: Place,
  rows: ReadonlyMap<string, JournalRow>,
): Promise<Map<string, ChildRun>> {
  const run_ids = [...rows.values()].flatMap((row) => (row.state === 'waiting' ? (childOf(row) ?? []) : []))
  if (run_ids.length === 0) return new Map()
  const children = await sql<SealedChild>`
    SELECT run_id, state, cancel, error_code, confidence, parent_run_id IS NOT NULL AS is_adopted, output
    FROM moon_run WHERE tenant_id = ${tenant_id} AND run_id = ANY(${run_ids})`.all(db)
  return new Map(
    children.map(({ output, ...child }) => [
      child.run_id,
      { ...child, ...(output && { output: openJson(vault, `output ${child.run_id}`, output) }) },
    ]),
  )
}

/** Rows that are locked now are left for the next look: no engine waits for a child while it holds its parent. */
export async function tellChildren(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  parent_run_id: string,
  { adopted, called_off }: { readonly adopted: readonly string[]; readonly called_off: readonly string[] },
  cancel: 'stop' | 'compensate',
  now: Date,
): Promise<void> {
  if (adopted.length > 0)
    await sql`UPDATE moon_run SET parent_run_id = ${parent_run_id} WHERE (tenant_id, run_id) IN (
      SELECT tenant_id, run_id FROM moon_run WHERE tenant_id = ${tenant_id} AND run_id = ANY(${[...adopted]})
      FOR UPDATE SKIP LOCKED)`.execute(db)
  if (called_off.length > 0)
    await sql`UPDATE moon_run SET cancel = ${cancel}, wake_at = LEAST(wake_at, ${now})
      WHERE ended_at IS NULL AND cancel IS NULL AND (tenant_id, run_id) IN (
        SELECT tenant_id, run_id FROM moon_run WHERE tenant_id = ${tenant_id} AND run_id = ANY(${[...called_off]})
        FOR UPDATE SKIP LOCKED)`.execute(db)
}

/** In a transaction after that of the end: a child never waits for its parent while it holds its own row. */
export async function wakeParentOf(
  { db, tenant_id }: Pick<Place, 'db' | 'tenant_id'>,
  run_id: string,
  now: Date,
): Promise<string | undefined> {
  const row = await sql<{ run_id: string }>`
    UPDATE moon_run SET wake_at = LEAST(wake_at, ${now})
    WHERE tenant_id = ${tenant_id} AND ended_at IS NULL AND run_id = (
      SELECT parent_run_id FROM moon_run WHERE tenant_id = ${tenant_id} AND run_id = ${run_id})
    RETURNING run_id`.first(db)
  return row?.run_id
}
