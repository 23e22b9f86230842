// A step that waits for a run it has started: how that ended, and that it ends with its parent.
import { unsuccessful } from '../recipes/api.ts'
import { hasEnded } from './manifest.ts'
import { child_look_ms, childOf } from './run-children.ts'
import { run_ref_start } from './run-effect.ts'
import { settleFailure } from './run-judging.ts'
import type { ChildRun, RunProgress } from './run-progress.ts'
import { settleAnswer } from './run-settling.ts'
import type { JournalRow } from './run-store.ts'

/** A child whose row was locked just then is told again. */
const tell_every_ms = 250

/** Undoing begins when the children have ended: only then is it known what they did. */
export function wakeParent(run_progress: RunProgress, path: string, is_over: boolean): void {
  const row = run_progress.rows.get(path)!
  const child = run_progress.situation.children.get(childOf(row)!)
  if (child && !child.is_adopted) run_progress.adopted.add(child.run_id)
  if (child && hasEnded(child.state)) {
    settleChild(run_progress, path, row, child)
    return
  }
  const { now } = run_progress.situation
  const calls_off = is_over && child !== undefined && child.cancel === null
  if (calls_off) run_progress.called_off.add(child.run_id)
  const is_told = child?.is_adopted === true && !calls_off
  if (row.due_at === null || row.due_at <= now || calls_off)
    run_progress.put(path, {
      state: 'waiting',
      due_at: after(run_progress, is_told ? child_look_ms : tell_every_ms),
    })
}

function settleChild(run_progress: RunProgress, path: string, row: JournalRow, child: ChildRun): void {
  const { run_id, state, error_code, confidence, output } = child
  const elapsed_ms = run_progress.situation.now.getTime() - row.started_at.getTime()
  const answered = { elapsed_ms, record_id: row.record_id }
  const run_ref = run_ref_start + run_id
  if (state === 'succeeded') {
    const scored = confidence !== null && { confidence_score: confidence }
    settleAnswer(
      run_progress,
      path,
      { run_ref, state, ...scored, ...(output !== undefined && { output }) },
      answered,
    )
    return
  }
  const why = error_code === null ? state : `${state}, ${error_code}`
  const message = `The run ${run_ref} that it started has ended without success (${why}).`
  settleFailure(run_progress, path, { is: 'failure', type: unsuccessful, message }, answered)
}

function after({ situation: { now } }: RunProgress, ms: number): Date {
  return new Date(now.getTime() + ms)
}
