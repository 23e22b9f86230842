// A run as users see it: its state, step by step, and its output.
import { Closed, Did, described, ListOf, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { RunState } from './manifest.ts'
import { childOf } from './run-children.ts'
import { run_ref_start } from './run-effect.ts'
import { undoneBy } from './run-path.ts'
import type { JournalRow, OpenRun } from './run-store.ts'

const rows_max = 5000

export const RunRef = Type.String({
  pattern: '^moon://run/[0-9a-f-]{36}$',
  description: 'A run, as its start answered it.',
})

export const by_hand = Type.Optional(
  described(Did, 'Of an undoing that nobody called: who said that the step was undone by other means.'),
)

/** Who said so, of an undoing that was made by other means. */
export function byHand({ state, metadata }: Pick<JournalRow, 'state' | 'metadata'>) {
  return state === 'succeeded' && typeof metadata?.by_hand === 'string' && { by_hand: metadata.by_hand }
}

export const RunView = Closed({
  run_ref: RunRef,
  manifest_ref: Type.String({ description: 'What it runs.' }),
  state: RunState,
  waiting_on: Type.Optional(
    described(
      OneOf('timer', 'signal', 'gate', 'runway', 'approval', 'action', 'run'),
      'What it waits for; absent: it does not wait.',
    ),
  ),
  awaiting: described(
    ListOf(
      Closed({
        path: Type.String({ description: 'The step that waits.' }),
        signal: Type.String({
          description: 'Name of the signal; outcome: whether its outside call was made.',
        }),
        schema: Type.Optional(Type.Unknown({ description: 'JSON Schema of its payload; absent: any.' })),
        from: Type.Optional(
          Type.Unknown({ description: 'Who may send it, as its gate declares; absent: everybody.' }),
        ),
        until: Type.Optional(
          Type.String({ description: 'When the gate decides without it; absent: never.' }),
        ),
      }),
      0,
      rows_max,
    ),
    'Signals it waits for.',
  ),
  steps: described(
    ListOf(
      Closed({
        path: Type.String({ description: 'Where the step is in the graph; unique.' }),
        state: described(
          OneOf('running', 'waiting', 'succeeded', 'failed', 'skipped', 'indeterminate'),
          'indeterminate: it is unclear whether its outside call was made.',
        ),
        attempt: Type.Integer({ minimum: 0, description: 'Number of the attempt.' }),
        execution_time_ms: Type.Number({ minimum: 0, description: 'How long it took, in milliseconds.' }),
        confidence_score: Type.Optional(
          Type.Number({ minimum: 0, maximum: 1, description: 'How sure its answer is, 0 to 1.' }),
        ),
        skip_reason: Type.Optional(Type.String({ description: 'Why it was skipped.' })),
        by_hand,
        run_ref: Type.Optional(described(RunRef, 'The run that it started and waits for.')),
        error: Type.Optional(
          Closed(
            {
              code: Type.String({ description: 'Error code.' }),
              message: Type.String({ description: 'What happened, why and what to do.' }),
            },
            { description: 'Why it failed.' },
          ),
        ),
      }),
      0,
      rows_max,
    ),
    'Steps that have started.',
  ),
  not_undone: Type.Optional(
    described(
      ListOf(Type.String({ description: 'Path of the step.' }), 0, rows_max),
      'With compensation_failed: steps that are done and could not be undone. undo tries again.',
    ),
  ),
  output: Type.Optional(Type.Unknown({ description: 'What the run answered; absent until it succeeded.' })),
  error_code: Type.Optional(Type.String({ description: 'Why the run failed; absent: it did not.' })),
  confidence_score: Type.Number({ minimum: 0, maximum: 1, description: 'How sure the result is, 0 to 1.' }),
  audit_refs: described(ListOf(Type.String(), 0, rows_max), 'Audit records of the calls it made.'),
  started_at: Type.Optional(Type.String({ description: 'When its first step started.' })),
  ended_at: Type.Optional(Type.String({ description: 'When it ended; absent: it has not.' })),
})
export type RunView = Static<typeof RunView>

export function viewOf(run: OpenRun, journal: readonly JournalRow[]): RunView {
  const { state, waiting_on, output, error_code, confidence, started_at, ended_at } = run
  return {
    run_ref: run_ref_start + run.run_id,
    manifest_ref: run.manifest_ref,
    state,
    ...(waiting_on && { waiting_on: waiting_on as RunView['waiting_on'] & string }),
    awaiting: journal.flatMap(awaitedBy).slice(0, rows_max),
    steps: journal.slice(0, rows_max).map(stepView),
    ...(state === 'compensation_failed' && { not_undone: notUndone(journal) }),
    ...(output !== undefined && { output }),
    ...(error_code && { error_code }),
    confidence_score: confidence ?? 1,
    audit_refs: journal.flatMap(({ record_id }) => (record_id ? [record_id] : [])).slice(0, rows_max),
    ...(started_at && { started_at: started_at.toISOString() }),
    ...(ended_at && { ended_at: ended_at.toISOString() }),
  }
}

function awaitedBy({ path, state, metadata, due_at }: JournalRow): RunView['awaiting'] {
  if (state === 'indeterminate') return [{ path, signal: 'outcome' }]
  const awaits = metadata?.awaits as { signal: string; schema?: unknown; from?: unknown } | undefined
  if (state !== 'waiting' || !awaits) return []
  return [{ path, ...awaits, ...(due_at && { until: due_at.toISOString() }) }]
}

function notUndone(journal: readonly JournalRow[]): string[] {
  return journal
    .flatMap(({ path, state }) => (state === 'failed' ? (undoneBy(path) ?? []) : []))
    .slice(0, rows_max)
}

function stepView(row: JournalRow): RunView['steps'][number] {
  const { path, state, attempt, elapsed_ms, base_score, skip_reason } = row
  const error = row.error as { code: string; message: string } | undefined
  const child = childOf(row)
  return {
    path,
    state,
    attempt,
    execution_time_ms: elapsed_ms,
    ...(base_score !== undefined && { confidence_score: base_score }),
    ...(skip_reason && { skip_reason }),
    ...byHand(row),
    ...(child !== undefined && { run_ref: run_ref_start + child }),
    ...(error && state !== 'succeeded' && { error: { code: error.code, message: error.message } }),
  }
}

/** One progress event for each journal row. */
export function progressOf(run: OpenRun, { path, state, base_score, started_at, ended_at }: JournalRow) {
  const at = (ended_at ?? started_at).toISOString()
  const data = { run_ref: run_ref_start + run.run_id, path, state, at, confidence_score: base_score ?? null }
  return { message: `${path} ${state}`, data }
}
