// The call that a journal row requires: identity, idempotency key and timeout.

import type { Database } from '@svc/contract/database'
import type { StandIn } from '@svc/contract/needs/stand-in'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { readScope, resolvePayload, stepAt } from '../recipes/api.ts'
import { caseOf, hearingOf, type Question, questionOf } from './run-gates.ts'
import { type Asking, answersOf, type Refused } from './run-outcome.ts'
import { callableAt, gateAt, undoneBy } from './run-path.ts'
import { firstTry, type Situation } from './run-progress.ts'

export const run_ref_start = 'moon://run/'
const timeout_ms_default = 60_000

export interface ExternalEffect {
  readonly tenant_id: string
  readonly protocol: string
  readonly operation: string
  readonly input: unknown
  /** The same for every attempt, so that the effect happens once. Absent for reads. */
  readonly idempotency_key?: string
  /** No attempt was made before. */
  readonly is_first?: boolean
  readonly timeout_ms: number
  readonly acting: StandIn
  readonly workflow: { readonly run: string; readonly path: string }
  /** The refusal of the last attempt, if that waits for the consent of others. */
  readonly waits_for?: Refused
  /** Throws where another engine has the run by now: the step is not ours any more. */
  readonly fence?: (db: Database) => Promise<void>
}

/** Throws a refusal if a reference cannot be resolved. */
export function effectFor(situation: Situation, path: string): ExternalEffect {
  const { run, manifest, plan } = situation
  const { tenant_id, run_id, acting } = run
  const run_ref = run_ref_start + run_id
  const workflow = { run: run_ref, path }
  const timeout_default = manifest.defaults?.timeout_ms ?? timeout_ms_default
  const gate_question = gateQuestion(situation, path)
  if (gate_question) {
    const { is_filing, ...question } = gate_question
    const key = is_filing ? { idempotency_key: keyOf(run_id, path) } : {}
    return { tenant_id, ...question, ...key, timeout_ms: timeout_default, acting, workflow }
  }
  const { protocol, operation, payload, timeout_ms = timeout_default } = callableAt(plan, manifest, path)!
  const { error, metadata } = situation.rows.get(path)!
  const { later } = situation.endingOf(protocol, operation) ?? {}
  if (later && metadata?.asking) {
    const input = { [later.by]: (metadata.asking as Asking).subject }
    return { tenant_id, protocol, operation: later.operation, input, timeout_ms, acting, workflow }
  }
  const input = resolvePayload(payload, scopeOf(situation, path))
  const idempotency_key = keyOf(run_id, path, answersOf(metadata))
  const waits_for = consentOf(error)
  const is_first = metadata === undefined
  const call = {
    tenant_id,
    protocol,
    operation,
    input,
    idempotency_key,
    is_first,
    timeout_ms,
    acting,
    workflow,
  }
  return waits_for ? { ...call, waits_for } : call
}

function consentOf(error: unknown): Refused | undefined {
  const refused = error as Pick<Refused, 'code' | 'message' | 'details'> | undefined
  if (refused?.code !== 'approval_required') return undefined
  return { ...refused, kind: 'refused', record_id: null, elapsed_ms: 0 }
}

/** One for each call that was not answered: only after an answer can the next attempt be a new call. */
function keyOf(run_id: string, path: string, answered = 0): string {
  return sha256Hex(answered === 0 ? `${run_id}|${path}` : `${run_id}|${path}|${answered}`)
}

/** Uses the time of the first attempt, so retries send the same call. Compensations see the whole run. */
export function scopeOf({ plan, rows, run }: Situation, path: string) {
  const journal = new Map([...rows].filter(([at]) => !at.includes('@')))
  const now_ms = Date.parse(firstTry(rows.get(path)!).first_at)
  const outside = { input: run.input, signal: null, now_ms, seed: `${run.run_id}|${path}` }
  const undone = undoneBy(path)
  if (undone === undefined) return readScope(plan, journal, gateAt(plan, path)?.step_path ?? path, outside)
  // In a loop: what this round did.
  return readScope(plan, journal, undefined, outside, stepAt(plan, undone).namespace)
}

function gateQuestion(situation: Situation, path: string): (Question & { is_filing: boolean }) | undefined {
  const { plan, rows, run } = situation
  const at = gateAt(plan, path)
  if (!at) return undefined
  const { data, metadata } = rows.get(path)!
  const case_id = (data as { case_id?: string } | undefined)?.case_id
  if (case_id !== undefined) return { ...hearingOf(case_id), is_filing: false }
  if (metadata?.stage === 'case') {
    const { tenant_id, correlation_id, run_id } = run
    const of_run = { tenant_id, correlation_id, run_ref: run_ref_start + run_id, path: at.step_path }
    return { ...caseOf(at.gate, of_run), is_filing: true }
  }
  const question = questionOf(at.gate)
  return {
    ...question,
    input: resolvePayload(question.input, scopeOf(situation, path)) as never,
    is_filing: false,
  }
}
