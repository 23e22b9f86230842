import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import {
  askedOf,
  callBefore,
  credentialOf,
  gist,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import type { Asked } from '../call.ts'
import type { Ports } from '../ports.ts'
import { openContext } from './open-context.ts'

async function open(more: Partial<Asked> = {}) {
  const ports = testPorts([tryProtocol(() => ({}))])
  const call = await callBefore(7, askedOf({}, more), ports)
  const incoming: Asked[] = []
  const context = openContext(call, ports, async (inner) => {
    incoming.push(inner)
    return { answered: true }
  })
  return { ports, call, context, asked: incoming, records: () => ports.audit_log.records(test_tenant) }
}

test("a handler's context holds what the stages learned", async () => {
  const { context, call } = await open()
  assert.equal(context.caller, call.caller)
  assert.equal(context.invoke, call.context)
  assert.deepEqual([context.tenant_id, context.now], [test_tenant, '2026-11-15T10:00:00.000Z'])
})

test('events are in the audit log once the operation is committed, and never where it failed', async () => {
  const { context, records, call } = await open()
  context.audit('CapabilityGrant', { to: 'x' })
  assert.equal(records().length, 0)
  await context.commit()
  assert.deepEqual(
    records().map(({ event_type, correlation_id, caller_did, protocol, operation, meta }) => ({
      event_type,
      correlation_id,
      caller_did,
      protocol,
      operation,
      meta,
    })),
    [
      {
        event_type: 'CapabilityGrant',
        correlation_id: call.correlation_id,
        caller_did: call.asked.credential.did,
        protocol: 'TRY',
        operation: 'run',
        meta: { to: 'x', origin: 'http' },
      },
    ],
  )
  const failed = await open()
  failed.context.audit('CapabilityGrant', {})
  await failed.context.abandon(new Error('no'))
  assert.equal(failed.records().length, 0)
})

test('an alarm is in the audit log at once, whatever happens to the operation', async () => {
  const { context, records } = await open()
  context.alarm('bad signature', { key_id: 'k' })
  await context.abandon(new Error('no'))
  assert.deepEqual(records().map(gist), ['SecurityViolation refused ok stage -'])
  assert.deepEqual(records()[0]?.meta, { key_id: 'k', reason: 'bad signature', origin: 'http' })
})

test('the number of events of an operation is limited', async () => {
  const { context } = await open()
  for (let i = 0; i < 1000; i++) context.audit('CapabilityGrant', {})
  assert.throws(() => context.audit('CapabilityGrant', {}), /at most 1000 events/)
})

test('events of untrusted code are limited in bytes; those before stay', async () => {
  const ports = testPorts([tryProtocol(() => ({}), { foreign: true })])
  const call = await callBefore(7, askedOf(), ports)
  const context = openContext(call, ports, () => Promise.reject(new Error('not here')))
  const supplied = { text: 'x'.repeat(16_000) }
  for (let i = 0; i < 4; i++) context.audit('custom.big', {}, { supplied })
  assert.throws(
    () => context.audit('custom.big', {}, { supplied }),
    (thrown) => thrown instanceof Refusal && thrown.details.reason === 'event limit',
  )
  assert.ok(context.used.event_bytes! > 64_000 && context.used.event_bytes! <= 64 * 1024)
})

test('another operation is called as the same caller, under the same correlation, one level deeper', async () => {
  const trace_context = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }
  const address = '192.0.2.1'
  const { context, call, asked } = await open({ origin: 'mcp', trace_context, address, body_bytes: 77 })
  assert.deepEqual(await context.call('MAX', 'audit_query', { a: 1 }), { answered: true })
  const [{ signal, ...inner }] = asked as [Asked]
  assert.equal(signal, context.signal)
  assert.deepEqual(inner, {
    request: {
      protocol: 'MAX',
      version: 'v1',
      operation: 'audit_query',
      input: { a: 1 },
      tenant_id: test_tenant,
    },
    credential: call.asked.credential,
    identity: undefined,
    origin: 'mcp',
    trace_context,
    address,
    within: { correlation_id: call.correlation_id, depth: 1 },
  })
})

