// Runs and manifests as MOON.list shows them.
import type { Vault } from '@svc/contract/needs/vault'
import { Closed, Did, described, Hash, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { openJson } from '../../cognition/content/api.ts'
import { Attributes } from './execute-workflow.ts'
import { ManifestRef, RunState } from './manifest.ts'
import { StepAnswers } from './run-answers.ts'
import { run_ref_start } from './run-effect.ts'
import { GraphStep, graph_steps_max } from './run-graph.ts'
import { type ListedManifest, type ListedRun, manifest_states } from './run-listing.ts'
import { RunRef, type RunView } from './run-view.ts'

export const Detail = Closed({
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

export const Run = Closed({
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

export const ListedManifestView = Closed({
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

const no_steps = { running: 0, waiting: 0, succeeded: 0, failed: 0, skipped: 0, indeterminate: 0 }

export function runView(row: ListedRun, vault: Vault): Static<typeof Run> {
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

export function manifestView(row: ListedManifest): Static<typeof ListedManifestView> {
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
