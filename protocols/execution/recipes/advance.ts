// Decides the next steps of a run from the plan and the journal alone, so that every worker agrees.

import { compileExpression, judge, type Scope } from '@svc/contract/expressions/expression'
import { Refusal } from '@svc/contract/refusal'
import { insideTaken, scoreOf } from './confidence.ts'
import type { Journal, SkipReason, StepRecord } from './journal.ts'
import {
  isGroup,
  isLoop,
  type Plan,
  type PlannedEach,
  type PlannedStep,
  type PlannedSubRecipe,
  stepAt,
  stepsInside,
} from './plan.ts'
import { isRetried } from './retry-delay.ts'

export const running_max = 16

/** Store `skip`, `fail`, `again` and `repeat`, then call again: their consequences are not in this answer. */
export interface Advance {
  /** To start now, in path order. */
  readonly ready: readonly string[]
  readonly skip: readonly { readonly path: string; readonly reason: SkipReason }[]
  /** Steps whose `when` cannot be evaluated. */
  readonly fail: readonly { readonly path: string; readonly error: string }[]
  /** Failed sub-recipes with attempts left: delete the records below them, except succeeded writes, and open them again. */
  readonly again: readonly string[]
  /** Repeats whose last round has ended: whether another one follows is to be decided. */
  readonly repeat: readonly string[]
  readonly ended?: {
    readonly state: 'succeeded' | 'failed'
    readonly score: number
    readonly failed_path?: string
  }
}

/** The state of a step. doomed: a mandatory part failed, but something inside still runs. round_over: of a Repeat, which may go on. */
type Standing =
  | 'pending'
  | 'open'
  | 'doomed'
  | 'failed'
  | 'again'
  | 'round_over'
  | 'given_up'
  | 'succeeded'
  | 'skipped'

interface Deciding {
  readonly plan: Plan
  readonly journal: Journal
  readonly scopeOf: (path: string) => Scope
  readonly standings: Map<string, Standing>
  readonly ended: Map<string, boolean>
  readonly ready: string[]
  readonly skip: { path: string; reason: SkipReason }[]
  readonly fail: { path: string; error: string }[]
  readonly again: string[]
  readonly repeat: string[]
}

export function advance(plan: Plan, journal: Journal, scopeOf: (path: string) => Scope): Advance {
  const state = decidingOn(plan, journal, scopeOf)
  const top = stepsInside(plan, '')
  const standing = standList(state, top)
  if (standing === 'failed') skipRest(state, top, 'upstream')
  else decideList(state, top, standing !== 'doomed')
  const running = [...journal.values()].filter((record) => record.state === 'running').length
  const ended = endOf(state, standing)
  return {
    ready: state.ready.sort().slice(0, Math.max(0, running_max - running)),
    skip: state.skip,
    fail: state.fail,
    again: state.again,
    repeat: state.repeat,
    ...(ended && { ended }),
  }
}

function decidingOn(plan: Plan, journal: Journal, scopeOf: Deciding['scopeOf']): Deciding {
  return {
    plan,
    journal,
    scopeOf,
    standings: new Map(),
    ended: new Map(),
    ready: [],
    skip: [],
    fail: [],
    again: [],
    repeat: [],
  }
}

/** The groups that contain steps that have not ended. */
export function openGroups(plan: Plan, journal: Journal, groups: readonly PlannedStep[]): PlannedStep[] {
  const state = decidingOn(plan, journal, () => {
    throw new Error('nothing is judged here')
  })
  return groups.filter((step) => {
    const standing = standingOf(state, step)
    return standing === 'open' || standing === 'doomed'
  })
}

function endOf({ plan, journal }: Deciding, standing: Standing): Advance['ended'] {
  if (standing !== 'failed' && standing !== 'succeeded') return undefined
  const score = scoreOf(plan, journal)
  if (standing === 'succeeded') return { state: 'succeeded', score }
  const failed_path = firstFailure(plan, journal, stepsInside(plan, ''))
  return { state: 'failed', score, ...(failed_path !== undefined && { failed_path }) }
}

/** The first failure, in path order, that no enclosing step tolerates. */
function firstFailure(plan: Plan, journal: Journal, list: readonly PlannedStep[]): string | undefined {
  for (const step of list) {
    const record = journal.get(step.path)
    if (step.optional || !record) continue
    if (record.state === 'failed') return step.path
    const inner = isGroup(step) && record.state === 'succeeded' ? insideTaken(plan, step, record) : []
    const failure = firstFailure(plan, journal, inner)
    if (failure !== undefined) return failure
  }
  return undefined
}

function standingOf(state: Deciding, step: PlannedStep): Standing {
  const standing = state.standings.get(step.path)
  if (standing) return standing
  const fresh = stand(state, step)
  state.standings.set(step.path, fresh)
  return fresh
}

function stand(state: Deciding, step: PlannedStep): Standing {
  const record = state.journal.get(step.path)
  if (!record) return 'pending'
  if (record.state === 'skipped') return 'skipped'
  if (record.state === 'failed') {
    // A group that timed out ends only when everything inside has ended.
    if (isBusy(state, stepsInside(state.plan, step.path))) return step.optional ? 'open' : 'doomed'
    return step.optional ? 'given_up' : 'failed'
  }
  if (record.state !== 'succeeded') return 'open'
  if (!isGroup(step)) return 'succeeded'
  const inside = standList(state, insideTaken(state.plan, step, record))
  if (step.kind === 'Repeat' && inside === 'succeeded' && record.metadata?.is_over !== true)
    return 'round_over'
  if (inside !== 'failed' && inside !== 'doomed') return inside
  const has_tries = step.kind === 'SubRecipe' && isTriedAgain(state, step, record)
  if (inside === 'doomed') return step.optional || has_tries ? 'open' : 'doomed'
  return has_tries ? 'again' : step.optional ? 'given_up' : 'failed'
}

