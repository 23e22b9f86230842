import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Answer as AnswerBody, ErrorBody } from '@svc/contract/dispatch'
import { Compile } from 'typebox/compile'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Answer } from '../../engines/running-engine.ts'
import { ask, assertSuccess } from '../dispatch/expectations.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'

const trial = trialProtocol()
const stream = { accept: 'text/event-stream' }
let service: InProcessService

before(async () => {
  service = await startInProcess({ more_protocols: [trial.protocol] })
})
after(() => service.stop())

interface ServerEvent {
  readonly event: string
  readonly data: unknown
}

function eventsOf({ headers, body }: Answer): ServerEvent[] {
  assert.match(headers.get('content-type') ?? '', /^text\/event-stream/)
  const blocks = (body as string).split('\n\n').filter((block) => block !== '' && !block.startsWith(':'))
  return blocks.map((block) => {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? []
    return { event: event ?? `unreadable: ${block}`, data: JSON.parse(data ?? 'null') }
  })
}

test('Long operations can stream progress events over SSE, and end with one result', async () => {
  const answer = await ask(service, 'report', {}, stream)
  const events = eventsOf(answer)
  assert.deepEqual(
    events.map(({ event }) => event),
    ['progress', 'progress', 'result'],
  )
  assert.deepEqual(events[1]?.data, { message: 'nearly', fraction: 0.9, data: { left: 1 } })
  const result = events[2]?.data as AnswerBody
  assert.ok(Compile(AnswerBody).Check(result))
  assert.deepEqual(result.output, { done: true })
  assert.equal(answer.headers.get('x-correlation-id'), result.metadata.correlation_id)
  assert.equal(answer.headers.get('cache-control'), 'no-store')
})

test('the stream of a refused call ends with one error of the usual body, and one record', async () => {
  for (const [operation, input, code] of [
    ['report', { unknown: 1 }, 'invalid_payload'],
    ['fail', { how: 'bug' }, 'internal'],
    ['nothing', {}, 'unknown_operation'],
  ] as const) {
    const events = eventsOf(await ask(service, operation, input, stream))
    assert.deepEqual(
      events.map(({ event }) => event),
      ['error'],
    )
    const body = events[0]?.data
    assert.ok(Compile(ErrorBody).Check(body))
    assert.equal(body.error.code, code)
    const filter = { correlation_ids: [body.error.correlation_id] }
    assert.equal((await service.records(service.tenant_id, filter)).length, 1)
  }
})

test('a stranger gets no stream but a plain 401', async () => {
  const answer = await ask(service, 'report', {}, { ...stream, authorization: undefined })
  assert.deepEqual([answer.status, answer.body.error.code], [401, 'unauthenticated'])
})

test('X-SVC-Dry-Run answers what would happen, stage by stage, and invokes nothing', async () => {
  const answer = await ask(service, 'note', { text: 'dry' }, { 'x-svc-dry-run': 'true' })
  assert.equal(answer.status, 200)
  const { verdict, stages, error } = answer.body.dry_run
  assert.deepEqual([verdict, error], ['allowed', null])
  assert.deepEqual(
    stages.map(({ stage, name, verdict }: Record<string, unknown>) => `${stage} ${name} ${verdict}`),
    [
      'Identity',
      'Version',
      'Context',
      'Rate limit',
      'Capability',
      'Circuit breaker and budget',
      'Endpoint',
      'Invocation',
    ].map((name, stage) => `${stage} ${name} passed`),
  )
  assert.deepEqual(trial.effects, [])
  const filter = { correlation_ids: [answer.body.metadata.correlation_id] }
  const records = await service.records(service.tenant_id, filter)
  assert.deepEqual(
    records.map(({ event_type, outcome, meta }) => [event_type, outcome, meta.dry_run]),
    [['AuthorizationCheck', 'success', true]],
  )
})

const questions: readonly [operation: string, input: unknown, more: object][] = [
  ['echo', {}, {}],
  ['echo', { unknown: 1 }, {}],
  ['note', {}, {}],
  ['small', { text: 'x'.repeat(3000) }, {}],
  ['nothing', {}, {}],
  ['echo', {}, { version: 'v9' }],
  ['echo', {}, { protocol: 'NONE' }],
  ['echo', {}, { tenant_id: 'somebody-else' }],
]

test('a dry run has the same verdict as the real call: code, stage and reason', async () => {
  for (const [operation, input, more] of questions) {
    const dry = (await ask(service, operation, input, { 'x-svc-dry-run': 'true' }, more)).body.dry_run
    const real = await ask(service, operation, input, {}, more)
    if (dry.verdict === 'allowed') assertSuccess(real)
    else {
      const gist = ({ code, stage, reason, message, details }: ErrorBody['error']) =>
        ({ code, stage, reason, message, details }) // biome-ignore format: one thought
      assert.deepEqual(gist(dry.error), gist(real.body.error))
      const refused = dry.stages.filter(({ verdict }: Record<string, unknown>) => verdict === 'refused')
      assert.deepEqual(
        refused.map(({ stage }: Record<string, unknown>) => stage),
        [real.body.error.stage],
      )
    }
  }
})

test('a dry run stores no idempotency key', async () => {
  const headers = { 'x-svc-dry-run': 'true', 'idempotency-key': 'dry' }
  await ask(service, 'note', { text: 'one' }, headers)
  const real = await ask(service, 'note', { text: 'two' }, { 'idempotency-key': 'dry' })
  assert.equal(assertSuccess(real).metadata.replayed, false)
})
