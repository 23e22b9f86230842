// Handles results, and intents left without one by the previous engine.
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { baseScore, stepAt } from '../recipes/api.ts'
import { followChild } from './run-children.ts'
import { judgeGate, readHearing } from './run-gates.ts'
import { askAgain, judgeAnswer, settleFailure, settleUnasked } from './run-judging.ts'
import {
  type Asking,
  judge,
  judgeUnknown,
  type Performed,
  staysInDoubt,
  type Verdict,
} from './run-outcome.ts'
import { callableAt, gateAt } from './run-path.ts'
import type { RunProgress } from './run-progress.ts'
import type { JournalRow } from './run-store.ts'

const result_bytes_max = 1024 * 1024
/** Idempotency keys are stored for a day: an older intent cannot safely be retried. */
const repeatable_ms = 23 * 3_600_000
const no_retry = { max: 0, retry_penalty: 0, backoff_ms: 0, factor: 1, jitter: 0 }
const gate_rule = { step: { retry: no_retry }, attempt: 1, is_outside: false, seed: '' } as const

export function settleOutcomes(run_progress: RunProgress): void {
  for (const [path, performed] of run_progress.situation.outcomes) {
    if (gateAt(run_progress.situation.plan, path)) settleGate(run_progress, path, performed)
    else settleCall(run_progress, path, performed)
  }
}

function settleCall(run_progress: RunProgress, path: string, performed: Performed): void {
  const row = run_progress.rows.get(path)!
  const tried = triedAs(run_progress, path, row)
  const verdict = judge(performed, tried)
  const { elapsed_ms, record_id } = performed
  if (performed.kind === 'done' && run_progress.situation.plan.steps.get(path)?.kind === 'Run') {
    const { run_ref } = performed.output as { run_ref: string }
    followChild(run_progress, path, run_ref, { elapsed_ms, record_id })
    return
  }
  if (performed.kind === 'done') {
    settleAnswer(run_progress, path, performed.output, { elapsed_ms, record_id })
    return
  }
  if (row.metadata?.asking) {
    settleUnasked(run_progress, path, performed, row.metadata.asking as Asking)
    return
  }
  const in_doubt = !tried.is_outside && staysInDoubt(row, performed)
  run_progress.put(path, { ...row, elapsed_ms, record_id, state: 'running' })
  if (in_doubt && verdict.verdict === 'failed')
    settleVerdict(run_progress, path, { verdict: 'unknown' }, performed)
  else settleVerdict(run_progress, path, verdict, performed, in_doubt)
}

/** An answer is judged the same way whether the call or a signal delivers it; a report without one is taken at its word. */
export function settleAnswer(
  run_progress: RunProgress,
  path: string,
  answer: unknown,
  { elapsed_ms, record_id }: Pick<JournalRow, 'elapsed_ms' | 'record_id'>,
): void {
  const output = answer === undefined ? {} : answer
  const { attempt } = run_progress.rows.get(path)!
  if (canonicalJson(output).length > result_bytes_max) {
    const message = `A step may answer ${result_bytes_max} bytes; this one was longer.`
    run_progress.fail(path, 'payload_too_large', message)
    return
  }
  const base_score = scoreIn(output)
  if (base_score === undefined) {
    run_progress.fail(path, 'protocol_error', 'It answered a confidence that is not between 0 and 1.')
    return
  }
  const judged = answer === undefined ? { is: 'success' as const } : judgeAnswer(run_progress, path, output)
  if (judged.is === 'pending') {
    askAgain(run_progress, path, judged.subject)
    return
  }
  if (judged.is === 'failure') {
    settleFailure(run_progress, path, judged, { elapsed_ms, record_id }, output)
    return
  }
  const done = { data: output, base_score, elapsed_ms, record_id }
  run_progress.put(path, { ...done, state: 'succeeded', error_code: null, error: undefined })
  if (run_progress.situation.plan.steps.get(path)?.checkpoint)
    run_progress.tell('StepCompleted', { path, attempt, confidence_score: base_score, record_id })
}

function scoreIn(output: unknown): number | undefined {
  try {
    return baseScore(output)
  } catch {
    return undefined
  }
}

function settleVerdict(
  run_progress: RunProgress,
  path: string,
  verdict: Verdict,
  performed?: Performed,
  in_doubt = false,
): void {
  const refused = performed?.kind === 'refused' ? performed : undefined
  const { code = 'internal', message = 'It was begun, and nobody knows whether it was done.' } = refused ?? {}
  const error = { code, message, details: refused?.details ?? {} }
  const { attempt, metadata } = run_progress.rows.get(path)!
  if (verdict.verdict === 'failed') run_progress.put(path, { state: 'failed', error_code: code, error })
  if (verdict.verdict === 'unknown')
    run_progress.put(path, { state: 'indeterminate', error_code: code, error })
  if (verdict.verdict === 'again') {
    const { after_ms, counts, waiting_on } = verdict
    const due_at = new Date(run_progress.situation.now.getTime() + after_ms)
    const tries = counts ? attempt : attempt - 1
    const doubt = (in_doubt || metadata?.may_be_done !== undefined) && { may_be_done: in_doubt }
    const change = {
      ...{ attempt: tries, due_at, error_code: code, error },
      metadata: { ...metadata, waiting_on, ...doubt },
    }
    if (counts) run_progress.tryLater(path, change)
    else run_progress.put(path, { ...change, state: 'waiting' })
  }
}

