// What the expressions of a step see while its turn is decided.
import { readScope } from '../recipes/api.ts'
import type { RunProgress } from './run-progress.ts'

/** Time and randomness are derived from the step, so the same journal gives the same values. */
export function scopeAt(run_progress: RunProgress, path: string, signal?: unknown) {
  const { plan, run, now } = run_progress.situation
  const now_ms = (run_progress.rows.get(path)?.started_at ?? now).getTime()
  const outside = { input: run.input, signal: signal ?? null, now_ms, seed: `${run.run_id}|${path}` }
  return readScope(plan, run_progress.journal, path, outside)
}
