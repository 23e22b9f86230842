import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refuse } from '@svc/contract/refusal'
import type { Asked } from '@svc/engine/call'
import { createEngine } from '@svc/engine/dispatch'
import { credentialOf, test_tenant, testPorts, tryProtocol } from '../../checks/rehearsal/test-ports.ts'
import { isInShare } from './sampling.ts'
import { type FinishedTrace, openTracer } from './tracer.ts'

const sampled_id = `${'1'.repeat(20)}${'f'.repeat(12)}`
const unsampled_id = `${'1'.repeat(20)}${'0'.repeat(12)}`

function open(rate: number, handle: Parameters<typeof tryProtocol>[0] = () => ({})) {
  const sent: FinishedTrace[] = []
  const failures: unknown[] = []
  let answer: 'taken' | 'again' | 'never' | Error | (() => 'taken') = 'taken'
  const ports = testPorts([tryProtocol(handle)])
  const tracer = openTracer(rate, {
    clock: ports.clock,
    async send(traces) {
      if (answer instanceof Error) throw answer
      const verdict = typeof answer === 'function' ? answer() : answer
      if (verdict === 'taken') sent.push(...traces)
      return verdict
    },
    failed: (error) => void failures.push(error),
  })
  const engine = createEngine({ ...ports, tracer })
  const call = (more: Partial<Asked> = {}, protocol = 'TRY') =>
    engine.dispatch({
      request: { protocol, version: 'v1', operation: 'run', input: {}, tenant_id: test_tenant },
      credential: credentialOf('svc.try.*'),
      origin: 'http',
      ...more,
    })
  const traced = (trace_id: string, flags = '00') =>
    call({ trace_context: { traceparent: `00-${trace_id}-${'2'.repeat(16)}-${flags}` } })
  const answers = (next: typeof answer) => {
    answer = next
  }
  return { tracer, engine, call, traced, sent, failures, answers, ports, clock: ports.clock }
}

test('a share of ids is sampled, the same on every engine', () => {
  const ids = Array.from({ length: 2_000 }, (_, i) =>
    Math.floor((i / 2_000) * 16 ** 12)
      .toString(16)
      .padStart(32, '0'),
  )
  for (const rate of [0, 0.01, 0.25, 1]) {
    const share = ids.filter((id) => isInShare(id, rate)).length / ids.length
    assert.ok(Math.abs(share - rate) < 0.001, `${share} of ${rate}`)
  }
  for (const id of ids)
    if (isInShare(id, 0.25)) assert.ok(isInShare(id, 0.5), 'a higher rate includes them all')
})

test('the trace id decides, and without one the correlation id is the trace', async () => {
  const { traced, call, tracer, sent } = open(0.01)
  await traced(sampled_id)
  await traced(unsampled_id)
  tracer.sample_rate = 1
  const { correlation_id } = await call()
  await tracer.flush()
  assert.deepEqual(
    sent.map(({ trace_id, parent_span_id }) => [trace_id, parent_span_id]),
    [
      [sampled_id, '2'.repeat(16)],
      [correlation_id.replaceAll('-', ''), undefined],
    ],
  )
})

test('callers may request tracing, up to a limit per second', async () => {
  const { traced, tracer, sent, clock } = open(0)
  for (let i = 0; i < 50; i++) await traced(unsampled_id, '01')
  await tracer.flush()
  assert.equal(sent.length, 20)
  clock.advance(1_000)
  await traced(unsampled_id, '01')
  await tracer.flush()
  assert.equal(sent.length, 21)
})

test('errors are traced at any rate, refusals like any other call', async () => {
  let thrown: unknown
  const { call, tracer, sent } = open(0, () => {
    throw thrown
  })
  thrown = refuse('policy_denied', 'No.', { reason: 'as told' })
  await call()
  thrown = new TypeError('broken')
  await call()
  await tracer.flush()
  assert.deepEqual(
    sent.map(({ outcome, code, refused_at }) => [outcome, code, refused_at]),
    [['error', 'internal', 7]],
  )
})

test('nested calls of a sampled call are children of its invocation; an unsampled one passes on the context', async () => {
  const contexts: unknown[] = []
  const { traced, call, tracer, sent } = open(0.01, async (input, context) => {
    contexts.push(context.invoke.trace_context)
    return input.deeper === false ? {} : ((await context.call('TRY', 'run', { deeper: false })) as object)
  })
  await traced(unsampled_id, '00')
  assert.deepEqual(contexts, Array(2).fill({ traceparent: `00-${unsampled_id}-${'2'.repeat(16)}-00` }))
  await traced(sampled_id, '00')
  await call()
  await tracer.flush()
  const [inner, outer] = sent
  assert.equal(sent.length, 2)
  assert.equal(inner!.trace_id, outer!.trace_id)
  assert.equal(inner!.parent_span_id, outer!.invoke_span_id)
  assert.deepEqual(contexts[2], { traceparent: `00-${sampled_id}-${outer!.invoke_span_id}-01` })
  assert.equal(contexts[4], undefined)
})

