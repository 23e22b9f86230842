import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Answer, ErrorBody } from '@svc/contract/dispatch'
import { type RefusalCode, refusals, refuse } from '@svc/contract/refusal'
import type { Outcome } from '@svc/engine/dispatch'
import { Compile } from 'typebox/compile'
import { replyOf, send } from './answer.ts'

const correlation_id = '22222222-2222-4222-8222-222222222222'
const record_id = '11111111-1111-4111-8111-111111111111'
const head = 'f'.repeat(64)
const common = {
  correlation_id,
  record_id,
  tenant_id: 'acme',
  allowance: { allowed: true, limit: 500, remaining: 500, reset_s: 0, retry_after_ms: 0 },
}
const codes = Object.keys(refusals) as RefusalCode[]
const isErrorBody = Compile(ErrorBody)
const isAnswer = Compile(Answer)

function refused(code: RefusalCode, details = {}, stage = 4): Outcome {
  const refusal = refuse(code, 'One sentence.', details, new Error('secret cause'))
  return { kind: 'refused', refusal, stage, audit_head: head, ...common }
}

test('every code has exactly the envelope of the wire, and the status of its row', () => {
  for (const code of codes) {
    const reply = replyOf(refused(code))
    assert.equal(reply.status, refusals[code].status, code)
    assert.deepEqual(
      JSON.parse(reply.text),
      {
        error: {
          code,
          message: 'One sentence.',
          reason: null,
          stage: 4,
          correlation_id,
          retryable: refusals[code].retry !== 'never',
          retry_after_ms: null,
          details: { requested_capability: null, denying_policy: null, dissent: null, appeal_path: null },
          audit_head: head,
        },
      },
      code,
    )
  }
})

test('every field of a refusal is in its place, and the cause nowhere', () => {
  const outcome = refused('capability_denied', {
    reason: 'no active treaty',
    retry_after_ms: 40,
    requested_capability: 'svc.mind.store_memory',
    denying_policy: 'p',
    dissent: { votes: 1 },
    appeal_path: 'MOAT propose',
    faults: [{ pointer: '/a', message: 'is required' }],
  })
  const reply = replyOf(outcome)
  const { error } = JSON.parse(reply.text)
  assert.deepEqual([error.reason, error.retry_after_ms, reply.retry_after_ms], ['no active treaty', 40, 40])
  assert.deepEqual(error.details, {
    requested_capability: 'svc.mind.store_memory',
    denying_policy: 'p',
    dissent: { votes: 1 },
    appeal_path: 'MOAT propose',
    faults: [{ pointer: '/a', message: 'is required' }],
  })
  assert.ok(isErrorBody.Check(JSON.parse(reply.text)))
  assert.ok(!reply.text.includes('secret cause'))
})

const metadata = {
  correlation_id,
  protocol: 'MIND',
  version: 'v1.0.0',
  operation: 'store_memory',
  audit_head: head,
  audit_record_id: record_id,
  usage: { tokens_in: 0, tokens_out: 0, seconds: 0.003, watt_hours: 0.00002, amount_usd: '0.000054' },
  replayed: false,
}

test('a success is the output as it was hashed, and its metadata', () => {
  const output_text = '{"b":1,"c":"é"}'
  const reply = replyOf({ kind: 'success', output_text, metadata, ...common })
  assert.equal(reply.status, 200)
  assert.ok(reply.text.startsWith(`{"output":${output_text},"metadata":{`))
  assert.deepEqual(JSON.parse(reply.text), { output: { b: 1, c: 'é' }, metadata })
  assert.ok(isAnswer.Check(JSON.parse(reply.text)))
})

test('a receipt joins the metadata', () => {
  const receipt = { record: {}, inclusion_path: [], tree_size: 1, checkpoint: 'x' }
  const reply = replyOf(
    { kind: 'success', output_text: 'null', metadata, ...common },
    JSON.stringify(receipt),
  )
  assert.deepEqual(JSON.parse(reply.text).metadata, { ...metadata, receipt })
})

test('a dry run is an answer, even where the verdict is no', () => {
  const refusal = refuse('rate_limited', 'One sentence.', { reason: 'bucket empty', retry_after_ms: 40 })
  const stages = [{ stage: 0, name: 'Identity', verdict: 'passed', knew: { did: undefined } }] as const
  const dry_run = { verdict: 'refused', stages, refusal, stage: 3 } as const
  const reply = replyOf({ kind: 'dry_run', dry_run, ...common })
  assert.equal(reply.status, 200)
  const body = JSON.parse(reply.text)
  assert.deepEqual(
    [body.dry_run.verdict, body.dry_run.error.code, body.dry_run.error.stage],
    ['refused', 'rate_limited', 3],
  )
  assert.deepEqual(body.metadata, { correlation_id, audit_record_id: record_id })
  const allowed = { verdict: 'allowed', stages, refusal: undefined, stage: 7 } as const
  assert.equal(JSON.parse(replyOf({ kind: 'dry_run', dry_run: allowed, ...common }).text).dry_run.error, null)
})

function sent(reply: Parameters<typeof send>[1], envelope: Parameters<typeof send>[2]) {
  const response: { status?: number; headers: Record<string, string>; text?: string } = { headers: {} }
  const res = {
    writeHead(status: number, raw: string[]) {
      response.status = status
      for (let i = 0; i < raw.length; i += 2) response.headers[raw[i]!] = raw[i + 1]!
    },
    end(text: string) {
      response.text = text
    },
  }
  send(res as unknown as ServerResponse, reply, envelope)
  return response
}

test('headers give the length in bytes, the limits, the trace and when to retry', () => {
  const allowance = { allowed: false, limit: 500, remaining: 0, reset_s: 2, retry_after_ms: 1001 }
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  const { status, headers, text } = sent(
    { status: 429, text: '"é"', retry_after_ms: 1001 },
    { correlation_id, allowance, trace_context: { traceparent }, close: true, receipt_given: true },
  )
  assert.deepEqual([status, text], [429, '"é"'])
  assert.deepEqual(headers, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': '4',
    'x-correlation-id': correlation_id,
    'x-ratelimit-limit': '500',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '2',
    traceparent,
    'preference-applied': 'wait=audit',
    'retry-after': '2',
    connection: 'close',
  })
})

test('empty headers are not sent', () => {
  const { headers } = sent({ status: 200, text: '{}' }, { correlation_id })
  assert.deepEqual(Object.keys(headers).sort(), ['content-length', 'content-type', 'x-correlation-id'])
})