function triedAs({ situation }: RunProgress, path: string, { attempt }: JournalRow) {
  const { plan, manifest, run } = situation
  const step = callableAt(plan, manifest, path)!
  const is_outside = situation.isOutside(step.protocol, step.operation)
  return { step, attempt, is_outside, seed: `${run.run_id}|${path}` }
}

/**
 * Intents whose engine is gone, or has only lost the run and still performs them. Their key makes them take effect once, however often
 * retried; until an attempt has claimed it, a write may be done.
 */
export function recoverIntents(run_progress: RunProgress): void {
  const { under_way, outcomes, now, plan, isWrite } = run_progress.situation
  for (const [path, row] of run_progress.rows) {
    if (row.state !== 'running' || under_way.has(path) || outcomes.has(path)) continue
    if (gateAt(plan, path)) {
      run_progress.begun.add(path)
      continue
    }
    const tried = triedAs(run_progress, path, row)
    if (row.metadata?.asking) {
      run_progress.begun.add(path)
      continue
    }
    const is_old = now.getTime() - row.started_at.getTime() > repeatable_ms
    if (tried.is_outside || is_old) {
      settleVerdict(run_progress, path, judgeUnknown(tried))
      continue
    }
    if (isWrite(tried.step.protocol, tried.step.operation))
      run_progress.put(path, { state: 'running', metadata: { ...row.metadata, may_be_done: true } })
    run_progress.begun.add(path)
  }
}

/** A gate can have three pending calls: the check, the filing of a case, and the state of that case. */
function settleGate(run_progress: RunProgress, path: string, performed: Performed): void {
  const postponed = judge(performed, gate_rule)
  const { data, metadata } = run_progress.rows.get(path)!
  const case_id = (data as { case_id?: string } | undefined)?.case_id
  if (postponed.verdict === 'again') askLater(run_progress, path, postponed.after_ms)
  else if (case_id !== undefined) settleHearing(run_progress, path, performed)
  else if (metadata?.stage === 'case') settleFiling(run_progress, path, performed)
  else settleJudgement(run_progress, path, performed)
}

function settleJudgement(run_progress: RunProgress, path: string, performed: Performed): void {
  const { gate } = gateAt(run_progress.situation.plan, path)!
  const verdict = judgeGate(gate, performed)
  if (!verdict.go_on && verdict.escalate)
    run_progress.begin(path, { state: 'running', metadata: { stage: 'case', waiting_on: 'gate' } })
  else endGate(run_progress, path, verdict.go_on, verdict.passed, performed.record_id)
}

function settleFiling(run_progress: RunProgress, path: string, performed: Performed): void {
  if (performed.kind === 'refused') {
    endGate(run_progress, path, false, false)
    run_progress.fail(path, performed.code, performed.message, performed.details)
  } else askLater(run_progress, path, 0, { case_id: (performed.output as { case_id: string }).case_id })
}

function settleHearing(run_progress: RunProgress, path: string, performed: Performed): void {
  const hearing = readHearing(performed)
  if (hearing.ruled) endGate(run_progress, path, hearing.may_go_on, false)
  else askLater(run_progress, path, hearing.after_ms)
}

function askLater(
  run_progress: RunProgress,
  path: string,
  after_ms: number,
  data?: { case_id: string },
): void {
  const due_at = new Date(run_progress.situation.now.getTime() + after_ms)
  run_progress.put(path, { state: 'waiting', due_at, ...(data && { data }) })
}

function endGate(
  run_progress: RunProgress,
  path: string,
  go_on: boolean,
  passed: boolean,
  record_id: string | null = null,
) {
  const { step_path, gate } = gateAt(run_progress.situation.plan, path)!
  const decision = go_on ? (passed ? 'passed' : 'override') : 'stopped'
  const meta = { gate: gate.kind, at_step: stepAt(run_progress.situation.plan, step_path).name, decision }
  if (go_on) run_progress.tell('AuthorizationCheck', meta)
  else run_progress.tell('AuthorizationCheck', { ...meta, reason: 'gate not passed' }, 'refused')
  if (go_on) run_progress.put(path, { state: 'succeeded', decision: passed, record_id })
  else
    run_progress.fail(
      path,
      'policy_denied',
      `The ${gate.kind} gate before ${meta.at_step} did not let it pass.`,
    )
}