test('the depth of nested calls is limited', async () => {
  const within = (depth: number) => ({ correlation_id: '33333333-3333-4333-8333-333333333333', depth })
  const { context, asked } = await open({ within: within(7) })
  await context.call('MAX', 'audit_query', {})
  assert.equal(asked[0]?.within?.depth, 8)
  const deepest = await open({ within: within(8) })
  await assert.rejects(deepest.context.call('MAX', 'audit_query', {}), { code: 'policy_denied' })
  assert.equal(deepest.asked.length, 0)
})

test('values passed on are copied as JSON, as over the wire', async () => {
  const { context, asked } = await open()
  const input = { list: [1], gone: undefined }
  await context.call('MAX', 'audit_query', input)
  assert.deepEqual(asked[0]?.request.input, { list: [1] })
  assert.notEqual((asked[0]!.request.input as typeof input).list, input.list)
  for (const wrong of [new Date(0), 1n, Number.NaN, () => {}, undefined]) {
    await assert.rejects(context.call('MAX', 'audit_query', { wrong: [wrong] }), TypeError)
  }
  assert.equal(asked.length, 1)
})

test('the signal reports that the caller left, even where it had left before', async () => {
  const caller = new AbortController()
  const { context } = await open({ signal: caller.signal })
  assert.equal(context.signal.aborted, false)
  caller.abort(new Error('left'))
  assert.deepEqual([context.signal.aborted, (context.signal.reason as Error).message], [true, 'left'])
  const late = await open({ signal: caller.signal })
  assert.equal(late.context.signal.aborted, true)
  assert.equal((await open()).context.signal.aborted, false)
})

test('a fraction of a token is a bug of the handler', async () => {
  const { context } = await open()
  context.tokens.use(2, 3)
  context.tokens.use(0, 4)
  assert.deepEqual([context.used.tokens_in, context.used.tokens_out], [2, 7])
  for (const wrong of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
    assert.throws(() => context.tokens.use(wrong, 0), RangeError)
    assert.throws(() => context.tokens.use(0, wrong), RangeError)
  }
  assert.deepEqual([context.used.tokens_in, context.used.tokens_out], [2, 7])
})

test("an event has its id before it is written, and untrusted text is separate from the engine's facts", async () => {
  const { context, call, ports } = await open()
  const hostile = { supplied: 'x', origin: 'mcp', n: 1 }
  const name = context.audit('custom.note', hostile, { supplied: { code: 'x', origin: 'y' } })
  await context.commit()
  const { record } = await ports.audit_log.committed(name)
  assert.deepEqual(
    [record.id, record.event_type, record.caller_did, record.correlation_id, record.meta],
    [
      name.record_id,
      'custom.note',
      call.asked.credential.did,
      call.correlation_id,
      { n: 1, origin: 'http', supplied: { code: 'x', origin: 'y' } },
    ],
  )
})

test('progress goes to listeners only', async () => {
  const heard: unknown[] = []
  const listening: OperationContext = (await open({ progress: (event) => heard.push(event) < 2 })).context
  assert.equal(listening.progress({ message: 'half', fraction: 0.5 }), 'sent')
  assert.deepEqual(heard, [{ message: 'half', fraction: 0.5 }])
  assert.equal(listening.progress({ message: 'more' }), 'dropped')
  const { context } = await open()
  assert.equal(context.progress({ message: 'x' }), 'nobody')
})