test('unsent traces wait, permanently refused ones are dropped, and both are bounded', async () => {
  const { call, tracer, sent, failures, answers, clock } = open(1)
  answers(new Error('nobody there'))
  for (let i = 0; i < 501; i++) await call()
  await tracer.flush()
  assert.deepEqual([tracer.waiting, tracer.dropped, failures.length], [500, 1, 1], 'so many a second')
  answers('again')
  await tracer.flush()
  assert.equal(tracer.waiting, 500)
  for (let second = 0; second < 4; second++) {
    clock.advance(1_000)
    for (let i = 0; i < 500; i++) await call()
  }
  assert.deepEqual([tracer.waiting, tracer.dropped], [2_000, 501], 'so many wait')
  answers('taken')
  await tracer.flush()
  assert.deepEqual([tracer.waiting, tracer.sent, sent.length], [0, 2_000, 2_000])
  clock.advance(1_000)
  await call()
  answers('never')
  await tracer.flush()
  assert.deepEqual([tracer.waiting, tracer.dropped], [0, 502])
})

test('concurrent flushes wait for each other: each trace is sent once', async () => {
  const { call, tracer, sent } = open(1)
  for (let i = 0; i < 300; i++) await call()
  await Promise.all([tracer.flush(), tracer.flush()])
  const ids = new Set(sent.map(({ span_id }) => span_id))
  assert.deepEqual([tracer.waiting, tracer.sent, sent.length, ids.size], [0, 300, 300, 300])
})

test('a slow collector does not delay an engine that stops', async () => {
  const { call, tracer, answers, clock } = open(1)
  for (let second = 0; second < 2; second++) {
    clock.advance(1_000)
    for (let i = 0; i < 500; i++) await call()
  }
  answers(() => {
    clock.advance(3_000)
    return 'taken'
  })
  await tracer.flush()
  assert.deepEqual([tracer.sent, tracer.waiting], [400, 600])
})

test('a flood of always-sampled calls leaves room for an error', async () => {
  const { call, tracer, sent } = open(0, () => {
    throw new TypeError('broken')
  })
  for (let i = 0; i < 600; i++) await call({}, 'MACS')
  await call()
  await tracer.flush()
  assert.deepEqual([tracer.sent, tracer.dropped, sent.at(-1)!.outcome], [501, 100, 'error'])
})

test('a dry run ends as its record says: refused if the call would be, and an error is traced at any rate', async () => {
  const { call, tracer, sent, ports } = open(1)
  await call({ dry_run: true, credential: credentialOf('svc.other.*') })
  tracer.sample_rate = 0
  ports.limiter.take = () => {
    throw new TypeError('broken')
  }
  await call({ dry_run: true })
  await tracer.flush()
  assert.deepEqual(
    sent.map(({ outcome, code, refused_at, dry_run }) => [outcome, code, refused_at, dry_run]),
    [
      ['refused', 'capability_denied', 4, true],
      ['error', 'internal', 3, true],
    ],
  )
})

test('a call whose record cannot be written ends in an error, once', async () => {
  const { call, tracer, sent, ports } = open(0)
  ports.audit_log.written = () => Promise.reject(new Error('the disk is full'))
  await assert.rejects(call(), /the disk is full/)
  await tracer.flush()
  assert.deepEqual(
    sent.map(({ outcome, code, refused_at }) => [outcome, code, refused_at]),
    [['error', 'internal', 8]],
  )
})

test('a trace has the caller, the tool that was used, and the tokens', async () => {
  const { call, tracer, sent } = open(1, (_input, context) => {
    context.audit('ToolInvoked', { tool_id: 'mcp:files/read_file' })
    Object.assign((context as unknown as { used: object }).used, { tokens_in: 12, tokens_out: 3 })
    return {}
  })
  await call()
  await call({ credential: credentialOf() })
  await tracer.flush()
  assert.deepEqual(
    sent.map(({ agent_did, tool_id, tokens_in, tokens_out }) => [agent_did, tool_id, tokens_in, tokens_out]),
    [
      [credentialOf().did, 'mcp:files/read_file', 12, 3],
      [credentialOf().did, undefined, 0, 0],
    ],
  )
})
