import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import {
  askedOf,
  counted_input,
  credentialOf,
  gist,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../checks/rehearsal/test-ports.ts'
import { eventually } from '../checks/suite/eventually.ts'
import type { Asked } from './call.ts'
import { createEngine, type Outcome } from './dispatch.ts'
import type { Ports } from './ports.ts'
import type { Endpoint } from './routing/routing.ts'

type Work = (input: { readonly [field: string]: unknown }, context: OperationContext) => unknown

function open(
  work: Work = () => ({}),
  facts: Partial<OperationFacts> = {},
  other: Partial<Ports> = {},
  more: Protocol[] = [],
) {
  const ports = testPorts([tryProtocol(work, facts), ...more], other)
  const engine = createEngine(ports)
  const dispatch = (request: Partial<Asked['request']> = {}, incoming: Partial<Asked> = {}) =>
    engine.dispatch(askedOf(request, incoming))
  return { ports, engine, dispatch, records: () => ports.audit_log.records(test_tenant) }
}
function told(outcome: Outcome): string {
  return outcome.kind === 'refused' ? `${outcome.refusal.code} at ${outcome.stage}` : outcome.kind
}

interface Refused {
  work?: Work
  facts?: Partial<OperationFacts>
  request?: Partial<Asked['request']>
  asked?: Partial<Asked>
  prepare?: (opened: ReturnType<typeof open>) => unknown
  is: string
  record: string
}
const no_endpoint: Endpoint = {
  id: 'x',
  kind: 'external',
  healthy: false,
  in_flight: 0,
  invoke: () => ({ data: {} }),
}
const refused: Record<string, Refused> = {
  draining: { prepare: ({ engine }) => engine.drain(), is: 'draining at 0', record: 'Error refused' },
  protocol: { request: { protocol: 'NO' }, is: 'unknown_protocol at 1', record: 'Error refused' },
  version: { request: { version: 'v9' }, is: 'unknown_version at 1', record: 'Error refused' },
  operation: { request: { operation: 'no' }, is: 'unknown_operation at 1', record: 'Error refused' },
  overflow: {
    prepare: ({ ports }) => ports.audit_log.setState('overflow'),
    is: 'rate_limited at 3',
    record: 'RateLimitExceeded refused',
  },
  limit: { facts: { rate_cost: 501 }, is: 'rate_limited at 3', record: 'RateLimitExceeded refused' },
  capability: {
    asked: { credential: credentialOf() },
    is: 'capability_denied at 4',
    record: 'SecurityViolation refused',
  },
  treaty: {
    request: { tenant_id: 'globex' },
    is: 'capability_denied at 4',
    record: 'SecurityViolation refused',
  },
  level: { facts: { level: 'L1' }, is: 'policy_denied at 4', record: 'Error refused' },
  circuit: {
    prepare: ({ ports }) => Array.from({ length: 5 }, () => ports.breaker.failed('TRY', 'native', 'timeout')),
    is: 'circuit_open at 5',
    record: 'CircuitBreakerOpen refused',
  },
  endpoint: {
    prepare: ({ ports }) =>
      ports.registry.register(
        tryProtocol(() => ({})),
        [no_endpoint],
      ),
    is: 'no_endpoint_available at 6',
    record: 'Error refused',
  },
  size: {
    facts: { input_bytes_max: 1 },
    asked: { body_bytes: 2 },
    is: 'payload_too_large at 7',
    record: 'Error refused',
  },
  payload: { facts: { input: counted_input }, is: 'invalid_payload at 7', record: 'Error refused' },
  policy: {
    work: () => Promise.reject(refuse('policy_denied', 'x')),
    is: 'policy_denied at 7',
    record: 'Error refused',
  },
  missing: {
    work: () => Promise.reject(refuse('missing_capability', 'x')),
    is: 'missing_capability at 7',
    record: 'SecurityViolation refused',
  },
  adapter: {
    work: () => Promise.reject(refuse('adapter_error', 'x')),
    is: 'adapter_error at 7',
    record: 'Error error',
  },
  protocol_error: {
    work: () => Promise.reject(refuse('protocol_error', 'x')),
    is: 'protocol_error at 7',
    record: 'Error error',
  },
  bug: { work: () => Promise.reject(new Error('secret')), is: 'internal at 7', record: 'Error error' },
}

for (const [name, { work, facts, request, asked, prepare, is, record }] of Object.entries(refused)) {
  test(`${name}: refused as ${is}, with exactly one record`, async () => {
    const opened = open(work, facts)
    await prepare?.(opened)
    const outcome = await opened.dispatch(request, asked)
    assert.equal(told(outcome), is)
    const [code, , stage] = is.split(' ')
    assert.deepEqual(opened.records().map(gist), [`${record} ${code} stage ${stage}`])
    const [first] = opened.records()
    assert.deepEqual([first?.id, first?.correlation_id], [outcome.record_id, outcome.correlation_id])
    assert.equal(opened.engine.in_flight, 0)
  })
}

test('whichever port throws, the answer is internal, the cause stays hidden, and the call is recorded', async () => {
  const raise = (): never => {
    throw new Error('secret')
  }
  const real = testPorts([])
  const ports: Record<string, Partial<Ports>> = {
    limiter: { limiter: { take: raise, health: () => 'ok' } },
    'limiter, later': { limiter: { take: () => Promise.reject(new Error('secret')), health: () => 'ok' } },
    capabilities: { capabilities: { ...real.capabilities, effective: raise } },
    breaker: { breaker: { ...real.breaker, blocked: raise } },
    registry: { registry: { ...real.registry, versions: raise } },
    store: { store: { transaction: raise, healthy: async () => true } },
  }
  for (const [name, other] of Object.entries(ports)) {
    const {
      dispatch,
      records,
      ports: used,
    } = open((_input, context) => ({ db: typeof context.db }), {}, other)
    const outcome = await dispatch()
    assert.ok(outcome.kind === 'refused' && outcome.refusal.code === 'internal', name)
    assert.ok(!outcome.refusal.message.includes('secret'), name)
    assert.deepEqual(
      [records().length, records()[0]?.outcome, Object(records()[0]?.meta.supplied).cause],
      [1, 'error', 'Error: secret'],
      name,
    )
    assert.deepEqual(
      used.logged.map(({ fields }) => (fields.err as Error).message),
      ['secret'],
      name,
    )
  }
})

test('an answer is sent only after its record is journalled', async () => {
  const { promise: journalled, resolve: journal } = Promise.withResolvers<void>()
  const { dispatch, ports } = open()
  ports.audit_log.written = () => journalled
  let answered = false
  const answering = dispatch().then((outcome) => {
    answered = true
    return outcome
  })
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  assert.equal(answered, false)
  journal()
  assert.equal((await answering).kind, 'success')
})

test('a call that cannot be journalled is not answered', async () => {
  const { dispatch, ports, engine } = open()
  ports.audit_log.failWrites(new Error('disk full'))
  await assert.rejects(dispatch(), /disk full/)
  assert.equal(engine.in_flight, 0)
})

test('a deadline ends the call as a timeout, aborts its signal and leaves one record', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let signal: AbortSignal | undefined
  const { dispatch, records } = open(
    (_input, context) => {
      signal = context.signal
      return new Promise(() => {})
    },
    { deadline_ms: 1000 },
  )
  const answering = dispatch()
  await eventually(() => assert.ok(signal))
  t.mock.timers.tick(1000)
  assert.equal(told(await answering), 'timeout at 7')
  assert.equal(signal?.aborted, true)
  assert.deepEqual(records().map(gist), ['Error error timeout stage 7'])
})

