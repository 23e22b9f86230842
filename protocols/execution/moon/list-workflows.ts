// MOON.list: runs and manifests, and the graph of one of them.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { listMisfit, requireAtHome } from '@svc/contract/own-list'
import { Refusal } from '@svc/contract/refusal'
import { Closed, Did, Hash, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { ManifestRef, type RunState, run_states } from './manifest.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest } from './manifest-store.ts'
import { run_ref_start } from './run-effect.ts'
import { type GraphRow, GraphStep, graph_steps_max, graphOf } from './run-graph.ts'
import {
  type ListedManifest,
  type ListedRun,
  listManifests,
  listRuns,
  type ManifestState,
  manifest_states,
  readStates,
} from './run-listing.ts'
import { RunRef } from './run-view.ts'

const run_id_form = /^[0-9a-f-]{36}$/
const ref_form = /^moon:\/\/manifest\/[0-9a-f]{64}$/

export const ListInput = Closed({
  kind: Type.Optional(Type.Enum(['runs', 'manifests'], { default: 'runs' })),
  state: Type.Optional(
    Type.Enum([...run_states, ...manifest_states], {
      description: 'For runs, the run state; for manifests, active, paused or inactive.',
    }),
  ),
  manifest_ref: Type.Optional(ManifestRef),
  run_ref: Type.Optional(RunRef),
  include_detail: Type.Optional(
    Type.Boolean({ default: false, description: 'With run_ref, or manifest_ref of manifests: its graph.' }),
  ),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Detail = Closed({
  steps: ListOf(GraphStep, 0, graph_steps_max),
  unplanned: Type.Optional(
    Type.String({
      description: 'Why it cannot be planned any more; execute_workflow status tells what was done.',
    }),
  ),
})

const Count = Type.Integer({ minimum: 0 })
const Run = Closed({
  run_ref: RunRef,
  manifest_ref: ManifestRef,
  name: Type.String(),
  version: Type.String(),
  owner_did: Did,
  state: OneOf(...run_states),
  waiting_on: Type.Optional(OneOf('timer', 'signal', 'gate', 'runway', 'approval')),
  cancelling: Type.Optional(OneOf('stop', 'compensate')),
  error_code: Type.Optional(Type.String()),
  confidence_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  progress: Closed({
    steps_total: Type.Optional(Count),
    running: Count,
    waiting: Count,
    succeeded: Count,
    failed: Count,
    skipped: Count,
    indeterminate: Count,
  }),
  correlation_id: Type.String(),
  retry_of: Type.Optional(RunRef),
  created_at: Timestamp,
  started_at: Type.Optional(Timestamp),
  ended_at: Type.Optional(Timestamp),
  deadline_at: Type.Optional(Timestamp),
  detail: Type.Optional(Detail),
})

const ListedManifestView = Closed({
  manifest_ref: ManifestRef,
  name: Type.String(),
  version: Type.String(),
  recipe_id: Hash,
  submitted_by: Did,
  submitted_at: Timestamp,
  state: OneOf(...manifest_states),
  paused_reason: Type.Optional(Type.String()),
  schedule: Type.Optional(
    Closed({
      cron: Type.String(),
      tz: Type.String(),
      overlap: OneOf('skip', 'queue'),
      next_at: Type.Optional(Timestamp),
    }),
  ),
  steps_total: Type.Optional(Count),
  open_runs: Count,
  last_run: Type.Optional(Closed({ run_ref: RunRef, state: OneOf(...run_states), created_at: Timestamp })),
  detail: Type.Optional(Detail),
})

export const ListOutput = Closed({
  runs: Type.Optional(ListOf(Run, 0, page_max)),
  manifests: Type.Optional(ListOf(ListedManifestView, 0, page_max)),
  next_cursor,
})

export function listWorkflows(
  input: Static<typeof ListInput>,
  context: OperationContext<'served' | 'vault'>,
) {
  requireAtHome(context, 'workflows')
  return (input.kind ?? 'runs') === 'runs' ? pageOfRuns(input, context) : pageOfManifests(input, context)
}

async function pageOfRuns(input: ListInput, context: OperationContext<'served' | 'vault'>) {
  const { state, manifest_ref, run_ref } = input
  if (state !== undefined && !isRunState(state)) throw listMisfit('state', `no run is ${state}`)
  const filters = { run_id: run_ref?.slice(run_ref_start.length), manifest_ref, state }
  const { items: runs, ...next } = await listing(input, context, {
    id_form: run_id_form,
    read: (bounds) => listRuns(context.db, context.tenant_id, { ...bounds, ...filters }),
    placeOf: ({ created_at, run_id: id }) => ({ at: created_at.toISOString(), id }),
    view: (rows) => rows.map(runView),
    detail: {
      by: 'run_ref',
      of: async (row) => detailOf(context, row.manifest_ref, await readStates(context, row.run_id)),
    },
  })
  return { runs, ...next }
}

async function pageOfManifests(input: ListInput, context: OperationContext<'served' | 'vault'>) {
  const { state, manifest_ref: ref } = input
  if (input.run_ref !== undefined) throw listMisfit('run_ref', 'manifests are listed, and it names a run')
  if (state !== undefined && !isManifestState(state)) throw listMisfit('state', `no manifest is ${state}`)
  const { items: manifests, ...next } = await listing(input, context, {
    id_form: ref_form,
    read: (bounds) => listManifests(context.db, context.tenant_id, { ...bounds, ref, state }),
    placeOf: ({ submitted_at, ref: id }) => ({ at: submitted_at.toISOString(), id }),
    view: (rows) => rows.map(manifestView),
    detail: { by: 'manifest_ref', of: (row) => detailOf(context, row.ref) },
  })
  return { manifests, ...next }
}

function isRunState(state: string): state is RunState {
  return (run_states as readonly string[]).includes(state)
}

function isManifestState(state: string): state is ManifestState {
  return (manifest_states as readonly string[]).includes(state)
}

/** If an operation is no longer served, the run has no plan, but its journal is still shown. */
async function detailOf(
  context: OperationContext<'served' | 'vault'>,
  manifest_ref: string,
  journal: readonly GraphRow[] = [],
): Promise<Static<typeof Detail>> {
  const manifest = await findManifest(context, manifest_ref)
  try {
    const { plan } = await compileManifest(context, manifest!.manifest, (protocol, operation_name) =>
      context.served.find(protocol, operation_name),
    )
    return { steps: graphOf(plan, journal).slice(0, graph_steps_max) }
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return { steps: [], unplanned: thrown.message }
  }
}

const no_steps = { running: 0, waiting: 0, succeeded: 0, failed: 0, skipped: 0, indeterminate: 0 }

function runView(row: ListedRun): Static<typeof Run> {
  const { run_id, manifest_ref, name, version, owner_did, state, correlation_id } = row
  const { waiting_on, cancel, error_code, confidence, steps, counts, retry_of } = row
  const { created_at, started_at, ended_at, deadline_at } = row
  return {
    run_ref: run_ref_start + run_id,
    manifest_ref,
    name,
    version,
    owner_did,
    state,
    ...(waiting_on && { waiting_on: waiting_on as 'timer' | 'signal' | 'gate' | 'runway' | 'approval' }),
    ...(cancel && { cancelling: cancel }),
    ...(error_code && { error_code }),
    ...(confidence !== null && { confidence_score: confidence }),
    progress: { ...no_steps, ...counts, ...(steps !== null && { steps_total: steps }) },
    correlation_id,
    ...(retry_of && { retry_of: run_ref_start + retry_of }),
    created_at: created_at.toISOString(),
    ...(started_at && { started_at: started_at.toISOString() }),
    ...(ended_at && { ended_at: ended_at.toISOString() }),
    ...(deadline_at && { deadline_at: deadline_at.toISOString() }),
  }
}

function manifestView(row: ListedManifest): Static<typeof ListedManifestView> {
  const { ref, name, version, recipe_id, submitted_by, state, paused_reason, steps, open_runs } = row
  const { cron, time_zone, overlap, next_at, last_run } = row
  return {
    manifest_ref: ref,
    name,
    version,
    recipe_id,
    submitted_by,
    submitted_at: row.submitted_at.toISOString(),
    state,
    ...(paused_reason && { paused_reason }),
    ...(cron && {
      schedule: {
        cron,
        tz: time_zone ?? 'UTC',
        overlap: overlap ?? 'skip',
        ...(next_at && { next_at: next_at.toISOString() }),
      },
    }),
    ...(steps !== null && { steps_total: steps }),
    open_runs,
    ...(last_run && {
      last_run: {
        run_ref: run_ref_start + last_run.run_id,
        state: last_run.state,
        created_at: new Date(last_run.created_at).toISOString(),
      },
    }),
  }
}