test('work after the commit runs in order, and its failure does not change the answer', async () => {
  const { context, ports, records } = await open()
  const events: string[] = []
  context.audit('CapabilityGrant', {})
  context.afterCommit(async () => void events.push(`first, after ${records().length} event`))
  context.afterCommit(() => Promise.reject(new Error('broken')))
  context.afterCommit(async () => void events.push('last'))
  assert.deepEqual(events, [])
  await context.commit()
  assert.deepEqual(events, ['first, after 1 event', 'last'])
  assert.deepEqual(
    ports.logged.map(({ level, message }) => [level, message]),
    [['warn', 'work after a commit failed']],
  )
  for (let i = 0; i < 16; i++) context.afterCommit(async () => {})
  assert.throws(() => context.afterCommit(async () => {}), /at most 16/)
})

test('rows are kept only for the refusal marked so, and never after the deadline', async () => {
  const { context } = await open()
  const [recorded, other] = [refuse('policy_denied', 'No.'), refuse('policy_denied', 'No.')]
  assert.equal(context.keepsRows(recorded), false)
  assert.equal(context.keepingRows(recorded), recorded)
  assert.deepEqual([context.keepsRows(recorded), context.keepsRows(other)], [true, false])
  await context.abandon(new Error('too late'))
  assert.equal(context.keepsRows(recorded), false)
})

test('an event of two organizations is in both audit logs, and in the other names its origin', async () => {
  const { context, records, ports } = await open()
  context.audit('ContractCreated', { contract_id: 'c' }, { also: ['globex', test_tenant, 'globex'] })
  await context.commit()
  const [own, ...more] = records()
  const theirs = ports.audit_log.records('globex')
  assert.deepEqual([own!.meta.from_tenant, more.length, theirs.length], [undefined, 0, 1])
  assert.deepEqual(
    [theirs[0]!.meta.from_tenant, theirs[0]!.correlation_id],
    [test_tenant, own!.correlation_id],
  )
  assert.notEqual(theirs[0]!.id, own!.id)
})

test('an operation is stopped when it has used its reserved tokens', async () => {
  const ports = testPorts([tryProtocol(() => ({}), { meters: ['tokens'] })])
  const call = await callBefore(7, askedOf({ input: { budget: { tokens: 10 } } }), ports)
  const context = openContext(call, ports, async () => ({}))
  assert.equal(context.tokens.max, 10)
  context.tokens.use(4, 6)
  assert.throws(() => context.tokens.use(0, 1), {
    code: 'policy_denied',
    details: { reason: 'token budget exhausted' },
  })
})

test('a grant of no tokens allows none, and an unmetered operation counts none', async () => {
  const contextOf = async (meters: ('tokens' | 'seconds')[]) => {
    const ports = testPorts([tryProtocol(() => ({}), { meters })])
    const capability = { name: 'svc.try.*', caveats: [], limits: { max_tokens: 0 } }
    const credential = { ...credentialOf(), capabilities: [capability] }
    const call = await callBefore(7, askedOf({}, { credential }), ports)
    return openContext(call, ports, async () => ({}))
  }
  const none = await contextOf(['tokens'])
  assert.throws(() => none.tokens.use(1, 0), { details: { reason: 'token budget exhausted' } })
  const unmetered = await contextOf(['seconds'])
  unmetered.tokens.use(1, 0)
})

test("a computation is queued and counted for its caller's tenant, and limited by its tier", async () => {
  const requests: unknown[] = []
  const ports = testPorts([tryProtocol(() => ({}))])
  const counting = {
    compute: (async (...args) => void requests.push(args.slice(2))) as Ports['compute'],
    countTokens: async (...args: unknown[]) => requests.push(args.slice(1)),
  }
  const credential = { ...credentialOf('svc.try.*'), tier: 'sandbox' as const }
  const call = await callBefore(7, askedOf({}, { credential }), ports)
  const context = openContext(call, { ...ports, ...counting }, async () => ({}))
  await context.compute({ module: 'm' }, {}, 600_000, { tenant_id: 'somebody-else' })
  await context.compute({ module: 'm' }, {}, 5_000)
  await context.tokens.count(['text'])
  assert.deepEqual(requests, [[30_000, credential], [5_000, credential], [credential]])
})
