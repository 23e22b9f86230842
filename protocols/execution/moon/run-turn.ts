// One turn of a run as a pure function: the next journal rows, what starts, and when to check again.

import { compileExpression, evaluate } from '@svc/contract/expressions/expression'
import { asRefusal } from '@svc/database/as-refusal'
import {
  type Advance,
  advance,
  isGroup,
  openGroups,
  type Plan,
  type PlannedStep,
  readScope,
  retryDelay,
  scoreOf,
  stepAt,
} from '../recipes/api.ts'
import { hasEnded, type RunState } from './manifest.ts'
import { beginStep, wakeWaiting } from './run-beginning.ts'
import { decideRound } from './run-loops.ts'
import { callableAt, undoPath } from './run-path.ts'
import { isInDoubt, RunProgress, type Situation, type TurnEvent } from './run-progress.ts'
import { scopeAt } from './run-scope.ts'
import { recoverIntents, settleOutcomes } from './run-settling.ts'
import type { JournalRow, RunChange } from './run-store.ts'

const rounds_max = 50

export interface Turn {
  readonly rows: readonly JournalRow[]
  /** Attempts that have failed and are followed by another. */
  readonly attempts: readonly JournalRow[]
  /** Rows of a sub-recipe that restarts. */
  readonly forgotten: readonly string[]
  /** To be performed once this turn is committed. */
  readonly begun: readonly string[]
  /** Whether calls in progress must stop. */
  readonly stop: boolean
  /** Another turn can follow at once. */
  readonly more: boolean
  /** When to check again if no notification arrives. */
  readonly look_at: Date | null
  /** Signals by number, and the step that consumed each. */
  readonly taken: ReadonlyMap<number, string>
  /** Child runs that are to know their parent, and those that are to be cancelled with it. */
  readonly adopted: readonly string[]
  readonly called_off: readonly string[]
  /** With the rounds that its loops have now. */
  readonly plan: Plan
  readonly change: RunChange
  readonly events: readonly TurnEvent[]
}

interface Ending {
  readonly state: RunState
  readonly code: string | null
  readonly output?: unknown
}

/** Where the run is heading. */
interface Course {
  readonly ending?: Ending | undefined
  readonly undoing: 'failed' | 'cancelled' | null
  readonly code: string | null
  readonly stop: boolean
  readonly more?: boolean
}

export function takeTurn(situation: Situation): Turn {
  const run_progress = new RunProgress(situation)
  const { run } = situation
  if (hasEnded(run.state)) throw new Error(`run ${run.run_id} has ended: ${run.state}`)
  if (run.started_at === null) run_progress.tell('WorkflowStarted', { manifest_ref: run.manifest_ref })
  settleOutcomes(run_progress)
  if (situation.leaving)
    return conclude(run_progress, { undoing: run.undoing, code: run.error_code, stop: false })
  recoverIntents(run_progress)
  wakeWaiting(run_progress)
  const course = run.undoing ? undo(run_progress, run.undoing, run.error_code) : goOn(run_progress)
  // The next one may not have been read yet.
  const more = course.more === true || run_progress.dropped > 0
  return conclude(run_progress, { ...course, more })
}

function goOn(run_progress: RunProgress): Course {
  const { run, now } = run_progress.situation
  const is_late = run.deadline_at !== null && run.deadline_at <= now
  if (run.cancel || is_late) {
    if (run_progress.busy.size > 0) return { undoing: null, code: null, stop: true }
    if (run_progress.in_doubt) return { undoing: null, code: null, stop: false }
    const code = is_late ? 'timeout' : 'cancelled'
    const state = is_late ? 'failed' : 'cancelled'
    const is_undoing = is_late || run.cancel === 'compensate'
    // The outcome decides what to compensate, so a signal must report it first.
    if (is_undoing && mayNeedUndoing(run_progress)) return { undoing: null, code: null, stop: false }
    return turnBack(run_progress, state, code, is_undoing)
  }
  endLateGroups(run_progress)
  const ended = advanceAll(run_progress)
  if (ended === 'more') return { undoing: null, code: null, stop: false, more: true }
  if (!ended) return { undoing: null, code: null, stop: false }
  if (ended.state === 'failed') {
    const code = (ended.failed_path && run_progress.rows.get(ended.failed_path)?.error_code) || 'internal'
    return turnBack(run_progress, 'failed', code, true)
  }
  const ending = succeed(run_progress)
  if (ending.state === 'failed') return turnBack(run_progress, 'failed', ending.code ?? 'internal', true)
  return { ending, undoing: null, code: null, stop: false }
}

