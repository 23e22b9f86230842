// What must hold for every answer, checked against the published schemas.
import assert from 'node:assert/strict'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { type Answer as AnswerBody, ErrorBody, Answer as WireAnswer } from '@svc/contract/dispatch'
import { type RefusalCode, refusals } from '@svc/contract/refusal'
import { Compile } from 'typebox/compile'
import type { InProcessService } from '../../engines/in-process.ts'
import { type Addresses, type Answer, type Asking, dispatchDecided } from '../../engines/running-engine.ts'

const answer_shape = Compile(WireAnswer)
const error_shape = Compile(ErrorBody)
const sentence_form = /^\S.*[.?]$/s

export interface Expected {
  readonly code: RefusalCode
  /** Null if it was refused at the dispatch endpoint, before the pipeline. */
  readonly stage: number | null
  readonly reason?: string
  /** Unless it is the one of the code's row. */
  readonly event?: string
}

/** A call of the trial protocol, or of any other, as this caller. */
export function ask(
  caller: Addresses,
  operation: string,
  input: unknown = {},
  headers: Record<string, string | undefined> = {},
  more: Asking = {},
): Promise<Answer> {
  return dispatchDecided(caller, { protocol: 'TRIAL', version: 'v1.0.0', operation, input, ...more }, headers)
}

export function assertSuccess(answer: Answer): AnswerBody & { output: Record<string, unknown> } {
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.deepEqual([...answer_shape.Errors(answer.body)], [])
  assert.equal(answer.headers.get('x-correlation-id'), answer.body.metadata.correlation_id)
  return answer.body
}

export function assertRefusal(answer: Answer, { code, stage, reason }: Expected): ErrorBody['error'] {
  assert.deepEqual([...error_shape.Errors(answer.body)], [], JSON.stringify(answer.body))
  const { error } = answer.body as ErrorBody
  const row = refusals[code]
  assert.deepEqual([error.code, answer.status, error.stage], [code, row.status, stage], error.message)
  if (reason !== undefined) assert.equal(error.reason, reason)
  assert.match(error.message, sentence_form)
  assert.equal(error.retryable, row.retry !== 'never')
  assert.equal(answer.headers.get('x-correlation-id'), error.correlation_id)
  for (const key of ['requested_capability', 'denying_policy', 'dissent', 'appeal_path'])
    assert.ok(Object.hasOwn(error.details, key), `details lacks ${key}`)
  const wait = error.retry_after_ms === null ? null : String(Math.ceil(error.retry_after_ms / 1000))
  assert.equal(answer.headers.get('retry-after'), wait)
  return error
}

/** The refusal and its one record in the caller's audit log; a cross-tenant note follows later. */
export async function assertRefusedAndRecorded(
  service: InProcessService,
  answer: Answer,
  expected: Expected,
  tenant_id = service.tenant_id,
): Promise<{ error: ErrorBody['error']; record: AuditRecord }> {
  const error = assertRefusal(answer, expected)
  const all = await service.records(tenant_id, { correlation_ids: [error.correlation_id] })
  const records = all.filter(({ event_type }) => event_type !== 'CrossingRecorded')
  assert.equal(records.length, 1, `${expected.code} left ${records.length} records`)
  const record = records[0]!
  const row = refusals[expected.code]
  assert.deepEqual([record.event_type, record.outcome], [expected.event ?? row.event, row.outcome])
  assert.deepEqual([record.meta.code, record.meta.reason], [error.code, error.reason ?? error.code])
  return { error, record }
}
