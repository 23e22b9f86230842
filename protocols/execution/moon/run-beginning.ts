// How each kind of step starts, what it waits for, and what wakes it.

import { compileExpression, judge } from '@svc/contract/expressions/expression'
import { asRefusal } from '@svc/database/as-refusal'
import {
  dueAt,
  isCall,
  type PlannedGate,
  type PlannedStep,
  type PlannedWait,
  resolvePayload,
  stepAt,
} from '../recipes/api.ts'
import { wakeParent } from './run-child-ending.ts'
import { childOf } from './run-children.ts'
import { nextRound, openEach, openRepeat } from './run-loops.ts'
import { answersOf, isUnconfirmed, mayBeDone } from './run-outcome.ts'
import { callableAt, gateAt, gatePath, undoneBy } from './run-path.ts'
import type { RunProgress } from './run-progress.ts'
import { scopeAt } from './run-scope.ts'
import { settleAnswer } from './run-settling.ts'
import type { JournalRow } from './run-store.ts'

export const outcome_signal = 'outcome'
/** Each is judged on the event loop: the next turn goes on with the others. */
const dropped_max = 8
/** Runs that start each other; calls within their steps go deeper still. */
const runs_deep_max = 4

/** False if it must wait for its gates. */
export function beginStep(run_progress: RunProgress, path: string): boolean {
  const step = stepAt(run_progress.situation.plan, path)
  const gates = passGates(run_progress, step)
  if (gates !== 'open') return gates === 'shut'
  try {
    beginKind(run_progress, step)
  } catch (thrown) {
    const { code, message, details } = asRefusal(thrown)
    run_progress.fail(path, code, message, { ...details })
  }
  return true
}

function beginKind(run_progress: RunProgress, step: PlannedStep): void {
  const { path } = step
  if (step.kind === 'Run' && run_progress.situation.run.acting.depth >= runs_deep_max)
    run_progress.fail(
      path,
      'policy_denied',
      `Runs start each other ${runs_deep_max} levels deep; this goes deeper.`,
    )
  else if (isCall(step)) run_progress.begin(path)
  if (step.kind === 'Parallel' || step.kind === 'Round') run_progress.put(path, { state: 'succeeded' })
  if (step.kind === 'SubRecipe')
    run_progress.put(path, {
      state: 'succeeded',
      data: resolvePayload(step.params, scopeAt(run_progress, path)),
    })
  if (step.kind === 'Fail') run_progress.fail(path, step.error, step.message)
  if (step.kind === 'Gate') beginGate(run_progress, step)
  if (step.kind === 'Wait') beginWait(run_progress, step)
  if (step.kind === 'ForEach') openEach(run_progress, step)
  if (step.kind === 'Repeat') openRepeat(run_progress, step)
}

function beginWait(run_progress: RunProgress, { path, for_ms, until }: PlannedWait): void {
  const value = until === undefined ? undefined : resolvePayload(until, scopeAt(run_progress, path))
  const due_at = dueAt(for_ms, value, run_progress.situation.now)
  run_progress.put(path, { state: 'waiting', due_at, metadata: { waiting_on: 'timer' } })
}

function beginGate(run_progress: RunProgress, step: PlannedGate): void {
  const { path } = step
  if (!step.await) {
    decide(run_progress, step, null)
    return
  }
  const { after_ms, signal, schema, from } = step.await
  const due_at = after_ms === undefined ? null : new Date(run_progress.situation.now.getTime() + after_ms)
  const awaits = signal !== undefined && {
    awaits: { signal, ...(schema && { schema }), ...(from && { from }) },
  }
  const waiting_on = signal === undefined ? 'timer' : 'signal'
  run_progress.put(path, { state: 'waiting', due_at, metadata: { waiting_on, ...awaits } })
  // The signal may have arrived before the gate opened.
  wakeGate(run_progress, step, false)
}

function decide(run_progress: RunProgress, step: PlannedGate, signal: unknown): void {
  const { path, condition } = step
  try {
    const decision = judge(compileExpression(condition), scopeAt(run_progress, path, signal))
    if (!decision && signal !== null && step.await?.on_refusal === 'fail')
      run_progress.fail(path, 'policy_denied', 'It was refused: the condition is false for the signal.')
    else run_progress.put(path, { state: 'succeeded', decision, data: { signal } })
  } catch (thrown) {
    const { code, message, details } = asRefusal(thrown)
    const is_late = signal === null && step.await?.signal !== undefined
    const why = is_late
      ? `No signal ${step.await.signal} came in time, and without one the condition cannot be judged (${message}). Set on_timeout, or let the condition ask whether signal is null.`
      : message
    run_progress.fail(path, code, why, { ...details })
  }
}

/** Nobody sent a signal in time. */
function decideLate(run_progress: RunProgress, step: PlannedGate): void {
  const { on_timeout = 'condition' } = step.await ?? {}
  if (on_timeout === 'condition') decide(run_progress, step, null)
  else if (on_timeout === 'fail') run_progress.fail(step.path, 'timeout', 'No signal came in time.')
  else
    run_progress.put(step.path, {
      state: 'succeeded',
      decision: on_timeout === 'true',
      data: { signal: null },
    })
}

