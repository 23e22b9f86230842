// A run as users see it: its state, step by step, and its output.
import { Closed, ListOf, OneOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { run_states } from './manifest.ts'
import { run_ref_start } from './run-effect.ts'
import type { JournalRow, OpenRun } from './run-store.ts'

const rows_max = 5000

export const RunRef = Type.String({
  pattern: '^moon://run/[0-9a-f-]{36}$',
  description: 'A run, as its start answered it.',
})

export const RunView = Closed({
  run_ref: RunRef,
  manifest_ref: Type.String(),
  state: OneOf(...run_states),
  waiting_on: Type.Optional(OneOf('timer', 'signal', 'gate', 'runway', 'approval')),
  steps: ListOf(
    Closed({
      path: Type.String(),
      state: OneOf('running', 'waiting', 'succeeded', 'failed', 'skipped', 'indeterminate'),
      attempt: Type.Integer({ minimum: 0 }),
      execution_time_ms: Type.Number({ minimum: 0 }),
      confidence_score: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      skip_reason: Type.Optional(Type.String()),
      error: Type.Optional(Closed({ code: Type.String(), message: Type.String() })),
    }),
    0,
    rows_max,
  ),
  output: Type.Optional(Type.Unknown()),
  error_code: Type.Optional(Type.String()),
  confidence_score: Type.Number({ minimum: 0, maximum: 1 }),
  audit_refs: ListOf(Type.String(), 0, rows_max),
  started_at: Type.Optional(Type.String()),
  ended_at: Type.Optional(Type.String()),
})
export type RunView = Static<typeof RunView>

export function viewOf(run: OpenRun, journal: readonly JournalRow[]): RunView {
  const { state, waiting_on, output, error_code, confidence, started_at, ended_at } = run
  return {
    run_ref: run_ref_start + run.run_id,
    manifest_ref: run.manifest_ref,
    state,
    ...(waiting_on && { waiting_on: waiting_on as RunView['waiting_on'] & string }),
    steps: journal.slice(0, rows_max).map(stepView),
    ...(output !== undefined && { output }),
    ...(error_code && { error_code }),
    confidence_score: confidence ?? 1,
    audit_refs: journal.flatMap(({ record_id }) => (record_id ? [record_id] : [])).slice(0, rows_max),
    ...(started_at && { started_at: started_at.toISOString() }),
    ...(ended_at && { ended_at: ended_at.toISOString() }),
  }
}

function stepView(row: JournalRow): RunView['steps'][number] {
  const { path, state, attempt, elapsed_ms, base_score, skip_reason } = row
  const error = row.error as { code: string; message: string } | undefined
  return {
    path,
    state,
    attempt,
    execution_time_ms: elapsed_ms,
    ...(base_score !== undefined && { confidence_score: base_score }),
    ...(skip_reason && { skip_reason }),
    ...(error && state !== 'succeeded' && { error: { code: error.code, message: error.message } }),
  }
}

/** One progress event for each journal row. */
export function progressOf(run: OpenRun, { path, state, base_score, started_at, ended_at }: JournalRow) {
  const at = (ended_at ?? started_at).toISOString()
  const data = { run_ref: run_ref_start + run.run_id, path, state, at, confidence_score: base_score ?? null }
  return { message: `${path} ${state}`, data }
}
