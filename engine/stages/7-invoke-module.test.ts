import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeNow, type SchemaQuestion } from '@svc/contract/foreign/foreign-schema'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { Refusal, refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import { Type } from 'typebox'
import {
  askedOf,
  callBefore,
  counted_input,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import type { Asked } from '../call.ts'
import type { Ports, Transaction } from '../ports.ts'
import { invokeModule, type UnderWay } from './7-invoke-module.ts'

type Work = (input: { readonly [field: string]: unknown }, context: OperationContext<'tokens'>) => unknown

function open(work: Work, facts: Partial<OperationFacts> = {}, other: Partial<Ports> = {}) {
  const ports = testPorts([tryProtocol(work, facts)], other)
  const under_way: UnderWay = { redispatch: () => Promise.reject(new Error('not here')), cuts: new Set() }
  const invoke = async (request: Partial<Asked['request']> = {}, more: Partial<Asked> = {}) => {
    const call = await callBefore(7, askedOf(request, more), ports)
    return { call, done: await invokeModule(call, ports, under_way) }
  }
  return { ports, under_way, invoke }
}
async function refusalOf(work: Promise<unknown>): Promise<Refusal> {
  const thrown = await work.then(
    () => assert.fail('it was not refused'),
    (error: unknown) => error,
  )
  assert.ok(thrown instanceof Refusal, String(thrown))
  return thrown
}

test("a handler's answer is stored in canonical form, sync or async", async () => {
  for (const work of [() => ({ b: 1, a: 2 }), async () => ({ b: 1, a: 2 })]) {
    const { done } = await open(work).invoke()
    assert.deepEqual([done.output_text, done.replayed, done.stage], ['{"a":2,"b":1}', false, 7])
  }
})

test('a handler gets its input and caller, and its metadata goes to the record', async () => {
  const { invoke } = open((input, context) => {
    context.metadata.model = 'built-in'
    context.tokens.use(3, 4)
    context.tokens.use(1, 0)
    return { input, did: context.caller.did, tenant: context.tenant_id, now: context.now }
  })
  const { done, call } = await invoke({ input: { x: 1 } })
  assert.deepEqual(JSON.parse(done.output_text), {
    input: { x: 1 },
    did: call.caller.did,
    tenant: test_tenant,
    now: call.timestamp,
  })
  assert.deepEqual(done.module_metadata, { model: 'built-in' })
  assert.deepEqual([done.used.tokens_in, done.used.tokens_out], [4, 4])
})

test('an invalid input never reaches the handler, and every fault is named', async () => {
  const { invoke, ports } = open(() => assert.fail('it was invoked'), { input: counted_input })
  const refusal = await refusalOf(invoke({ input: { count: 0, more: 1 } }))
  assert.deepEqual([refusal.code, refusal.details.reason], ['invalid_payload', 'schema'])
  assert.deepEqual(refusal.details.faults?.map(({ pointer }) => pointer).sort(), ['/count', '/more'])
  assert.match(refusal.message, /\/schemas\/try\/v1\/operations\.try\.run\.request\.json/)
  assert.deepEqual(ports.breaker.states(), [], 'nor does it say anything about the module')
})

test('only the first faults are returned', async () => {
  const { invoke } = open(() => ({}), { input: counted_input })
  const input = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, 1]))
  const fault_count = (await refusalOf(invoke({ input }))).details.faults?.length ?? 0
  assert.ok(fault_count > 1 && fault_count <= 20, `${fault_count} faults`)
})

test('an operation accepts as many bytes as it declares, a mebibyte by default', async () => {
  const small = open(() => ({}), { input_bytes_max: 10 })
  await small.invoke({}, { body_bytes: 10 })
  assert.equal((await refusalOf(small.invoke({}, { body_bytes: 11 }))).code, 'payload_too_large')
  const usual = open(() => ({}))
  await usual.invoke({}, { body_bytes: 1_048_576 })
  assert.equal((await refusalOf(usual.invoke({}, { body_bytes: 1_048_577 }))).code, 'payload_too_large')
})

