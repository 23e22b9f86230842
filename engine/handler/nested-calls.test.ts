import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationContext } from '@svc/contract/operation-context'
import type { OperationFacts } from '@svc/contract/operation-facts'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  askedOf,
  counted_input,
  credentialOf,
  gist,
  test_tenant,
  testPorts,
  tryProtocol,
} from '../../checks/rehearsal/test-ports.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { createEngine } from '../dispatch.ts'

type Work = (
  input: { readonly [field: string]: unknown },
  context: OperationContext<'authority' | 'standIn'>,
) => unknown
const both = credentialOf('svc.outer.*', 'svc.try.*')

/** OUTER run calls TRY run, or runs the given work. */
function open(outer: Work, inner: Work = () => ({}), inner_facts: Partial<OperationFacts> = {}) {
  const ports = testPorts([{ ...tryProtocol(outer), id: 'OUTER' }, tryProtocol(inner, inner_facts)])
  const engine = createEngine(ports)
  const dispatch = (credential = both) => engine.dispatch(askedOf({ protocol: 'OUTER' }, { credential }))
  return { ports, engine, dispatch, records: () => ports.audit_log.records(test_tenant) }
}
const callInner: Work = async (_input, context) => ({ inner: await context.call('TRY', 'run', { n: 1 }) })

test('a nested call goes through all stages, under one correlation id, one level deeper', async () => {
  const { dispatch, records, ports } = open(callInner, (input) => ({ got: input.n }))
  const outcome = await dispatch()
  assert.ok(outcome.kind === 'success')
  assert.equal(outcome.output_text, '{"inner":{"got":1}}')
  assert.deepEqual(
    records().map(({ protocol, meta }) => [protocol, meta.depth, meta.grant]),
    [
      ['TRY', 1, 'svc.try.*'],
      ['OUTER', undefined, 'svc.outer.*'],
    ],
  )
  assert.deepEqual(
    [...new Set(records().map(({ correlation_id }) => correlation_id))],
    [outcome.correlation_id],
  )
  assert.equal(new Set(records().map(({ id }) => id)).size, 2)
  const left = ports.limiter.take(
    { tenant_id: test_tenant, protocol: 'TRY' },
    { capacity: 500, refill_per_s: 250, month_max: null },
    1,
    false,
  )
  assert.equal((await left).remaining, 498, 'it was counted like any other call')
})

test('a caller cannot reach through an operation what it may not reach itself', async () => {
  const { dispatch, records } = open(callInner)
  const outcome = await dispatch(credentialOf('svc.outer.*'))
  assert.ok(outcome.kind === 'refused')
  assert.deepEqual([outcome.refusal.code, outcome.stage], ['capability_denied', 7])
  assert.deepEqual(records().map(gist), [
    'SecurityViolation refused capability_denied stage 4',
    'SecurityViolation refused capability_denied stage 7',
  ])
})

test('a nested call gets the first major, or the highest version where there is none', async () => {
  const inner = tryProtocol(() => ({}))
  const calledIn = async (...versions: string[]) => {
    const ports = testPorts([
      { ...tryProtocol(callInner), id: 'OUTER' },
      ...versions.map((version) => ({ ...inner, version })),
    ])
    const outcome = await createEngine(ports).dispatch(askedOf({ protocol: 'OUTER' }, { credential: both }))
    assert.equal(outcome.kind, 'success')
    return ports.audit_log.records(test_tenant).find(({ protocol }) => protocol === 'TRY')?.meta.version
  }
  assert.equal(await calledIn('v0.1.0'), 'v0.1.0')
  assert.equal(await calledIn('v2.0.0', 'v3.0.0', 'v1.0.0-rc.1'), 'v3.0.0')
  assert.equal(await calledIn('v1.4.0', 'v2.0.0'), 'v1.4.0')
})

test('an operation may handle the refusal of a nested call, and both are recorded as they were', async () => {
  const survives: Work = async (_input, context) => {
    const thrown = await context.call('TRY', 'run', {}).catch((error: Refusal) => error.code)
    return { thrown }
  }
  const { dispatch, records } = open(survives, () => Promise.reject(refuse('policy_denied', 'No.')))
  const outcome = await dispatch()
  assert.ok(outcome.kind === 'success')
  assert.equal(outcome.output_text, '{"thrown":"policy_denied"}')
  assert.deepEqual(records().map(gist), [
    'Error refused policy_denied stage 7',
    'ProtocolInvocation success ok stage -',
  ])
})

