// How each kind of step begins, what it waits for, and what wakes it.
import { asRefusal } from '@svc/database/as-refusal'
import { compileExpression, judge } from '../expressions/api.ts'
import {
  isCall,
  type PlannedGate,
  type PlannedStep,
  readScope,
  resolvePayload,
  stepAt,
} from '../recipes/api.ts'
import { callableAt, gateAt, gatePath, undoneBy } from './run-path.ts'
import type { RunSheet } from './run-progress.ts'
import { settleAnswer } from './run-settling.ts'

export const outcome_signal = 'outcome'

/** Time and chance are the step's own: the same each time it is looked at from the same journal. */
export function scopeAt(sheet: RunSheet, path: string, signal?: unknown) {
  const { plan, run, now } = sheet.situation
  const now_ms = (sheet.rows.get(path)?.started_at ?? now).getTime()
  const outside = { input: run.input, signal: signal ?? null, now_ms, seed: `${run.run_id}|${path}` }
  return readScope(plan, sheet.journal, path, outside)
}

/** False where it must wait for its gates. */
export function beginStep(sheet: RunSheet, path: string): boolean {
  const step = stepAt(sheet.situation.plan, path)
  const gates = passGates(sheet, step)
  if (gates !== 'open') return gates === 'shut'
  try {
    beginKind(sheet, step)
  } catch (thrown) {
    const { code, message, details } = asRefusal(thrown)
    sheet.fail(path, code, message, { ...details })
  }
  return true
}

function beginKind(sheet: RunSheet, step: PlannedStep): void {
  const { path } = step
  if (isCall(step)) sheet.begin(path)
  if (step.kind === 'Parallel') sheet.put(path, { state: 'succeeded' })
  if (step.kind === 'SubRecipe')
    sheet.put(path, { state: 'succeeded', data: resolvePayload(step.params, scopeAt(sheet, path)) })
  if (step.kind === 'Gate') beginGate(sheet, step)
}

function beginGate(sheet: RunSheet, step: PlannedGate): void {
  const { path } = step
  if (!step.await) {
    decide(sheet, step, null)
    return
  }
  const { after_ms } = step.await
  const due_at = after_ms === undefined ? null : new Date(sheet.situation.now.getTime() + after_ms)
  const waiting_on = step.await.signal === undefined ? 'timer' : 'signal'
  sheet.put(path, { state: 'waiting', due_at, metadata: { waiting_on } })
  // What it waits for may have come before it.
  wakeGate(sheet, step, false)
}

function decide(sheet: RunSheet, { path, condition }: PlannedGate, signal: unknown): void {
  try {
    const decision = judge(compileExpression(condition), scopeAt(sheet, path, signal))
    sheet.put(path, { state: 'succeeded', decision, data: { signal } })
  } catch (thrown) {
    const { code, message, details } = asRefusal(thrown)
    sheet.fail(path, code, message, { ...details })
  }
}

/** One gate after the other: the next is asked when the one before has let the step pass. */
function passGates(sheet: RunSheet, { path, gates }: PlannedStep): 'open' | 'asking' | 'shut' {
  for (const [index] of gates.entries()) {
    const at = gatePath(path, index)
    const row = sheet.rows.get(at)
    if (!row) {
      sheet.begin(at, { state: 'running', metadata: { waiting_on: 'gate' } })
      return 'asking'
    }
    if (row.state === 'failed') {
      sheet.fail(path, row.error_code ?? 'policy_denied', 'Its governance gate did not let it pass.')
      return 'shut'
    }
    if (row.state !== 'succeeded') return 'asking'
  }
  return 'open'
}

/** What was waited for has come: a signal, or the time. Where the run turns back only what undoes a step is still waited for. */
export function wakeWaiting(sheet: RunSheet): void {
  const { plan, manifest, now } = sheet.situation
  for (const [path, row] of [...sheet.rows]) {
    const is_over = sheet.turns_back && undoneBy(path) === undefined
    if (row.state === 'indeterminate') settleBySignal(sheet, path, is_over)
    if (row.state !== 'waiting') continue
    const is_due = row.due_at !== null && row.due_at <= now
    const step = plan.steps.get(path)
    if (is_over) sheet.put(path, { state: 'skipped', skip_reason: 'upstream' })
    else if (step?.kind === 'Gate') wakeGate(sheet, step, is_due)
    else if (step?.kind === 'SubRecipe') {
      if (is_due) sheet.put(path, { state: 'succeeded', attempt: row.attempt + 1, started_at: now })
    } else if (is_due && (gateAt(plan, path) || callableAt(plan, manifest, path)))
      sheet.begin(path, { state: 'running', attempt: row.attempt + 1 })
  }
}

function wakeGate(sheet: RunSheet, step: PlannedGate, is_due: boolean): void {
  const wanted = step.await?.signal
  const signal = wanted === undefined ? undefined : sheet.takeSignal(step.path, ({ name }) => name === wanted)
  if (signal) decide(sheet, step, signal.payload ?? {})
  else if (is_due) decide(sheet, step, null)
}

/** Somebody looked, and says whether it was done. */
function settleBySignal(sheet: RunSheet, path: string, is_over: boolean): void {
  const signal = sheet.takeSignal(path, ({ name, payload }) => {
    return name === outcome_signal && (payload as { path?: string } | null)?.path === path
  })
  if (!signal) return
  const { performed, data = {} } = signal.payload as { performed?: boolean; data?: unknown }
  const { elapsed_ms, record_id } = sheet.rows.get(path)!
  if (performed === true) settleAnswer(sheet, path, data, { elapsed_ms, record_id })
  else if (is_over) sheet.fail(path, 'policy_denied', 'It was not done, and the run turns back.')
  else sheet.begin(path, { state: 'running' })
}
