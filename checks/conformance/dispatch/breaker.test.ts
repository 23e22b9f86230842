import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { eventually } from '../../suite/eventually.ts'
import { type Trial, trialProtocol } from '../execution/trial-protocol.ts'
import { ask, assertRefusal, assertRefusedAndRecorded, assertSuccess } from './expectations.ts'

const failures_to_open = 5
let service: InProcessService
let clock: ManualClock
let back: Trial

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  const protocols = ['TRIAL', 'STEADY', 'SLOW', 'STALLED'].map((id) => trialProtocol('v1.0.0', id).protocol)
  back = trialProtocol('v1.0.0', 'BACK')
  service = await startInProcess({ clock, more_protocols: [...protocols, back.protocol] })
})
after(() => service.stop())

async function transitions(protocol: string) {
  const filter = { event_types: ['CircuitBreakerTransition'], protocol }
  const records = await service.records(service.operator.tenant_id, filter)
  return records.map(({ meta }) => `${meta.from} ${meta.to}`)
}

test('too many recent failures: CLOSED moves to OPEN, requests refused with CircuitOpen; CircuitBreakerOpen event', async () => {
  for (let failed = 1; failed < failures_to_open; failed++) {
    assertRefusal(await ask(service, 'fail', { how: 'adapter_error' }), { code: 'adapter_error', stage: 7 })
  }
  assertSuccess(await ask(service, 'echo'))
  assertRefusal(await ask(service, 'fail', { how: 'bug' }), { code: 'internal', stage: 7 })
  const answer = await ask(service, 'echo')
  const expected = { code: 'circuit_open', stage: 5, reason: 'circuit OPEN' } as const
  const { error, record } = await assertRefusedAndRecorded(service, answer, expected)
  // The back-off of 10 s, a tenth either way, the two probes after it, and about a second of jitter.
  assert.ok(error.retry_after_ms && error.retry_after_ms >= 10_000 && error.retry_after_ms <= 13_200)
  // Stage 5 refusal: protocol, endpoint, last failure.
  const { protocol, endpoint, last_failure } = record.meta
  assert.deepEqual([protocol, endpoint, last_failure], ['TRIAL', 'native', 'internal'])
  assert.deepEqual(await transitions('TRIAL'), ['CLOSED OPEN'])
  // MAX has its own circuit.
  const read = { protocol: 'MAX', operation: 'audit_query', input: { outcome: 'refused' } }
  assertSuccess(await dispatch(service, read))
})

test('backoff elapses: OPEN moves to HALF_OPEN by probes, whose success closes it', async () => {
  clock.advance(8_900)
  assertRefusal(await ask(service, 'echo'), { code: 'circuit_open', stage: 5 })
  clock.advance(2_200)
  await eventually(async () => {
    // If a busy machine delays a probe, the next comes after a longer wait.
    clock.advance(1_000)
    assertSuccess(await ask(service, 'echo'))
  })
  const states = await transitions('TRIAL')
  assert.deepEqual(states.slice(0, 2), ['CLOSED OPEN', 'OPEN HALF_OPEN'])
  assert.equal(states.at(-1), 'HALF_OPEN CLOSED')
})

test("refusals are a healthy module's answers: they never open the circuit", async () => {
  const steady = { protocol: 'STEADY' }
  for (const how of ['policy_denied', 'invalid_payload', 'missing_capability', 'rate_limited']) {
    for (let failures = 0; failures < failures_to_open; failures++)
      await ask(service, 'fail', { how }, {}, steady)
  }
  for (let failures = 0; failures < failures_to_open; failures++)
    await ask(service, 'echo', { unknown: 1 }, {}, steady)
  assertSuccess(await ask(service, 'echo', {}, {}, steady))
  assert.deepEqual(await transitions('STEADY'), [])
})

test('failures of less than half of the calls do not open the circuit', async () => {
  const steady = { protocol: 'STEADY' }
  for (let failed = 0; failed < failures_to_open; failed++) {
    assertRefusal(await ask(service, 'fail', { how: 'bug' }, {}, steady), { code: 'internal', stage: 7 })
    assertSuccess(await ask(service, 'echo', {}, {}, steady))
  }
  assert.deepEqual(await transitions('STEADY'), [])
})

test('Timeout, 504: deadline exceeded; it counts against the endpoint', async () => {
  const slow = { protocol: 'SLOW' }
  for (let late = 0; late < failures_to_open; late++) {
    const answer = await ask(service, 'late', {}, {}, slow)
    await assertRefusedAndRecorded(service, answer, {
      code: 'timeout',
      stage: 7,
      reason: 'deadline exceeded',
    })
  }
  assertRefusal(await ask(service, 'echo', {}, {}, slow), { code: 'circuit_open', stage: 5 })
})

test('a deadline met while the database does not answer says so, and counts against nobody', async () => {
  const stalled = { protocol: 'STALLED' }
  for (let late = 0; late < failures_to_open; late++) {
    const answer = await ask(service, 'stall', {}, {}, stalled)
    const expected = { code: 'timeout', stage: 7, reason: 'deadline exceeded' } as const
    const { error } = await assertRefusedAndRecorded(service, answer, expected)
    assert.equal(error.details.unavailable, 'database')
  }
  assertSuccess(await ask(service, 'echo', {}, {}, stalled))
  assert.deepEqual(await transitions('STALLED'), [])
})

test('a recovered endpoint gets few calls at once; the excess is refused and recorded', async () => {
  const of = { protocol: 'BACK' }
  for (let failed = 0; failed < failures_to_open; failed++) await ask(service, 'fail', { how: 'bug' }, {}, of)
  assert.match(await metrics(), /^svc_circuit_state\{protocol="BACK",endpoint="native"\} 2$/m)
  clock.advance(11_001)
  const closed = ['CLOSED OPEN', 'OPEN HALF_OPEN', 'HALF_OPEN CLOSED']
  await eventually(async () => assert.deepEqual(await transitions('BACK'), closed))
  const { endpoints } = service.service.registry.versions('BACK')![0]!
  const calls = Array.from({ length: 4 }, () => ask(service, 'hold', {}, {}, of))
  await eventually(() => assert.equal(endpoints[0]!.in_flight, 4))
  const refused = await ask(service, 'echo', {}, {}, of)
  const expected = { code: 'circuit_open', stage: 5, reason: 'circuit recovering' } as const
  const { error, record } = await assertRefusedAndRecorded(service, refused, expected)
  assert.ok(error.retry_after_ms && error.retry_after_ms <= 1_200)
  assert.deepEqual([record.meta.endpoint, record.meta.last_failure], ['native', 'internal'])
  back.release()
  for (const answer of await Promise.all(calls)) assertSuccess(answer)
  for (let more = 0; more < 10; more++) assertSuccess(await ask(service, 'echo', {}, {}, of))
  assert.match(await metrics(), /^svc_circuit_transitions_total\{to="CLOSED"\} [1-9]/m)
})

async function metrics(): Promise<string> {
  return (await fetch(service.metrics_url)).text()
}
