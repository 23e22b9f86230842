import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { nativeEndpoint } from '@svc/adapters/endpoint/native'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { eventually } from '../../suite/eventually.ts'
import { trialProtocol } from '../execution/trial-protocol.ts'
import { ask, assertRefusal, assertRefusedAndRecorded, assertSuccess } from './expectations.ts'

const day_ms = 24 * 3_600_000
const trial = trialProtocol()
let service: InProcessService
let clock: ManualClock

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  service = await startInProcess({ clock, more_protocols: [trial.protocol] })
})
after(() => service.stop())

const header = (key: string) => ({ 'idempotency-key': key })
const effectsOf = (text: string) => trial.effects.filter((effect) => effect === text).length

test('retries return the cached response, by the header or by the field', async () => {
  const text = 'once'
  const first = assertSuccess(await ask(service, 'note', { text }, header('one')))
  const by_header = assertSuccess(await ask(service, 'note', { text }, header('one')))
  const by_field = assertSuccess(await ask(service, 'note', { text }, {}, { idempotency_key: 'one' }))
  const by_both = assertSuccess(
    await ask(service, 'note', { text }, header('one'), { idempotency_key: 'one' }),
  )
  assert.equal(first.metadata.replayed, false)
  for (const again of [by_header, by_field, by_both]) {
    assert.deepEqual(again.output, first.output)
    assert.equal(again.metadata.replayed, true)
    assert.equal(again.metadata.usage.amount_usd, '0.000000')
    assert.notEqual(again.metadata.audit_record_id, first.metadata.audit_record_id)
  }
  assert.equal(effectsOf(text), 1)
  const filter = { correlation_ids: [by_header.metadata.correlation_id] }
  const records = await service.records(service.tenant_id, filter)
  assert.deepEqual(
    records.map(({ event_type, meta }) => [event_type, meta.replayed]),
    [['ProtocolInvocation', true]],
  )
})

test("a retry may differ in letter case, and may follow a newer version's rollout", async () => {
  const target = { protocol: 'TRIAL', version: 'v1' }
  assertSuccess(await ask(service, 'note', { text: 'before' }, header('rollout'), target))
  const newer = trialProtocol('v1.1.0')
  service.service.registry.register(newer.protocol, [nativeEndpoint(newer.protocol)])
  const again = { ...target, protocol: 'trial' }
  const retry = assertSuccess(await ask(service, 'note', { text: 'before' }, header('rollout'), again))
  assert.equal(retry.metadata.replayed, true)
  assert.deepEqual([effectsOf('before'), newer.effects], [1, []])
})

test('the same key with another body or by another caller is refused 422', async () => {
  const other = await service.newCaller()
  assertSuccess(await ask(service, 'note', { text: 'mine' }, header('mine')))
  const reused = { code: 'idempotency_key_reused', stage: 7 } as const
  for (const [answer, reason] of [
    [await ask(service, 'note', { text: 'not mine' }, header('mine')), 'another request'],
    [await ask(service, 'tag', { event_type: 'custom.x' }, header('mine')), 'another request'],
    [await ask(other, 'note', { text: 'mine' }, header('mine')), 'another caller'],
  ] as const) {
    await assertRefusedAndRecorded(service, answer, { ...reused, reason })
  }
  assert.equal(effectsOf('not mine'), 0)
  assert.equal(effectsOf('mine'), 1)
})

test('a header and a field that differ are refused 422', async () => {
  const answer = await ask(service, 'note', { text: 'two' }, header('a'), { idempotency_key: 'b' })
  assertRefusal(answer, { code: 'idempotency_key_reused', stage: null, reason: 'two keys' })
  assert.equal(effectsOf('two'), 0)
})

test('keyed by (tenant_id, idempotency_key)', async () => {
  const neighbour = await service.newCaller({ tenant_id: 'neighbour' })
  assertSuccess(await ask(service, 'note', { text: 'ours' }, header('shared')))
  assert.equal(
    assertSuccess(await ask(neighbour, 'note', { text: 'theirs' }, header('shared'))).metadata.replayed,
    false,
  )
  assert.equal(effectsOf('theirs'), 1)
})

test('a duplicate in flight waits for the first and gets its answer', async () => {
  const entered = trial.entered()
  const first = ask(service, 'hold', {}, header('together'))
  await entered
  const second = ask(service, 'hold', {}, header('together'))
  trial.release()
  const [done, again] = [assertSuccess(await first), assertSuccess(await second)]
  assert.deepEqual(again.output, done.output)
  assert.deepEqual([done.metadata.replayed, again.metadata.replayed], [false, true])
})

test('a refusal is not stored: the same key may try again', async () => {
  const key = header('after a refusal')
  const refused = await ask(service, 'note', { text: 'again' }, key, { tenant_id: 'somebody-else' })
  assertRefusal(refused, { code: 'capability_denied', stage: 4 })
  assertRefusal(await ask(service, 'note', {}, key), { code: 'invalid_payload', stage: 7 })
  assert.equal(assertSuccess(await ask(service, 'note', { text: 'again' }, key)).metadata.replayed, false)
})

test('a read runs each time, whatever its key', async () => {
  for (let read = 0; read < 2; read++) {
    const { metadata } = assertSuccess(await ask(service, 'echo', { say: String(read) }, header('read')))
    assert.equal(metadata.replayed, false)
  }
})

test('Idempotency cache: 24 hours', async () => {
  const text = 'daily'
  const note = async () => assertSuccess(await ask(service, 'note', { text }, header(text))).metadata.replayed
  assert.equal(await note(), false)
  clock.advance(day_ms)
  assert.equal(await note(), true)
  clock.advance(1)
  assert.equal(await note(), false)
  assert.equal(effectsOf(text), 2)
})

test('a duplicate whose first is still running after 10 s is told to retry', async (t) => {
  const entered = trial.entered()
  const first = ask(service, 'hold', {}, header('slow'))
  await entered
  const [endpoint] = service.service.registry.versions('TRIAL')![0]!.endpoints
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const second = ask(service, 'hold', {}, header('slow'))
  await eventually(() => assert.equal(endpoint!.in_flight, 2))
  const answered = second.then(() => true)
  t.mock.timers.tick(9_999)
  await service.service.audit_log.flush()
  assert.equal(await Promise.race([answered, Promise.resolve(false)]), false)
  t.mock.timers.tick(1)
  t.mock.timers.reset()
  const answer = await second
  trial.release()
  const expected = { code: 'idempotency_in_flight', stage: 7, reason: 'in flight' } as const
  const { error } = await assertRefusedAndRecorded(service, answer, expected)
  assert.equal(error.retry_after_ms, 10_000)
  assertSuccess(await first)
})
