// The graph of a workflow for display: each step with its dependencies and, for a run, its state. Pure.
import { Closed, described, ListOf, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { isCall, type Plan, type PlannedStep, withRounds } from '../recipes/api.ts'
import { gatePath, undoneBy } from './run-path.ts'
import type { JournalRow } from './run-store.ts'

/** Sub-recipes are expanded, so a plan may have more steps than its manifest. */
export const graph_steps_max = 10_000

const node_kinds = [
  'Protocol',
  'Gate',
  'Audit',
  'SubRecipe',
  'Parallel',
  'Fail',
  'ForEach',
  'Repeat',
  'Round',
  'Run',
  'Wait',
  'GovernanceGate',
  'Compensation',
] as const
const node_states = [
  'pending',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'indeterminate',
] as const

export const GraphStep = Closed({
  path: Type.String({ description: 'Where the step is in the graph; unique.' }),
  kind: described(OneOf(...node_kinds), 'What the step is.'),
  depends_on: described(
    ListOf(Type.String({ description: 'A path of this graph.' }), 0, 1_000),
    'Steps that must end before it.',
  ),
  within: Type.Optional(Type.String({ description: 'The path of the step that holds it.' })),
  branch: Type.Optional(described(OneOf('on_true', 'on_false'), 'Branch of its gate in which it is.')),
  protocol: Type.Optional(Type.String({ description: 'Protocol it calls.' })),
  operation: Type.Optional(Type.String({ description: 'Operation it calls.' })),
  optional: Type.Boolean({ description: 'Whether its failure lets the run go on.' }),
  state: described(
    OneOf(...node_states),
    'indeterminate: it is unclear whether its outside call was made. pending in a manifest.',
  ),
  attempt: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Number of the attempt; absent: it has not started.' }),
  ),
  started_at: Type.Optional(Type.String({ description: 'When it started.' })),
  ended_at: Type.Optional(Type.String({ description: 'When it ended.' })),
  due_at: Type.Optional(Type.String({ description: 'When it is looked at again.' })),
  execution_time_ms: Type.Optional(
    Type.Number({ minimum: 0, description: 'How long it took, in milliseconds.' }),
  ),
  error_code: Type.Optional(Type.String({ description: 'Why it failed.' })),
  skip_reason: Type.Optional(Type.String({ description: 'Why it was skipped.' })),
  record_id: Type.Optional(Type.String({ description: 'The audit record of the call it made.' })),
})
export type GraphStep = Static<typeof GraphStep>

export type GraphRow = Pick<
  JournalRow,
  | 'path'
  | 'state'
  | 'attempt'
  | 'started_at'
  | 'ended_at'
  | 'due_at'
  | 'elapsed_ms'
  | 'error_code'
  | 'skip_reason'
  | 'record_id'
>

/** Gates come before their steps, compensations after; a step without a journal row is pending. */
export function graphOf(base: Plan, journal: readonly GraphRow[] = []): GraphStep[] {
  const rows = new Map(journal.map((row) => [row.path, row]))
  const plan = withRounds(base, roundsBegun(journal))
  const steps = [...plan.steps.values()].flatMap((step) => nodesOf(step, rows))
  const undone = journal.flatMap((row): GraphStep[] => {
    const of = undoneBy(row.path)
    if (of === undefined) return []
    return [{ path: row.path, kind: 'Compensation', depends_on: [of], optional: false, ...standing(row) }]
  })
  return [...steps, ...undone]
}

/** How many rounds of each loop have begun, as the paths of the journal tell. */
function roundsBegun(journal: readonly GraphRow[]): (loop_path: string) => number {
  const begun = new Map<string, number>()
  for (const { path } of journal) {
    const [, loop, index] = /^(.+)\/(\d+)$/.exec(path) ?? []
    if (loop !== undefined) begun.set(loop, Math.max(begun.get(loop) ?? 0, Number(index) + 1))
  }
  return (loop_path) => begun.get(loop_path) ?? 0
}

function nodesOf(step: PlannedStep, rows: ReadonlyMap<string, GraphRow>): GraphStep[] {
  const { path, kind, parents, within, branch, optional } = step
  const placement = { ...(within !== undefined && { within }), ...(branch && { branch }) }
  const gates = step.gates.map((_, index): GraphStep => {
    const at = gatePath(path, index)
    const before = index === 0 ? [...parents] : [gatePath(path, index - 1)]
    return { path: at, kind: 'GovernanceGate', depends_on: before, ...placement, optional, ...standing(rows.get(at)) } // biome-ignore format: one thought
  })
  const last_gate = gates.at(-1)
  const called = isCall(step) && { protocol: step.protocol, operation: step.operation }
  const node: GraphStep = {
    path,
    kind,
    depends_on: last_gate ? [last_gate.path] : [...parents],
    ...placement,
    ...called,
    optional,
    ...standing(rows.get(path)),
  }
  return [...gates, node]
}

function standing(row: GraphRow | undefined) {
  if (!row) return { state: 'pending' as const }
  const { state, attempt, started_at, ended_at, due_at, elapsed_ms } = row
  const { error_code, skip_reason, record_id } = row
  return {
    state,
    attempt,
    started_at: started_at.toISOString(),
    ...(ended_at && { ended_at: ended_at.toISOString() }),
    ...(due_at && !ended_at && { due_at: due_at.toISOString() }),
    execution_time_ms: elapsed_ms,
    ...(error_code && state !== 'succeeded' && { error_code }),
    ...(skip_reason && { skip_reason }),
    ...(record_id && { record_id }),
  }
}