test('an answer that violates its schema, or is not JSON, is a bug of ours', async () => {
  const output = Closed({ n: Type.Integer() })
  for (const work of [() => ({ n: 'x' }), async () => ({}), () => undefined, () => new Date(0)]) {
    const refusal = await refusalOf(open(work, { output }).invoke())
    assert.equal(refusal.code, 'internal')
    assert.ok(!refusal.message.includes('schema'), 'the caller learns no cause')
    assert.ok(refusal.cause instanceof Error)
  }
  const { cause } = await refusalOf(open(() => ({ n: 1, 'a/b': 2 }), { output }).invoke())
  assert.match(
    String(cause),
    /The answer of TRY\.run does not fit its output schema: \/a~1b is not a known field/,
  )
  const settings = { ...testPorts([]).settings, check_outputs: false }
  assert.ok((await open(() => ({ n: 'x' }), { output }, { settings }).invoke()).done)
  assert.equal((await refusalOf(open(() => 1n, { output }, { settings }).invoke())).code, 'internal')
})

test('an answer of untrusted code outside its own schema is its error, in production too', async () => {
  const output = Closed({ n: Type.Integer() })
  const settings = { ...testPorts([]).settings, check_outputs: false }
  const compute = async (_: unknown, question: unknown) => judgeNow(question as SchemaQuestion)
  const other = { settings, compute: compute as Ports['compute'] }
  const log_lines: unknown[] = []
  const log = { debug() {}, info() {}, error() {}, warn: (...line: unknown[]) => void log_lines.push(line) }
  const answering = (operator_tenant_id: string, owner_tenant_id?: string) => {
    const ports = { ...other, log, settings: { ...settings, operator_tenant_id } }
    const opened = open(() => ({ n: 'secret' }), { output, foreign: true }, ports)
    Object.assign(opened.ports.registry.versions('TRY')![0]!.endpoints[0]!, { owner_tenant_id })
    return refusalOf(opened.invoke())
  }
  const { code, message, details } = await answering(test_tenant)
  assert.deepEqual([code, details.reason], ['protocol_error', 'answer outside its schema'])
  assert.match(message, /The answer of native to run .* \/n must be integer, and is a string of 6/)
  assert.deepEqual(details.faults, [{ pointer: '/n', message: 'must be integer, and is a string of 6' }])
  assert.match(JSON.stringify(log_lines), /"faults":\[\{"pointer":"\/n","message":"must be integer/)

  assert.deepEqual((await answering('somebody-else', test_tenant)).details.faults, details.faults)

  const stranger = await answering('somebody-else', 'another')
  assert.deepEqual([stranger.code, stranger.details.faults], ['protocol_error', undefined])
  assert.match(stranger.message, /tell its author the correlation id/)
  assert.doesNotMatch(`${stranger.message} ${JSON.stringify(stranger.details)}`, /\/n|integer|secret/)
  assert.doesNotMatch(JSON.stringify(log_lines), /secret/)
})

test('past its deadline a call is a timeout, its signal is aborted, and nothing remains in memory', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let signal: AbortSignal | undefined
  const { invoke, under_way } = open(
    (_input, context) => {
      signal = context.signal
      return new Promise(() => {})
    },
    { deadline_ms: 50 },
  )
  const refused = refusalOf(invoke())
  await eventually(() => assert.ok(signal))
  t.mock.timers.tick(49)
  assert.deepEqual([signal?.aborted, under_way.cuts.size], [false, 1])
  t.mock.timers.tick(1)
  const refusal = await refused
  assert.deepEqual([refusal.code, refusal.details.reason], ['timeout', 'deadline exceeded'])
  assert.deepEqual([signal?.aborted, signal?.reason], [true, refusal])
  assert.equal(under_way.cuts.size, 0)
})

function countingStore() {
  const steps: string[] = []
  const transaction = (): Transaction => {
    steps.push('transaction')
    const db = {} as Transaction['db']
    return { db, opened: false, waiting: false, commit: async () => {}, rollback: async () => {} }
  }
  return { seen: steps, store: { transaction, healthy: async () => true } }
}

test('a handler that runs on after its deadline gets no database, calls nobody, and finds its signal aborted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { promise: over, resolve: go_on } = Promise.withResolvers<void>()
  const { promise: late_faults, resolve: tell } = Promise.withResolvers<unknown[]>()
  const { seen, store } = countingStore()
  const { invoke, under_way } = open(
    async (_input, context) => {
      await over
      const tried = [() => context.db, () => context.call('TRY', 'run', {})].map(async (work) => work())
      const codes = (await Promise.allSettled(tried)).map((done) =>
        done.status === 'rejected' ? (done.reason as Refusal).code : 'went through',
      )
      tell([...codes, context.signal.aborted])
      return {}
    },
    { deadline_ms: 50 },
    { store },
  )
  const refused = refusalOf(invoke())
  await eventually(() => assert.equal(under_way.cuts.size, 1))
  t.mock.timers.tick(50)
  await refused
  go_on()
  assert.deepEqual(await late_faults, ['timeout', 'timeout', true])
  assert.deepEqual(seen, [])
})

test('cutting ends running calls', async () => {
  const { invoke, under_way } = open(() => new Promise(() => {}))
  const refused = refusalOf(invoke())
  await eventually(() => assert.equal(under_way.cuts.size, 1))
  for (const cut of under_way.cuts) cut(refuse('timeout', 'Over.', { reason: 'shutdown grace period over' }))
  assert.equal((await refused).details.reason, 'shutdown grace period over')
  assert.equal(under_way.cuts.size, 0)
})

test('failures count against the endpoint; a refusal is a healthy module saying no', async () => {
  const stateAfter = async (calls: number, { ports, invoke }: ReturnType<typeof open>) => {
    for (let i = 0; i < calls; i++) await assert.rejects(invoke())
    return ports.breaker.states()[0]?.state
  }
  const broken = [
    new Error('bug'),
    refuse('adapter_error', 'x'),
    refuse('protocol_error', 'x'),
    refuse('timeout', 'x'),
  ]
  for (const error of broken) {
    assert.equal(
      await stateAfter(
        5,
        open(() => Promise.reject(error)),
      ),
      'OPEN',
      String(error),
    )
  }
  const refusals = [
    refuse('policy_denied', 'x'),
    refuse('invalid_payload', 'x'),
    refuse('missing_capability', 'x'),
  ]
  for (const error of refusals) {
    assert.equal(
      await stateAfter(
        20,
        open(() => Promise.reject(error)),
      ),
      'CLOSED',
      String(error),
    )
  }
  let calls = 0
  const mixed = open(() => {
    throw ++calls <= 6 ? refuse('policy_denied', 'x') : new Error('bug')
  })
  assert.equal(await stateAfter(11, mixed), 'CLOSED', 'five bugs of eleven calls are not half')
})

test('an answer waits until rows and events are committed; a refusal rolls them back', async () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  const opened = (steps: string[]): Transaction => ({
    db: {} as Transaction['db'],
    opened: true,
    waiting: false,
    async commit(events) {
      await nextTurn()
      steps.push(`commit ${events.map((event) => event.event_type)}`)
    },
    rollback: async () => void steps.push('rollback'),
  })
  const run = async (work: Work) => {
    const steps: string[] = []
    const store = { transaction: () => opened(steps), healthy: async () => true }
    await open(work, {}, { store })
      .invoke()
      .catch(() => steps.push('refused'))
    return steps
  }
  const touch = (context: OperationContext) => {
    void context.db
    context.audit('CapabilityGrant', {})
    return {}
  }
  assert.deepEqual(await run(async (_input, context) => touch(context)), ['commit CapabilityGrant'])
  assert.deepEqual(await run((_input, context) => touch(context)), ['commit CapabilityGrant'])
  const fails: Work = (_input, context) => {
    touch(context)
    throw new Error('bug')
  }
  assert.deepEqual(await run(fails), ['rollback', 'refused'])
  assert.deepEqual(await run(async (input, context) => fails(input, context)), ['rollback', 'refused'])
})