/** A signal that the condition cannot read decides nothing: it is dropped, and the gate waits on. */
function canDecide(run_progress: RunProgress, { path, condition }: PlannedGate, signal: unknown): boolean {
  try {
    judge(compileExpression(condition), scopeAt(run_progress, path, signal))
    return true
  } catch {
    return false
  }
}

/** Gates are checked in order: the next one only after the previous one has passed. */
function passGates(run_progress: RunProgress, { path, gates }: PlannedStep): 'open' | 'asking' | 'shut' {
  for (const [index] of gates.entries()) {
    const at = gatePath(path, index)
    const row = run_progress.rows.get(at)
    if (!row) {
      run_progress.begin(at, { state: 'running', metadata: { waiting_on: 'gate' } })
      return 'asking'
    }
    if (row.state === 'failed') {
      run_progress.fail(path, row.error_code ?? 'policy_denied', 'Its governance gate did not let it pass.')
      return 'shut'
    }
    if (row.state !== 'succeeded') return 'asking'
  }
  return 'open'
}

/** Resumes steps whose signal or time has come. While turning back, only compensations still wait. */
export function wakeWaiting(run_progress: RunProgress): void {
  const { plan, manifest, now } = run_progress.situation
  for (const [path, row] of [...run_progress.rows]) {
    const is_over = run_progress.turns_back && undoneBy(path) === undefined
    // What may be done is finished first, as after a crash: only then is it known what to compensate.
    const may_be_done = mayBeDone(row)
    if (row.state === 'indeterminate') settleBySignal(run_progress, path, is_over)
    if (row.state !== 'waiting') continue
    const is_due = row.due_at !== null && row.due_at <= now
    const step = plan.steps.get(path)
    if (childOf(row)) wakeParent(run_progress, path, is_over)
    else if (is_over && !may_be_done) run_progress.put(path, { state: 'skipped', skip_reason: 'upstream' })
    else if (step?.kind === 'Gate') wakeGate(run_progress, step, is_due)
    else if (step?.kind === 'Wait') {
      if (is_due) run_progress.put(path, { state: 'succeeded' })
    } else if (step?.kind === 'Repeat') {
      if (is_due) nextRound(run_progress, path)
    } else if (step?.kind === 'SubRecipe') {
      if (is_due) run_progress.put(path, { state: 'succeeded', attempt: row.attempt + 1, started_at: now })
    } else if (
      (is_due || isJustCut(row, is_over)) &&
      (gateAt(plan, path) || callableAt(plan, manifest, path))
    )
      run_progress.begin(path, { state: 'running', attempt: row.attempt + (row.metadata?.asking ? 0 : 1) })
  }
}

/** It is asked at once, but only once: a second refusal is waited out. */
function isJustCut({ error }: JournalRow, is_over: boolean): boolean {
  return is_over && isUnconfirmed((error as { details?: unknown } | undefined)?.details)
}

function wakeGate(run_progress: RunProgress, step: PlannedGate, is_due: boolean): void {
  const signal_name = step.await?.signal
  while (signal_name !== undefined) {
    if (run_progress.dropped >= dropped_max) return
    const signal = run_progress.takeSignal(step.path, ({ name }) => name === signal_name)
    if (!signal) break
    const payload = signal.payload ?? {}
    if (!canDecide(run_progress, step, payload)) {
      run_progress.dropped++
      continue
    }
    decide(run_progress, step, payload)
    return
  }
  if (is_due) decideLate(run_progress, step)
}

/** A signal reports whether the step was performed. */
function settleBySignal(run_progress: RunProgress, path: string, is_over: boolean): void {
  const report = takeReports(run_progress, path)
  if (!report) return
  const { performed, data } = report
  const { elapsed_ms, record_id, metadata } = run_progress.rows.get(path)!
  if (performed === true) settleAnswer(run_progress, path, data, { elapsed_ms, record_id })
  else if (is_over) run_progress.fail(path, 'policy_denied', 'It was not done, and the run turns back.')
  else {
    // What was answered and then lost sight of is a new call, or its key would bring the old one back.
    const anew = metadata?.asking !== undefined && { asking: undefined, answered: answersOf(metadata) + 1 }
    run_progress.begin(path, { state: 'running', metadata: { may_be_done: false, ...anew } })
  }
}

interface Report {
  readonly path?: string
  readonly performed?: boolean
  readonly data?: unknown
}

/** Takes all: one left over would answer for the next call. Where they differ, the one that makes no second call counts. */
function takeReports(run_progress: RunProgress, path: string): Report | undefined {
  const reports: Report[] = []
  for (;;) {
    const signal = run_progress.takeSignal(
      path,
      ({ name, payload }) => name === outcome_signal && (payload as Report | null)?.path === path,
    )
    if (!signal) return reports.find(({ performed }) => performed === true) ?? reports[0]
    reports.push(signal.payload as Report)
  }
}
