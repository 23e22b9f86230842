// What came back, and what was left without an answer by whoever carried the run before.
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { baseScore, stepAt } from '../recipes/api.ts'
import { judgeGate, readHearing } from './run-gates.ts'
import { judge, judgeUnknown, type Performed, type Verdict } from './run-outcome.ts'
import { callableAt, gateAt } from './run-path.ts'
import type { RunSheet } from './run-progress.ts'
import type { JournalRow } from './run-store.ts'

const result_bytes_max = 1024 * 1024
/** Idempotency keys are kept for a day: an intent that is older may not simply be tried again. */
const repeatable_ms = 23 * 3_600_000
const no_retry = { max: 0, retry_penalty: 0, backoff_ms: 0, factor: 1, jitter: 0 }
const gate_rule = { step: { retry: no_retry }, attempt: 1, is_outside: false, seed: '' } as const

export function settleOutcomes(sheet: RunSheet): void {
  for (const [path, performed] of sheet.situation.outcomes) {
    if (gateAt(sheet.situation.plan, path)) settleGate(sheet, path, performed)
    else settleCall(sheet, path, performed)
  }
}

function settleCall(sheet: RunSheet, path: string, performed: Performed): void {
  const row = sheet.rows.get(path)!
  const verdict = judge(performed, triedAs(sheet, path, row))
  const { elapsed_ms, record_id } = performed
  if (verdict.verdict !== 'succeeded') {
    sheet.put(path, { ...row, elapsed_ms, record_id, state: 'running' })
    settleVerdict(sheet, path, verdict, performed)
    return
  }
  const { output } = performed as Extract<Performed, { kind: 'done' }>
  settleAnswer(sheet, path, output, { elapsed_ms, record_id })
}

/** An answer is judged the same whoever brings it: the call itself, or somebody who looked. */
export function settleAnswer(
  sheet: RunSheet,
  path: string,
  output: unknown,
  { elapsed_ms, record_id }: Pick<JournalRow, 'elapsed_ms' | 'record_id'>,
): void {
  const { attempt } = sheet.rows.get(path)!
  if (canonicalJson(output).length > result_bytes_max) {
    const message = `A step may answer ${result_bytes_max} bytes; this one was longer.`
    sheet.fail(path, 'payload_too_large', message)
    return
  }
  const base_score = scoreIn(output)
  if (base_score === undefined) {
    sheet.fail(path, 'protocol_error', 'It answered a confidence that is not between 0 and 1.')
    return
  }
  const done = { data: output, base_score, elapsed_ms, record_id }
  sheet.put(path, { ...done, state: 'succeeded', error_code: null, error: undefined })
  if (sheet.situation.plan.steps.get(path)?.checkpoint)
    sheet.tell('StepCompleted', { path, attempt, confidence_score: base_score, record_id })
}

function scoreIn(output: unknown): number | undefined {
  try {
    return baseScore(output)
  } catch {
    return undefined
  }
}

function settleVerdict(sheet: RunSheet, path: string, verdict: Verdict, performed?: Performed): void {
  const refused = performed?.kind === 'refused' ? performed : undefined
  const { code = 'internal', message = 'It was begun, and nobody knows whether it was done.' } = refused ?? {}
  const error = { code, message, details: refused?.details ?? {} }
  const { attempt, metadata } = sheet.rows.get(path)!
  if (verdict.verdict === 'failed') sheet.put(path, { state: 'failed', error_code: code, error })
  if (verdict.verdict === 'unknown') sheet.put(path, { state: 'indeterminate', error_code: code, error })
  if (verdict.verdict === 'again') {
    const { after_ms, counts, waiting_on } = verdict
    const due_at = new Date(sheet.situation.now.getTime() + after_ms)
    const tries = counts ? attempt : attempt - 1
    sheet.put(path, {
      state: 'waiting',
      attempt: tries,
      due_at,
      error_code: code,
      error,
      metadata: { ...metadata, waiting_on },
    })
  }
}

function triedAs({ situation }: RunSheet, path: string, { attempt }: JournalRow) {
  const { plan, manifest, run } = situation
  const step = callableAt(plan, manifest, path)!
  const is_outside = situation.isOutside(step.protocol, step.operation)
  return { step, attempt, is_outside, seed: `${run.run_id}|${path}` }
}

/** Intents nobody is carrying out: begun by an engine that is gone. With their key they are done once, however often tried. */
export function recoverIntents(sheet: RunSheet): void {
  const { under_way, outcomes, now, plan } = sheet.situation
  for (const [path, row] of sheet.rows) {
    if (row.state !== 'running' || under_way.has(path) || outcomes.has(path)) continue
    if (gateAt(plan, path)) {
      sheet.begun.add(path)
      continue
    }
    const tried = triedAs(sheet, path, row)
    const is_old = now.getTime() - row.started_at.getTime() > repeatable_ms
    if (tried.is_outside || is_old) settleVerdict(sheet, path, judgeUnknown(tried))
    else sheet.begun.add(path)
  }
}

/** Three questions may stand behind one gate: the judge's, the filing of a case, and how that case stands. */
function settleGate(sheet: RunSheet, path: string, performed: Performed): void {
  const postponed = judge(performed, gate_rule)
  const { data, metadata } = sheet.rows.get(path)!
  const case_id = (data as { case_id?: string } | undefined)?.case_id
  if (postponed.verdict === 'again') askLater(sheet, path, postponed.after_ms)
  else if (case_id !== undefined) settleHearing(sheet, path, performed)
  else if (metadata?.stage === 'case') settleFiling(sheet, path, performed)
  else settleJudgement(sheet, path, performed)
}

function settleJudgement(sheet: RunSheet, path: string, performed: Performed): void {
  const { gate } = gateAt(sheet.situation.plan, path)!
  const verdict = judgeGate(gate, performed)
  if (!verdict.go_on && verdict.escalate)
    sheet.begin(path, { state: 'running', metadata: { stage: 'case', waiting_on: 'gate' } })
  else endGate(sheet, path, verdict.go_on, verdict.passed, performed.record_id)
}

function settleFiling(sheet: RunSheet, path: string, performed: Performed): void {
  if (performed.kind === 'refused') {
    endGate(sheet, path, false, false)
    sheet.fail(path, performed.code, performed.message, performed.details)
  } else askLater(sheet, path, 0, { case_id: (performed.output as { case_id: string }).case_id })
}

function settleHearing(sheet: RunSheet, path: string, performed: Performed): void {
  const hearing = readHearing(performed)
  if (hearing.ruled) endGate(sheet, path, hearing.may_go_on, false)
  else askLater(sheet, path, hearing.after_ms)
}

function askLater(sheet: RunSheet, path: string, after_ms: number, data?: { case_id: string }): void {
  const due_at = new Date(sheet.situation.now.getTime() + after_ms)
  sheet.put(path, { state: 'waiting', due_at, ...(data && { data }) })
}

function endGate(
  sheet: RunSheet,
  path: string,
  go_on: boolean,
  passed: boolean,
  record_id: string | null = null,
) {
  const { step_path, gate } = gateAt(sheet.situation.plan, path)!
  const decision = go_on ? (passed ? 'passed' : 'override') : 'stopped'
  const meta = { gate: gate.kind, at_step: stepAt(sheet.situation.plan, step_path).name, decision }
  sheet.tell('AuthorizationCheck', meta, go_on ? 'success' : 'refused')
  if (go_on) sheet.put(path, { state: 'succeeded', decision: passed, record_id })
  else sheet.fail(path, 'policy_denied', `The ${gate.kind} gate before ${meta.at_step} did not let it pass.`)
}
