// Runs and manifests for lists: names, states and counts, nothing that is sealed with the tenant's key.

import type { Database } from '@svc/contract/database'
import type { Bounds } from '@svc/contract/list-page'
import { pageOf } from '@svc/database/page-bounds'
import { sql } from '@svc/database/sql'
import type { RunState } from './manifest.ts'
import type { GraphRow } from './run-graph.ts'
import type { RunRow } from './run-store.ts'

export interface ListedRun
  extends Pick<
    RunRow,
    | 'run_id'
    | 'manifest_ref'
    | 'owner_did'
    | 'state'
    | 'waiting_on'
    | 'cancel'
    | 'error_code'
    | 'confidence'
    | 'correlation_id'
    | 'created_at'
    | 'started_at'
    | 'ended_at'
    | 'deadline_at'
  > {
  readonly name: string
  readonly version: string
  readonly retry_of: string | null
  readonly parent_run_id: string | null
  readonly attributes: Buffer | null
  /** Null for a manifest submitted before steps were counted. */
  readonly steps: number | null
  /** The number of steps in each state. */
  readonly counts: Readonly<Record<string, number>> | null
}

export interface RunQuestion extends Bounds {
  readonly run_id?: string | undefined
  readonly manifest_ref?: string | undefined
  readonly state?: RunState | undefined
  readonly name?: string | undefined
  readonly parent_run_id?: string | undefined
  readonly attribute_tokens?: readonly string[] | undefined
}

/** Newest first. */
export async function listRuns(db: Database, tenant_id: string, question: RunQuestion): Promise<ListedRun[]> {
  const { run_id, manifest_ref, state, name, parent_run_id, attribute_tokens } = question
  const page = pageOf(question, sql`r.created_at`, sql`r.run_id`, [
    ...(run_id === undefined ? [] : [sql`r.run_id = ${run_id}`]),
    ...(manifest_ref === undefined ? [] : [sql`r.manifest_ref = ${manifest_ref}`]),
    ...(state === undefined ? [] : [sql`r.state = ${state}`]),
    ...(name === undefined ? [] : [sql`m.name = ${name}`]),
    ...(parent_run_id === undefined ? [] : [sql`r.parent_run_id = ${parent_run_id}`]),
    ...(attribute_tokens === undefined ? [] : [sql`r.attribute_tokens @> ${[...attribute_tokens]}::text[]`]),
  ])
  return sql<ListedRun>`
    SELECT r.run_id, r.manifest_ref, r.owner_did, r.state, r.waiting_on, r.cancel, r.error_code, r.confidence,
      r.correlation_id, r.created_at, r.started_at, r.ended_at, r.deadline_at, r.retry_of,
      r.parent_run_id, r.attributes, m.name, m.version, m.steps, (
        SELECT jsonb_object_agg(step.state, step.n) FROM (
          SELECT s.state, count(*) AS n FROM moon_step s
          WHERE s.tenant_id = r.tenant_id AND s.run_id = r.run_id AND s.path NOT LIKE '%@%' GROUP BY s.state) step
      ) AS counts
    FROM moon_run r JOIN moon_manifest m ON m.tenant_id = r.tenant_id AND m.ref = r.manifest_ref
    WHERE r.tenant_id = ${tenant_id} AND ${page}`.all(db)
}

/** The journal without the steps' outputs. */
export async function readStates(
  { db, tenant_id }: { readonly db: Database; readonly tenant_id: string },
  run_id: string,
): Promise<GraphRow[]> {
  return sql<GraphRow>`
    SELECT path, state, attempt, started_at, due_at, ended_at, elapsed_ms, skip_reason, error_code, record_id
    FROM moon_step WHERE tenant_id = ${tenant_id} AND run_id = ${run_id} ORDER BY seq`.all(db)
}

export const manifest_states = ['active', 'paused', 'inactive'] as const
export type ManifestState = (typeof manifest_states)[number]

export interface ListedManifest {
  readonly ref: string
  readonly name: string
  readonly version: string
  readonly recipe_id: string
  readonly submitted_by: string
  readonly submitted_at: Date
  readonly state: ManifestState
  readonly paused_reason: string | null
  readonly cron: string | null
  readonly time_zone: string | null
  readonly overlap: 'skip' | 'queue' | null
  readonly next_at: Date | null
  readonly steps: number | null
  readonly open_runs: number
  readonly last_run: { readonly run_id: string; readonly state: RunState; readonly created_at: string } | null
}

export interface ManifestQuestion extends Bounds {
  readonly ref?: string | undefined
  readonly name?: string | undefined
  readonly state?: ManifestState | undefined
}

const manifest_state = sql`CASE WHEN NOT m.is_active THEN 'inactive' WHEN m.paused_reason IS NOT NULL THEN 'paused'
  ELSE 'active' END`

/** Newest first. */
export async function listManifests(
  db: Database,
  tenant_id: string,
  question: ManifestQuestion,
): Promise<ListedManifest[]> {
  const { ref, name, state } = question
  const page = pageOf(question, sql`m.submitted_at`, sql`m.ref`, [
    ...(ref === undefined ? [] : [sql`m.ref = ${ref}`]),
    ...(name === undefined ? [] : [sql`m.name = ${name}`]),
    ...(state === undefined ? [] : [sql`${manifest_state} = ${state}`]),
  ])
  return sql<ListedManifest>`
    SELECT m.ref, m.name, m.version, m.recipe_id, m.submitted_by, m.submitted_at, ${manifest_state} AS state,
      m.paused_reason, m.cron, m.time_zone, m.overlap, m.next_at, m.steps,
      (SELECT count(*)::int FROM moon_run r WHERE r.tenant_id = m.tenant_id AND r.manifest_ref = m.ref
        AND r.ended_at IS NULL) AS open_runs,
      (SELECT jsonb_build_object('run_id', r.run_id, 'state', r.state, 'created_at', r.created_at) FROM moon_run r
        WHERE r.tenant_id = m.tenant_id AND r.manifest_ref = m.ref
        ORDER BY r.created_at DESC, r.run_id DESC LIMIT 1) AS last_run
    FROM moon_manifest m WHERE m.tenant_id = ${tenant_id} AND ${page}`.all(db)
}
