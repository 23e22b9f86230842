// Opens the rounds of loops, and decides whether another one follows.
import { compileExpression, judge } from '@svc/contract/expressions/expression'
import { rounds_max } from '@svc/contract/recipe-repetition'
import { asRefusal } from '@svc/database/as-refusal'
import {
  type PlannedEach,
  type PlannedRepeat,
  readScope,
  resolvePayload,
  roundPath,
  roundsOf,
  run_steps_max,
  stepAt,
  unsuccessful,
} from '../recipes/api.ts'
import type { RunProgress } from './run-progress.ts'
import { scopeAt } from './run-scope.ts'

const items_bytes_max = 1024 * 1024

export function openEach(run_progress: RunProgress, { path, items }: PlannedEach): void {
  const list = resolvePayload(items, scopeAt(run_progress, path))
  if (!Array.isArray(list)) {
    run_progress.fail(path, 'invalid_payload', 'The items of a ForEach are a list; these are not.')
    return
  }
  const bytes = Buffer.byteLength(JSON.stringify(list))
  const why =
    list.length > rounds_max
      ? `A ForEach has at most ${rounds_max} elements, and this list has ${list.length}; split it, for example into child runs.`
      : bytes > items_bytes_max
        ? `The elements of a ForEach may have ${items_bytes_max} bytes together, and these have ${bytes}; pass references to them.`
        : undefined
  if (why !== undefined) run_progress.fail(path, 'payload_too_large', why)
  else openRounds(run_progress, path, list.length, { items: list })
}

export function openRepeat(run_progress: RunProgress, { path }: PlannedRepeat): void {
  openRounds(run_progress, path, 1)
}

/** After a round of a Repeat. */
export function decideRound(run_progress: RunProgress, path: string): void {
  const loop = stepAt(run_progress.situation.plan, path) as PlannedRepeat
  const rounds = roundsOf(run_progress.rows.get(path))
  try {
    if (isOver(run_progress, loop, rounds)) {
      run_progress.put(path, { state: 'succeeded', metadata: { rounds, is_over: true } })
      return
    }
  } catch (thrown) {
    const { code, message, details } = asRefusal(thrown)
    run_progress.fail(path, code, message, { ...details })
    return
  }
  const { now } = run_progress.situation
  if (rounds >= loop.max)
    run_progress.fail(path, unsuccessful, `Its ${loop.max} rounds are over, and it has not come to its end.`)
  else if (loop.pause_ms === 0) nextRound(run_progress, path)
  else
    run_progress.put(path, {
      state: 'waiting',
      due_at: new Date(now.getTime() + loop.pause_ms),
      metadata: { rounds, waiting_on: 'timer' },
    })
}

export function nextRound(run_progress: RunProgress, path: string): void {
  openRounds(run_progress, path, roundsOf(run_progress.rows.get(path)) + 1)
}

function isOver(run_progress: RunProgress, { path, until, while: goes_on }: PlannedRepeat, rounds: number) {
  const { plan, run, now } = run_progress.situation
  const round = roundPath(path, rounds - 1)
  const outside = { input: run.input, signal: null, now_ms: now.getTime(), seed: `${run.run_id}|${round}` }
  const scope = readScope(plan, run_progress.journal, undefined, outside, round)
  const holds = judge(compileExpression(until ?? goes_on!), scope)
  return until === undefined ? !holds : holds
}

function openRounds(run_progress: RunProgress, path: string, rounds: number, data?: unknown): void {
  const before = run_progress.rows.get(path)
  run_progress.put(path, { state: 'succeeded', metadata: { rounds }, ...(data !== undefined && { data }) })
  run_progress.grow()
  const { size } = run_progress.situation.plan.steps
  if (size <= run_steps_max) return
  // As it was: a plan of this size is not kept.
  run_progress.put(path, { state: 'succeeded', metadata: { rounds: roundsOf(before) }, data: before?.data })
  run_progress.grow()
  const message = `With its rounds the run would have ${size} steps, and it has at most ${run_steps_max}; use child runs.`
  run_progress.fail(path, 'payload_too_large', message)
}
