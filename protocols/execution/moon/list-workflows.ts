// MOON.list: runs and manifests, and the graph of one of them.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { Vault } from '@svc/contract/needs/vault'
import type { OperationContext } from '@svc/contract/operation-context'
import { listMisfit, requireAtHome } from '@svc/contract/own-list'
import { Refusal } from '@svc/contract/refusal'
import { Closed, Did, described, Hash, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { openJson } from '../../cognition/content/api.ts'
import { Attributes } from './execute-workflow.ts'
import { ManifestName, ManifestRef, RunState, run_states } from './manifest.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest } from './manifest-store.ts'
import { answersOf, StepAnswers } from './run-answers.ts'
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
import { attributeTokens } from './run-store.ts'
import { RunRef, type RunView } from './run-view.ts'

const run_id_form = /^[0-9a-f-]{36}$/
const ref_form = /^moon:\/\/manifest\/[0-9a-f]{64}$/

export const ListInput = Closed({
  kind: Type.Optional(Type.Enum(['runs', 'manifests'], { default: 'runs', description: 'What to list.' })),
  state: Type.Optional(
    Type.Enum([...run_states, ...manifest_states], {
      description: 'For runs, the run state; for manifests, active, paused or inactive.',
    }),
  ),
  manifest_ref: Type.Optional(described(ManifestRef, 'Only this manifest, or only its runs.')),
  run_ref: Type.Optional(described(RunRef, 'Only this run.')),
  name: Type.Optional(described(ManifestName, 'Only manifests of this name, or only their runs.')),
  parent_run_ref: Type.Optional(
    described(RunRef, 'For runs: only those that steps of this run have started.'),
  ),
  attributes: Type.Optional(
    described(Attributes, 'For runs: only those that were started with all of these attributes.'),
  ),
  include_detail: Type.Optional(
    Type.Boolean({ default: false, description: 'With run_ref, or manifest_ref of manifests: its graph.' }),
  ),
  ...page_fields,
})
export type ListInput = Static<typeof ListInput>

const Detail = Closed({
  steps: described(
    ListOf(GraphStep, 0, graph_steps_max),
    'Steps with what they depend on, sub-recipes included.',
  ),
  answers: Type.Optional(
    described(
      StepAnswers,
      'What steps of a run answered, each up to 16 KiB; for the identity as which they call, if no other made those taken over by a retry, and charter members.',
    ),
  ),
  unplanned: Type.Optional(
    Type.String({
      description: 'Why it cannot be planned any more; execute_workflow status tells what was done.',
    }),
  ),
})

const Count = Type.Integer({ minimum: 0 })
const Run = Closed({
  run_ref: described(RunRef, 'Names the run in execute_workflow.'),
  manifest_ref: described(ManifestRef, 'What it runs.'),
  name: Type.String({ description: 'Name of its manifest.' }),
  version: Type.String({ description: 'Version of its manifest.' }),
  owner_did: described(Did, 'Identity as which its steps call.'),
  state: RunState,
  waiting_on: Type.Optional(
    described(
      OneOf('timer', 'signal', 'gate', 'runway', 'approval', 'action', 'run'),
      'What it waits for; absent: it does not wait.',
    ),
  ),
  cancelling: Type.Optional(
    described(
      OneOf('stop', 'compensate'),
      'Set while it is cancelled: stop only, or also undo what was done.',
    ),
  ),
  error_code: Type.Optional(Type.String({ description: 'Why it failed; absent: it did not.' })),
  confidence_score: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'How sure its result is, 0 to 1; absent: not known yet.',
    }),
  ),
  progress: Closed(
    {
      steps_total: Type.Optional(
        described(Count, 'Number of steps, sub-recipes included; absent: not known.'),
      ),
      running: described(Count, 'Steps that run now.'),
      waiting: described(Count, 'Steps that wait.'),
      succeeded: described(Count, 'Steps that succeeded.'),
      failed: described(Count, 'Steps that failed.'),
      skipped: described(Count, 'Steps that were skipped.'),
      indeterminate: described(Count, 'Steps of which it is unclear whether their outside call was made.'),
    },
    { description: 'Steps by state.' },
  ),
  correlation_id: Type.String({ description: 'Request in whose records the run is found.' }),
  retry_of: Type.Optional(described(RunRef, 'Run that it repeats.')),
  parent_run_ref: Type.Optional(described(RunRef, 'Run of which a step has started it.')),
  attributes: Type.Optional(described(Attributes, 'What it was started with to be found by.')),
  created_at: described(Timestamp, 'When it was asked for.'),
  started_at: Type.Optional(described(Timestamp, 'When its first step started.')),
  ended_at: Type.Optional(described(Timestamp, 'When it ended; absent: it has not.')),
  deadline_at: Type.Optional(described(Timestamp, 'It fails if it has not ended by then.')),
  detail: Type.Optional(described(Detail, 'Its graph; with include_detail.')),
})