function isTriedAgain({ plan, journal }: Deciding, step: PlannedSubRecipe, record: StepRecord): boolean {
  const failed_path = firstFailure(plan, journal, insideTaken(plan, step, record))
  const error = failed_path === undefined ? undefined : (journal.get(failed_path)?.error as { code?: string })
  return isRetried(step.retry, record.attempt, error?.code)
}

/** A list has failed once nothing in it runs; until then it is doomed. */
function standList(state: Deciding, list: readonly PlannedStep[]): Standing {
  const standings = list.map((step) => standingOf(state, step))
  if (standings.includes('failed') || standings.includes('doomed')) {
    return isBusy(state, list) ? 'doomed' : 'failed'
  }
  return standings.every((standing) => standing === 'succeeded' || standing === 'skipped')
    ? 'succeeded'
    : 'open'
}

/** An unknown outcome also delays the end: it decides what to compensate. */
function isBusy({ plan, journal }: Deciding, list: readonly PlannedStep[]): boolean {
  const waiting = [...list]
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    const record = journal.get(step.path)
    if (record?.state === 'running' || record?.state === 'indeterminate') return true
    waiting.push(...stepsInside(plan, step.path))
  }
  return false
}

function decideList(state: Deciding, list: readonly PlannedStep[], may_start: boolean): void {
  for (const step of list) {
    const standing = standingOf(state, step)
    if (standing === 'pending') {
      if (may_start && step.parents.every((path) => hasEnded(state, path))) decideStart(state, step)
    } else if (standing === 'given_up') {
      state.skip.push({ path: step.path, reason: 'optional_failed' })
      skipRest(state, stepsInside(state.plan, step.path), 'upstream')
    } else if (standing === 'again') {
      if (may_start) state.again.push(step.path)
    } else if (standing === 'round_over') {
      if (may_start) state.repeat.push(step.path)
    } else if (isGroup(step)) {
      // A loop that outlasted a retry of its sub-recipe goes on once the steps before it have ended again.
      decideInside(state, step, may_start && step.parents.every((path) => hasEnded(state, path)))
    }
  }
}

function decideInside(state: Deciding, step: PlannedStep, may_start: boolean): void {
  const record = state.journal.get(step.path)!
  const inside = stepsInside(state.plan, step.path)
  if (record.state === 'skipped') {
    skipRest(state, inside, record.skip_reason === 'not_taken' ? 'not_taken' : 'upstream')
  } else if (record.state === 'succeeded') {
    const taken = insideTaken(state.plan, step, record)
    if (step.kind === 'Gate') {
      const untaken = record.decision ? 'on_false' : 'on_true'
      skipRest(
        state,
        inside.filter(({ branch }) => branch === untaken),
        'not_taken',
      )
    }
    if (isLoop(step)) {
      const beyond = inside.filter((round) => !taken.includes(round))
      if (beyond.length > 0) skipRest(state, beyond, 'not_taken')
    }
    const standing = standList(state, taken)
    const goes_on = may_start && standing !== 'doomed' && standing !== 'failed'
    decideList(state, step.kind === 'ForEach' ? beginnable(state, step, taken) : taken, goes_on)
  }
}

/** Rounds under way, those that ended, and as many others as may begin beside them. */
function beginnable(
  state: Deciding,
  { concurrency }: PlannedEach,
  rounds: readonly PlannedStep[],
): readonly PlannedStep[] {
  const standings = rounds.map((round) => standingOf(state, round))
  let left = concurrency - standings.filter((standing) => standing === 'open' || standing === 'doomed').length
  return rounds.filter((_, at) => standings[at] !== 'pending' || left-- > 0)
}

/** Skips steps that have not started or only wait. */
function skipRest(state: Deciding, list: readonly PlannedStep[], reason: SkipReason): void {
  for (const step of list) {
    const record = state.journal.get(step.path)
    if (!record || record.state === 'waiting') state.skip.push({ path: step.path, reason })
    skipRest(state, stepsInside(state.plan, step.path), reason)
  }
}

/** A step that outlasted a retry of its sub-recipe has ended only once the steps before it have ended again. */
function hasEnded(state: Deciding, path: string): boolean {
  const cached = state.ended.get(path)
  if (cached !== undefined) return cached
  const step = stepAt(state.plan, path)
  const standing = standingOf(state, step)
  const is_over = standing === 'succeeded' || standing === 'skipped'
  const ended = is_over && step.parents.every((parent) => hasEnded(state, parent))
  state.ended.set(path, ended)
  return ended
}

function decideStart(state: Deciding, step: PlannedStep): void {
  const { path, when } = step
  try {
    if (when === undefined || judge(compileExpression(when), state.scopeOf(path))) state.ready.push(path)
    else state.skip.push({ path, reason: 'when' })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    state.fail.push({ path, error: error.message })
  }
}