/** Groups time out like calls; steps already running inside are waited for, and no more start. */
function endLateGroups(run_progress: RunProgress): void {
  const { now } = run_progress.situation
  for (const { path, late_at, timeout_ms } of timedGroups(run_progress)) {
    if (late_at > now) continue
    run_progress.fail(path, 'timeout', `What stands inside of it did not end within its ${timeout_ms} ms.`)
    const waiting = [...run_progress.rows.values()].filter(
      (row) => row.state === 'waiting' && !isInDoubt(row),
    )
    for (const row of waiting)
      if (row.path.startsWith(`${path}/`))
        run_progress.put(row.path, { state: 'skipped', skip_reason: 'upstream' })
  }
}

/** Open gates, parallels and sub-recipes with their own timeout. */
function timedGroups({ situation, rows, journal }: RunProgress) {
  const timed = [...situation.plan.steps.values()].filter((step) => {
    const state = rows.get(step.path)?.state
    if (!isGroup(step) || step.timeout_ms === undefined) return false
    return state === 'succeeded' || (state === 'waiting' && (step.kind === 'Gate' || step.kind === 'Repeat'))
  })
  if (timed.length === 0) return []
  return openGroups(situation.plan, journal, timed).map(({ path, timeout_ms = 0 }) => {
    const late_at = new Date(rows.get(path)!.started_at.getTime() + timeout_ms)
    return { path, late_at, timeout_ms }
  })
}

/** Until nothing more follows, or the round limit is reached so that other runs get their turn. */
function advanceAll(run_progress: RunProgress): Advance['ended'] | 'more' {
  for (let round = 0; round < rounds_max; round++) {
    const { plan } = run_progress.situation
    const next = advance(plan, run_progress.journal, (path) => scopeAt(run_progress, path))
    for (const { path, reason } of next.skip)
      run_progress.put(path, { state: 'skipped', skip_reason: reason })
    for (const { path, error } of next.fail) run_progress.fail(path, 'invalid_payload', error)
    for (const path of next.again) openLater(run_progress, path)
    for (const path of next.repeat) decideRound(run_progress, path)
    const moved = next.ready.map((path) => beginStep(run_progress, path))
    if (next.ended && run_progress.busy.size === 0 && next.skip.length === 0) return next.ended
    const followed = next.skip.length + next.fail.length + next.again.length + next.repeat.length
    if (followed === 0 && !moved.includes(true)) return undefined
  }
  return 'more'
}

/** One turn per attempt: a recipe that fails at once would otherwise retry forever within a turn. */
function openLater(run_progress: RunProgress, path: string): void {
  const { plan, run } = run_progress.situation
  const step = stepAt(plan, path)
  if (step.kind !== 'SubRecipe') throw new Error(`${path} is no sub-recipe`)
  const { attempt } = run_progress.rows.get(path)!
  run_progress.openAgain(path, retryDelay(step.retry, attempt, `${run.run_id}|${path}`))
}

function succeed(run_progress: RunProgress): Ending {
  const { manifest, plan, run, now } = run_progress.situation
  if (manifest.output === undefined) return { state: 'succeeded', code: null }
  const outside = { input: run.input, signal: null, now_ms: now.getTime(), seed: run.run_id }
  try {
    const output = evaluate(
      compileExpression(manifest.output),
      readScope(plan, run_progress.journal, undefined, outside),
    )
    return { state: 'succeeded', code: null, output }
  } catch (thrown) {
    return { state: 'failed', code: asRefusal(thrown).code }
  }
}

/** Compensates completed steps where the manifest defines how. */
function turnBack(
  run_progress: RunProgress,
  state: 'failed' | 'cancelled',
  code: string,
  is_undoing: boolean,
): Course {
  if (!is_undoing || undoable(run_progress).length === 0)
    return { ending: { state, code }, undoing: null, code, stop: false }
  return undo(run_progress, state, code)
}

function mayNeedUndoing({ rows, situation: { plan, manifest } }: RunProgress): boolean {
  return [...rows.values()].some(
    ({ path, state }) =>
      state === 'indeterminate' && plan.steps.has(path) && callableAt(plan, manifest, undoPath(path)),
  )
}