test('the input of a nested call is checked against its schema', async () => {
  const { dispatch } = open(callInner, () => assert.fail('it was invoked'), { input: counted_input })
  const outcome = await dispatch()
  assert.equal(outcome.kind === 'refused' && outcome.refusal.code, 'invalid_payload')
})

test('an operation that calls itself is stopped at the ninth level, and every level has its record', async () => {
  const { dispatch, records } = open(async (_input, context) => context.call('OUTER', 'run', {}))
  const outcome = await dispatch()
  assert.ok(outcome.kind === 'refused')
  assert.deepEqual(
    [outcome.refusal.code, outcome.refusal.details.reason],
    ['policy_denied', 'call depth exceeded'],
  )
  assert.deepEqual(
    records().map(({ meta }) => meta.depth ?? 0),
    [8, 7, 6, 5, 4, 3, 2, 1, 0],
  )
})

test('cutting ends nested calls too', async () => {
  let inside = false
  const { engine, dispatch, records } = open(callInner, () => {
    inside = true
    return new Promise(() => {})
  })
  const running = dispatch()
  await eventually(() => assert.ok(inside))
  engine.cut()
  const outcome = await running
  assert.equal(outcome.kind === 'refused' && outcome.refusal.code, 'timeout')
  await engine.drain()
  assert.equal(records().length, 2)
})

test('calls for a plugin stay within its list at any depth, and cannot outlive the call', async () => {
  const only =
    (...names: string[]): Work =>
    async (_input, context) => ({
      inner: await context.call('TRY', 'run', { n: 1 }, names),
    })
  assert.equal((await open(only('svc.try.run')).dispatch()).kind, 'success')
  assert.equal((await open(only('svc.try.*')).dispatch()).kind, 'success')
  const beyond = await open(only('svc.max.*')).dispatch()
  assert.ok(beyond.kind === 'refused')
  assert.deepEqual(
    [beyond.refusal.code, beyond.refusal.details.reason],
    ['capability_denied', "not in the plugin's manifest"],
  )

  // One level deeper the list still counts, even where that level names more.
  const wider: Work = async (input, context) => (input.n ? {} : context.call('OUTER', 'run', {}, ['svc.*.*']))
  let calls = 0
  const twice: Work = (input, context) =>
    calls++ ? callInner(input, context) : context.call('TRY', 'run', {}, ['svc.try.*', 'svc.outer.run'])
  const deep = await open(twice, wider).dispatch()
  assert.equal(deep.kind, 'success')
  calls = 0
  const narrow: Work = (input, context) =>
    calls++ ? callInner(input, context) : context.call('TRY', 'run', {}, ['svc.try.*'])
  const refused = await open(narrow, wider).dispatch()
  assert.equal(refused.kind, 'refused')

  // Queries about its caller's capabilities are limited to the list too: else it could delegate the rest to itself.
  const ofCaller = async (...names: string[]) => {
    const outcome = await open(only(...names), async (_input, context) => {
      const { held } = await context.authority.ofCaller()
      return { held: held.map(({ name }) => name), told: context.invoke.metadata.ceilings }
    }).dispatch()
    assert.ok(outcome.kind === 'success')
    return JSON.parse(outcome.output_text).inner
  }
  assert.deepEqual(await ofCaller('svc.try.run'), { held: ['svc.try.run'], told: [['svc.try.run']] })
  assert.deepEqual((await ofCaller('svc.*.*')).held, ['svc.outer.*', 'svc.try.*'])
  assert.deepEqual((await ofCaller('svc.try.*', 'svc.outer.walk')).held, ['svc.outer.walk', 'svc.try.*'])

  const leaving = await open(only('svc.try.run'), (_input, context) => context.standIn()).dispatch()
  assert.ok(leaving.kind === 'refused')
  assert.equal(leaving.refusal.details.reason, 'called by a plugin')
})

test('work that outlives its call keeps the budget of its key', async () => {
  const budget = { key_name: 'night shift', weekly_usd: '5.000000' }
  const opened = open((_input, context) => ({ budget: context.standIn().budget }))
  const outcome = await opened.dispatch({ ...both, budget })
  assert.ok(outcome.kind === 'success')
  assert.deepEqual(JSON.parse(outcome.output_text), { budget })
  assert.deepEqual(opened.records().at(-1)?.meta.grant_chain, [`key:${both.key_id}/*`])
})
