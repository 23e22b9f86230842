// MOON.list: runs and manifests, and the graph of one of them.
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import type { OperationContext } from '@svc/contract/operation-context'
import { listMisfit, requireAtHome } from '@svc/contract/own-list'
import { Refusal } from '@svc/contract/refusal'
import { Closed, described, ListOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { Attributes } from './execute-workflow.ts'
import { type Detail, ListedManifestView, manifestView, Run, runView } from './listed-view.ts'
import { ManifestName, ManifestRef, type RunState, run_states } from './manifest.ts'
import { compileManifest } from './manifest-compile.ts'
import { findManifest } from './manifest-store.ts'
import { answersOf } from './run-answers.ts'
import { run_ref_start } from './run-effect.ts'
import { type GraphRow, graph_steps_max, graphOf } from './run-graph.ts'
import { listManifests, listRuns, type ManifestState, manifest_states, readStates } from './run-listing.ts'
import { attributeTokens } from './run-store.ts'
import { RunRef } from './run-view.ts'

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
