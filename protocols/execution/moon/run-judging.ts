// Whether a call that was answered also did its work: by the step's own words, or by what the operation says of its answers.
import { compileExpression, judge, type Scope } from '@svc/contract/expressions/expression'
import type { Ending } from '@svc/contract/operation-facts'
import { refusals } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import { isRetried, retryDelay, unsuccessful } from '../recipes/api.ts'
import { scopeOf } from './run-effect.ts'
import { type Asking, answersOf, cut_off, type Refused } from './run-outcome.ts'
import { type Callable, callableAt } from './run-path.ts'
import type { RunProgress } from './run-progress.ts'
import type { JournalRow } from './run-store.ts'

const ask_ms_min = 1_000
const ask_ms_max = 30_000
const reason_chars_max = 500

export type Judged =
  | { readonly is: 'success' }
  /** The work goes on; `subject` names it to the read that tells how it ends. */
  | { readonly is: 'pending'; readonly subject: unknown }
  | { readonly is: 'failure'; readonly type: string; readonly message: string; readonly is_final?: boolean }

export function judgeAnswer(run_progress: RunProgress, path: string, output: unknown): Judged {
  const { situation, rows } = run_progress
  const step = callableAt(situation.plan, situation.manifest, path)!
  const ending = situation.endingOf(step.protocol, step.operation)
  if (!ending && step.success_when === undefined && !step.errors) return { is: 'success' }
  try {
    const scope = { ...scopeOf({ ...situation, rows }, path), data: output }
    return judgeIn(scope, step, ending)
  } catch (thrown) {
    const { message } = asRefusal(thrown)
    return { is: 'failure', type: 'invalid_payload', message, is_final: true }
  }
}

function judgeIn(scope: Scope, { errors = [], success_when }: Callable, ending: Ending | undefined): Judged {
  const holds = (text: string) => judge(compileExpression(text, 'answer'), scope)
  const { later } = ending ?? {}
  if (later && holds(later.when))
    return { is: 'pending', subject: (scope.data as Record<string, unknown>)[later.by] }
  const error = errors.find(({ when }) => holds(when))
  if (error)
    return {
      is: 'failure',
      type: error.type,
      message: `Its answer is the error ${error.type}: ${error.when}.`,
    }
  const text = success_when ?? ending?.success_when
  if (text === undefined || holds(text)) return { is: 'success' }
  const reason = reasonIn(scope.data, ending) ?? `not ${text}`
  return { is: 'failure', type: unsuccessful, message: `It was answered, but not successfully: ${reason}.` }
}

/** The words of the answer itself, where its operation says in which field they are. */
function reasonIn(data: unknown, { told_in }: Partial<Ending> = {}): string | undefined {
  const words = told_in === undefined ? undefined : (data as Record<string, unknown> | null)?.[told_in]
  if (typeof words !== 'string' || words === '') return undefined
  return words.slice(0, reason_chars_max).replace(/\.$/, '')
}

/** The next attempt is another call: the key of this one would only bring its answer back. */
export function settleFailure(
  run_progress: RunProgress,
  path: string,
  failure: Extract<Judged, { is: 'failure' }>,
  answered: Pick<JournalRow, 'elapsed_ms' | 'record_id'>,
  answer?: unknown,
): void {
  const { plan, manifest, run, now } = run_progress.situation
  const { retry } = callableAt(plan, manifest, path)!
  const { attempt, metadata: before = {} } = run_progress.rows.get(path)!
  const { type, message, is_final = false } = failure
  const { asking: _, child: __, ...rest } = before
  const metadata = { ...rest, may_be_done: false, answered: answersOf(before) + 1 }
  const error = { code: type, message, details: {} }
  const common = { ...answered, error_code: type, error, metadata }
  if (is_final || !isRetried(retry, attempt, type)) {
    run_progress.put(path, { ...common, data: answer, state: 'failed' })
    return
  }
  const due_at = new Date(now.getTime() + retryDelay(retry, attempt, `${run.run_id}|${path}`))
  const waiting = { ...metadata, waiting_on: 'timer' }
  run_progress.tryLater(path, { ...common, due_at, metadata: waiting }, answer)
}

/** Asked again after about as long as it has taken so far. */
export function askAgain(run_progress: RunProgress, path: string, subject: unknown): void {
  const { now } = run_progress.situation
  const row = run_progress.rows.get(path)!
  const { asking } = row.metadata ?? {}
  const since = typeof asking === 'object' && asking !== null ? (asking as Asking).since : now.toISOString()
  const after_ms = Math.min(ask_ms_max, Math.max(ask_ms_min, now.getTime() - Date.parse(since)))
  run_progress.put(path, {
    state: 'waiting',
    due_at: new Date(now.getTime() + after_ms),
    error_code: null,
    error: undefined,
    metadata: { ...row.metadata, may_be_done: true, waiting_on: 'action', asking: { subject, since } },
  })
}

/** A read that could not be made says nothing of the work. Where it is refused for good, only a person can tell. */
export function settleUnasked(
  run_progress: RunProgress,
  path: string,
  { code, message, details }: Refused,
  { subject }: Asking,
): void {
  const is_for_good = refusals[code].outcome === 'refused' && refusals[code].retry === 'never'
  if (is_for_good && details.reason !== cut_off)
    run_progress.put(path, { state: 'indeterminate', error_code: code, error: { code, message, details } })
  else askAgain(run_progress, path, subject)
}