const ListedManifestView = Closed({
  manifest_ref: described(ManifestRef, 'Hash of what was submitted.'),
  name: Type.String({ description: 'Name its runs are started by.' }),
  version: Type.String({ description: 'Version its runs are started by.' }),
  recipe_id: described(Hash, 'Hash of its steps, gates and checkpoints.'),
  submitted_by: described(Did, 'Identity as which scheduled runs call.'),
  submitted_at: described(Timestamp, 'When it was submitted.'),
  state: described(
    OneOf(...manifest_states),
    'paused: its schedule stopped. inactive: kept, nobody can start it.',
  ),
  paused_reason: Type.Optional(Type.String({ description: 'Why its schedule stopped.' })),
  schedule: Type.Optional(
    Closed(
      {
        cron: Type.String({ description: 'Times, in five fields, or six with seconds.' }),
        tz: Type.String({ description: 'Time zone of these times.' }),
        overlap: described(
          OneOf('skip', 'queue'),
          'If the run before has not ended: skip this one, or queue it.',
        ),
        next_at: Type.Optional(described(Timestamp, 'When the next run starts.')),
      },
      { description: 'When runs start by themselves; absent: they do not.' },
    ),
  ),
  steps_total: Type.Optional(described(Count, 'Number of steps, sub-recipes included; absent: not known.')),
  open_runs: described(Count, 'Number of runs that have not ended.'),
  last_run: Type.Optional(
    Closed(
      {
        run_ref: described(RunRef, 'Names the run.'),
        state: RunState,
        created_at: described(Timestamp, 'When it was asked for.'),
      },
      { description: 'Its newest run; absent: there was none.' },
    ),
  ),
  detail: Type.Optional(described(Detail, 'Its graph; with include_detail.')),
})

export const ListOutput = Closed({
  runs: Type.Optional(described(ListOf(Run, 0, page_max), 'Runs, newest first; for kind runs.')),
  manifests: Type.Optional(
    described(ListOf(ListedManifestView, 0, page_max), 'Manifests, newest first; for kind manifests.'),
  ),
  next_cursor,
})

export function listWorkflows(
  input: Static<typeof ListInput>,
  context: OperationContext<'charter' | 'served' | 'vault'>,
) {
  requireAtHome(context, 'workflows')
  return (input.kind ?? 'runs') === 'runs' ? pageOfRuns(input, context) : pageOfManifests(input, context)
}

async function pageOfRuns(input: ListInput, context: OperationContext<'charter' | 'served' | 'vault'>) {
  const { state, manifest_ref, run_ref, name, parent_run_ref, attributes } = input
  if (state !== undefined && !isRunState(state)) throw listMisfit('state', `no run is ${state}`)
  const { vault } = context
  const filters = {
    ...{ manifest_ref, state, name },
    run_id: run_ref?.slice(run_ref_start.length),
    parent_run_id: parent_run_ref?.slice(run_ref_start.length),
    attribute_tokens: attributes && attributeTokens(vault, attributes),
  }
  const { items: runs, ...next } = await listing(input, context, {
    id_form: run_id_form,
    read: (bounds) => listRuns(context.db, context.tenant_id, { ...bounds, ...filters }),
    placeOf: ({ created_at, run_id: id }) => ({ at: created_at.toISOString(), id }),
    view: (rows) => rows.map((row) => runView(row, vault)),
    detail: {
      by: 'run_ref',
      of: async (row) => {
        const answers = await answersOf(context, row)
        const detail = await detailOf(context, row.manifest_ref, await readStates(context, row.run_id))
        return { ...detail, ...(answers && { answers }) }
      },
    },
  })
  return { runs, ...next }
}

async function pageOfManifests(input: ListInput, context: OperationContext<'served' | 'vault'>) {
  const { state, manifest_ref: ref, name, parent_run_ref, attributes } = input
  if (parent_run_ref !== undefined || attributes)
    throw listMisfit(
      attributes ? 'attributes' : 'parent_run_ref',
      'manifests are listed, and only runs have it',
    )
  if (input.run_ref !== undefined) throw listMisfit('run_ref', 'manifests are listed, and it names a run')
  if (state !== undefined && !isManifestState(state)) throw listMisfit('state', `no manifest is ${state}`)
  const { items: manifests, ...next } = await listing(input, context, {
    id_form: ref_form,
    read: (bounds) => listManifests(context.db, context.tenant_id, { ...bounds, ref, name, state }),
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

function runView(row: ListedRun, vault: Vault): Static<typeof Run> {
  const { run_id, manifest_ref, name, version, owner_did, state, correlation_id } = row
  const { waiting_on, cancel, error_code, confidence, steps, counts, retry_of, parent_run_id, attributes } =
    row
  const { created_at, started_at, ended_at, deadline_at } = row
  return {
    run_ref: run_ref_start + run_id,
    manifest_ref,
    name,
    version,
    owner_did,
    state,
    ...(waiting_on && { waiting_on: waiting_on as RunView['waiting_on'] & string }),
    ...(cancel && { cancelling: cancel }),
    ...(error_code && { error_code }),
    ...(confidence !== null && { confidence_score: confidence }),
    progress: { ...no_steps, ...counts, ...(steps !== null && { steps_total: steps }) },
    correlation_id,
    ...(retry_of && { retry_of: run_ref_start + retry_of }),
    ...(parent_run_id && { parent_run_ref: run_ref_start + parent_run_id }),
    ...(attributes && {
      attributes: openJson<Record<string, string>>(vault, `attributes ${run_id}`, attributes),
    }),
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