function undoable(run_progress: RunProgress): readonly string[] {
  const { plan, manifest } = run_progress.situation
  return [...run_progress.rows.values()]
    .filter(({ path, state }) => state === 'succeeded' && isUndoable(plan.steps.get(path)))
    .filter(({ path }) => callableAt(plan, manifest, undoPath(path)))
    .sort((a, b) => b.seq - a.seq)
    .map(({ path }) => path)
}

/** Audit entries stay, whatever becomes of a run. */
function isUndoable(step: PlannedStep | undefined): boolean {
  return step?.kind === 'Protocol' || step?.kind === 'Run'
}

/** One at a time, in reverse order of completion. One that fails does not keep the others from being undone. */
function undo(run_progress: RunProgress, undoing: 'failed' | 'cancelled', code: string | null): Course {
  const course = { undoing, code, stop: false }
  if (run_progress.busy.size > 0) return course
  let has_failed = false
  for (const path of undoable(run_progress)) {
    const row = run_progress.rows.get(undoPath(path))
    if (row?.state === 'succeeded') continue
    if (row?.state === 'failed' && !row.metadata?.again) {
      has_failed = true
      continue
    }
    if (row?.state === 'failed')
      run_progress.begin(undoPath(path), { state: 'running', attempt: 1, metadata: { again: undefined } })
    if (!row) run_progress.begin(undoPath(path))
    return course
  }
  return { ...course, ending: { state: has_failed ? 'compensation_failed' : 'compensated', code } }
}

function conclude(run_progress: RunProgress, { ending, undoing, code, stop, more = false }: Course): Turn {
  const { run, now, plan, leaving } = run_progress.situation
  const confidence = scoreOf(plan, run_progress.journal)
  const rows = [...run_progress.changed].map((path) => run_progress.rows.get(path)!)
  const common = { undoing, confidence, journal_seq: run_progress.seq, started_at: run.started_at ?? now }
  const changes = {
    rows,
    attempts: run_progress.attempts,
    forgotten: [...run_progress.forgotten],
    begun: [...run_progress.begun],
    stop,
    more,
    taken: run_progress.taken,
    adopted: [...run_progress.adopted],
    called_off: [...run_progress.called_off],
    plan,
    events: run_progress.events,
  }
  if (ending) {
    const { state, code: error_code, output } = ending
    const outcome = state === 'succeeded' ? 'success' : 'error'
    run_progress.tell(
      'WorkflowFinished',
      { state, confidence_score: confidence, ...(error_code && { error_code }) },
      outcome,
    )
    const change = { ...common, state, waiting_on: null, error_code, output, ended_at: now, wake_at: null }
    return { ...changes, look_at: null, change: { ...change, released: true } }
  }
  const look_at = wakeAt(run_progress)
  const is_parked = run_progress.busy.size === 0 && !more
  const state = undoing ? 'compensating' : is_parked && !leaving ? 'waiting' : 'running'
  const change: RunChange = {
    ...common,
    state,
    waiting_on: is_parked && !leaving ? waitingOn(run_progress) : null,
    error_code: code,
    ended_at: null,
    wake_at: is_parked && !leaving ? look_at : now,
    released: is_parked,
  }
  return { ...changes, look_at, change }
}

const reasons = ['gate', 'signal', 'approval', 'runway', 'action', 'run', 'timer'] as const

function waitingOn(run_progress: RunProgress): string {
  const waiting = [...run_progress.rows.values()].filter(({ state }) => state === 'waiting')
  if ([...run_progress.rows.values()].some(({ state }) => state === 'indeterminate')) return 'signal'
  return reasons.find((reason) => waiting.some(({ metadata }) => metadata?.waiting_on === reason)) ?? 'timer'
}

/** The next due time of the run; null if only a signal can wake it. */
function wakeAt(run_progress: RunProgress): Date | null {
  const { run, now } = run_progress.situation
  const { deadline_at } = run
  const moments = [...run_progress.rows.values()]
    .filter(({ state, due_at }) => state === 'waiting' && due_at)
    .map(({ due_at }) => due_at!.getTime())
  if (!run.undoing) for (const { late_at } of timedGroups(run_progress)) moments.push(late_at.getTime())
  if (deadline_at && deadline_at > now && !run.undoing) moments.push(deadline_at.getTime())
  return moments.length ? new Date(Math.min(...moments)) : null
}