test('draining refuses new calls and waits for running ones', async () => {
  const { promise, resolve } = Promise.withResolvers<object>()
  const { engine, dispatch, records } = open(() => promise)
  const running = [dispatch(), dispatch()]
  await eventually(() => assert.equal(engine.in_flight, 2))
  let drained = false
  const draining = engine.drain().then(() => {
    drained = true
  })
  assert.equal(engine.draining, true)
  assert.equal(told(await dispatch()), 'draining at 0')
  assert.equal(drained, false)
  resolve({})
  assert.deepEqual((await Promise.all(running)).map(told), ['success', 'success'])
  await draining
  assert.deepEqual([engine.in_flight, records().length], [0, 3])
  await engine.drain()
})

test('an admitted call may still call others while the engine drains', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const outer = tryProtocol(async (_input, context) => {
    await promise
    return { inner: await context.call('TRY', 'run', {}) }
  })
  const { engine, dispatch } = open(() => ({ done: true }), {}, {}, [{ ...outer, id: 'OUTER' }])
  const running = dispatch({ protocol: 'OUTER' }, { credential: credentialOf('svc.outer.*', 'svc.try.*') })
  await eventually(() => assert.equal(engine.in_flight, 1))
  const draining = engine.drain()
  resolve()
  const outcome = await running
  assert.ok(outcome.kind === 'success')
  assert.equal(outcome.output_text, '{"inner":{"done":true}}')
  await draining
})

test('cutting ends stuck calls, each with its record, so that draining ends', async () => {
  let stuck = 0
  const { engine, dispatch, records } = open(() => {
    stuck++
    return new Promise(() => {})
  })
  const running = [dispatch(), dispatch(), dispatch()]
  await eventually(() => assert.equal(stuck, 3))
  const draining = engine.drain()
  engine.cut()
  assert.deepEqual((await Promise.all(running)).map(told), Array(3).fill('timeout at 7'))
  await draining
  assert.deepEqual(records().map(gist), Array(3).fill('Error error timeout stage 7'))
  assert.equal(records()[0]?.meta.reason, 'shutdown grace period over')
})

test('events of a failed operation are dropped, its alarms stay', async () => {
  const { dispatch, records } = open((input, context) => {
    context.audit('CapabilityGrant', {})
    context.alarm('bad signature', {})
    if (input.fails) throw refuse('policy_denied', 'No.')
    return {}
  })
  await dispatch({ input: { fails: true } })
  assert.deepEqual(
    records().map(({ event_type }) => event_type),
    ['SecurityViolation', 'Error'],
  )
  await dispatch()
  const later = records().slice(2)
  assert.deepEqual(later.map(({ event_type }) => event_type).sort(), [
    'CapabilityGrant',
    'ProtocolInvocation',
    'SecurityViolation',
  ])
  assert.equal(new Set(later.map(({ correlation_id }) => correlation_id)).size, 1)
})
