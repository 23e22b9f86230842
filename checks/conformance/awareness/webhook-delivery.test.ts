// Deliveries of webhooks by two engines on one database, to real receivers: in order, signed, again until they arrive.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sweepApprovals } from '@svc/protocols/governance/approvals/api'
import { OwnTls } from '@svc/service/settings/own-tls'
import type { InProcessService } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { makeCertificate, type TestCertificate } from '../../neighbours/test-certificate.ts'
import { startReceiver, type TestReceiver } from '../../neighbours/test-receiver.ts'
import { testTls } from '../../neighbours/test-tls.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { eventually, until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import {
  done,
  type Fields,
  openWebhookScene,
  payFor,
  setter_capabilities,
  type WebhookScene,
  webhookOf,
} from './webhook-scene.ts'

const hour_ms = 3_600_000
let scene: WebhookScene
let one: InProcessService
const receivers: TestReceiver[] = []
const test_tls = testTls()
const { authority } = test_tls
before(async () => {
  scene = await openWebhookScene()
  const tls = new OwnTls({ ca_file: test_tls.ca_file })
  one = await scene.start({ tls })
  // Either may deliver.
  await scene.start({ tls })
})
after(async () => {
  for (const receiver of receivers) await receiver.stop()
  await scene?.close()
  test_tls.close()
})

let tenants = 0
const newSetter = (tenant_id = `hooks-${++tenants}`) =>
  one.newCaller({ tenant_id, capabilities: [...setter_capabilities, 'svc.max.audit_log_entry'] })

async function newReceiver(tls?: TestCertificate, { clock } = scene) {
  const receiver = await startReceiver(clock.now_ms, tls)
  receivers.push(receiver)
  return receiver
}

/** Sets a webhook for payments at a new receiver, which knows its secret. */
async function receiving(setter: Addresses, event_types = ['custom.paid'], name = 'pay') {
  const receiver = await newReceiver()
  const address = `${receiver.url}/in?x=1`
  receiver.secret = (await done(setter, 'set_webhook', { name, address, event_types })).secret
  return receiver
}

const amountsAt = ({ deliveries }: TestReceiver, status = 204) =>
  deliveries.filter((delivery) => delivery.status === status).map(({ event }) => event.data.meta?.amount)
const receives = (receiver: TestReceiver, amounts: number[]) =>
  eventually(() => assert.deepEqual(amountsAt(receiver), amounts))
const reaches = (setter: Addresses, state: string, name = 'pay') =>
  until(`the webhook is ${state}`, async () => {
    const webhook = await webhookOf(setter, name)
    return webhook.state === state && webhook
  })

test('an approval that is requested, given and used arrives in order, each event once, by one of two engines', async () => {
  const setter = await newSetter()
  const { tenant_id } = setter
  const caveat = { name: 'svc.pay.*', caveats: ['approval:role:finance'] }
  const caller = await one.newCaller({ tenant_id, capabilities: [caveat] })
  const approver = await one.newCaller({ tenant_id, capabilities: ['svc.maxim.*', 'svc.role.finance'] })
  const send = () => dispatch(caller, { protocol: 'PAY', operation: 'send', input: { to: 'bob', amount: 7 } })
  const types = ['ApprovalRequested', 'ApprovalGiven', 'custom.paid']
  const receiver = await receiving(setter, types)
  const { approval_id } = (await send()).body.error.details
  const decide = { approval_id, decision: 'approve' }
  assertSuccess(await dispatch(approver, { protocol: 'MAXIM', operation: 'approval_decide', input: decide }))
  assertSuccess(await send())
  await eventually(() =>
    assert.deepEqual(
      receiver.deliveries.map(({ event }) => event.type),
      types,
    ),
  )
  assert.ok(receiver.deliveries.every(({ path }) => path === '/in?x=1'))
  const { records } = await done(setter, 'audit_query', { event_type: types })
  assert.deepEqual(
    receiver.deliveries.map(({ event }) => event.data),
    records,
  )
  assert.deepEqual(
    receiver.deliveries.map(({ id }) => id),
    records.map(({ id }: Fields) => id),
  )
  const webhook = await reaches(setter, 'ACTIVE')
  assert.equal(webhook.last_delivered_at, '2026-11-15T10:00:00.000Z')
  assert.deepEqual(receiver.refused, [])
})

test('approvals that are refused, or expire undecided or unused, reach a webhook, and say why', async () => {
  const setter = await newSetter()
  const { tenant_id } = setter
  const caveat = { name: 'svc.pay.*', caveats: ['approval:role:finance within 1m use 1m'] }
  const caller = await one.newCaller({ tenant_id, capabilities: [caveat] })
  const approver = await one.newCaller({ tenant_id, capabilities: ['svc.maxim.*', 'svc.role.finance'] })
  const types = ['ApprovalRefused', 'ApprovalExpired']
  const receiver = await receiving(setter, types)
  const send = (amount: number) =>
    dispatch(caller, { protocol: 'PAY', operation: 'send', input: { to: 'bob', amount } })
  const ask = async (amount: number) => (await send(amount)).body.error.details.approval_id as string
  const decide = async (approval_id: string, decision: string) => {
    const input = { approval_id, decision }
    assertSuccess(await dispatch(approver, { protocol: 'MAXIM', operation: 'approval_decide', input }))
  }
  const [refused, undecided, unused] = [await ask(1), await ask(2), await ask(3)]
  await decide(refused, 'refuse')
  await decide(unused, 'approve')
  scene.clock.advance(60_000)
  await sweepApprovals(one.service.store.engine, testTick(new Date(scene.clock.now_ms())))
  await eventually(() =>
    assert.deepEqual(
      receiver.deliveries
        .map(({ event: { type, data } }) => [type, data.meta?.approval_id, data.meta?.reason])
        .sort(),
      [
        ['ApprovalExpired', undecided, 'not decided in time'],
        ['ApprovalExpired', unused, 'not used in time'],
        ['ApprovalRefused', refused, undefined],
      ].sort(),
    ),
  )
  assert.deepEqual(receiver.refused, [])
})

test('many events arrive once and in order, and none from before it was set or of other organizations', async () => {
  const [setter, rival] = [await newSetter(), await newSetter()]
  await payFor(setter, 1, 2)
  const [receiver, rivals] = [await receiving(setter), await receiving(rival)]
  const amounts = Array.from({ length: 130 }, (_, i) => 100 + i)
  await payFor(rival, 5)
  // Past the records of one turn, and of one page together with those that do not concern it.
  await Promise.all([payFor(setter, ...amounts), payFor(rival, 6)])
  await receives(receiver, amounts)
  await receives(rivals, [5, 6])
  assert.equal(new Set(receiver.deliveries.map(({ id }) => id)).size, amounts.length)
})

test('a receiver that was down gets everything, in order, after pauses that grow', async () => {
  const setter = await newSetter()
  const receiver = await receiving(setter)
  await receiver.down()
  await payFor(setter, 1, 2)
  const { last_failure, next_attempt_at } = await reaches(setter, 'RETRYING')
  assert.equal(last_failure, 'The receiver could not be reached: ECONNREFUSED.')
  const wait_ms = Date.parse(next_attempt_at) - scene.clock.now_ms()
  assert.ok(wait_ms >= 4_000 && wait_ms <= 5_000, `${wait_ms} ms`)
  await receiver.up()
  receiver.answer = () => 503
  await payFor(setter, 3)
  scene.clock.advance(5_000)
  const second = await until('it failed again', async () => {
    const webhook = await webhookOf(setter, 'pay')
    return webhook.last_failure === 'The receiver answered 503.' && webhook
  })
  const longer_ms = Date.parse(second.next_attempt_at) - scene.clock.now_ms()
  assert.ok(longer_ms >= 8_000 && longer_ms <= 10_000, `${longer_ms} ms`)
  assert.equal(second.seconds_behind, 5)
  receiver.answer = () => 204
  scene.clock.advance(10_000)
  await receives(receiver, [1, 2, 3])
  const ids = receiver.deliveries.filter(({ event }) => event.data.meta?.amount === 1).map(({ id }) => id)
  assert.equal(new Set(ids).size, 1, 'the id is the same over all attempts')
  const { last_failure: none, seconds_behind } = await eventually(async () => {
    const webhook = await reaches(setter, 'ACTIVE')
    assert.equal(webhook.seconds_behind, 0)
    return webhook
  })
  assert.deepEqual([none, seconds_behind], [undefined, 0])
})

test('a restarted engine goes on where the last one stopped, and takes over from one that was killed', async (t) => {
  const own = await openWebhookScene()
  t.after(() => own.close())
  const first = await own.start()
  const setter = await first.newCaller({ capabilities: setter_capabilities })
  const receiver = await newReceiver(undefined, own)
  const input = { name: 'pay', address: receiver.url, event_types: ['custom.paid'] }
  receiver.secret = (await done(setter, 'set_webhook', input)).secret
  await payFor(setter, 1)
  await receives(receiver, [1])
  await receiver.down()
  await payFor(setter, 2)
  await reaches(setter, 'RETRYING')
  await first.stop()
  await receiver.up()
  const second = await own.start()
  const again = { ...setter, api_url: second.api_url }
  await payFor(again, 3)
  own.clock.advance(5_000)
  await receives(receiver, [1, 2, 3])
  const db = second.service.store.engine
  const takenUntil = (moment: string) =>
    db.execute({
      text: `UPDATE webhooks SET taken_by = gen_random_uuid(), taken_until = ${moment}`,
      values: [],
    })
  await reaches(again, 'ACTIVE')
  await takenUntil("now() + interval '1 hour'")
  const marker = await newReceiver(undefined, own)
  const free = { ...input, name: 'free', address: marker.url }
  marker.secret = (await done(again, 'set_webhook', free)).secret
  await payFor(again, 4)
  await eventually(() => assert.deepEqual(amountsAt(marker), [4]))
  assert.deepEqual(amountsAt(receiver), [1, 2, 3], 'nobody takes what another engine delivers')
  await takenUntil("now() - interval '1 second'")
  await receives(receiver, [1, 2, 3, 4])
})

test('410 stops it at once, and setting it again lets it go on from where it was', async () => {
  const setter = await newSetter()
  const types = ['custom.paid', 'WebhookStopped']
  const receiver = await receiving(setter, types)
  receiver.answer = () => 410
  await payFor(setter, 1)
  const stopped = await reaches(setter, 'STOPPED')
  assert.equal(stopped.last_failure, 'The receiver answered 410: it wants no more events.')
  assert.equal(stopped.next_attempt_at, undefined)
  const records = await until('it is recorded', async () => {
    const recorded = await one.records(setter.tenant_id, { event_types: ['WebhookStopped'] })
    return recorded.length > 0 && recorded
  })
  assert.deepEqual(
    records.map(({ meta }) => meta),
    [{ name: 'pay', reason: stopped.last_failure }],
  )
  await payFor(setter, 2)
  scene.clock.advance(hour_ms)
  receiver.answer = () => 200
  const address = `${receiver.url}/again`
  const changed = await done(setter, 'set_webhook', { name: 'pay', address, event_types: types })
  assert.equal(changed.secret, undefined, 'the secret stays')
  await eventually(() => {
    const arrived = receiver.deliveries.filter(({ path }) => path === '/again').map(({ event }) => event)
    assert.deepEqual(arrived.map(({ type }) => type).sort(), ['WebhookStopped', 'custom.paid', 'custom.paid'])
    const seqs = arrived.map(({ data }) => data.seq)
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    )
  })
  await reaches(setter, 'ACTIVE')
})

test('after 72 hours without success it is stopped, recorded once, and another one is told', async () => {
  const setter = await newSetter()
  const receiver = await receiving(setter, ['custom.paid', 'WebhookStopped'])
  const watcher = await receiving(setter, ['WebhookStopped'], 'watcher')
  receiver.answer = () => 500
  await payFor(setter, 1)
  await reaches(setter, 'RETRYING')
  scene.clock.advance(72 * hour_ms)
  const stopped = await reaches(setter, 'STOPPED')
  assert.match(stopped.last_failure, /answered 500\. Nothing could be delivered for 72 hours/)
  await until('the other one is told', () => watcher.deliveries.length > 0)
  assert.equal(watcher.deliveries[0]?.event.data.meta?.name, 'pay')
  const records = await one.records(setter.tenant_id, { event_types: ['WebhookStopped'] })
  assert.equal(records.length, 1)
})

test('a redirect is not followed, and an answer of any size counts by its status', async () => {
  const setter = await newSetter()
  const receiver = await receiving(setter)
  receiver.answer = () => 307
  await payFor(setter, 1)
  const { last_failure } = await reaches(setter, 'RETRYING')
  assert.match(last_failure, /answered 307; redirects are not followed/)
  assert.deepEqual(
    receiver.deliveries.map(({ path }) => path),
    ['/in?x=1'],
  )
  receiver.answer = () => 299
  scene.clock.advance(5_000)
  await eventually(() => assert.deepEqual(amountsAt(receiver, 299), [1]))
})

test('it arrives over https by a trusted certificate only', async () => {
  const setter = await newSetter()
  const hosts = ['127.0.0.1']
  const good = await newReceiver(makeCertificate({ name: 'good', issuer: authority, hosts }))
  const bad = await newReceiver(makeCertificate({ name: 'bad', hosts }))
  for (const [name, receiver] of [
    ['good', good],
    ['bad', bad],
  ] as const) {
    const input = { name, address: receiver.url, event_types: ['custom.paid'] }
    receiver.secret = (await done(setter, 'set_webhook', input)).secret
  }
  await payFor(setter, 1)
  await receives(good, [1])
  await reaches(setter, 'RETRYING', 'bad')
  assert.deepEqual(bad.deliveries, [])
})

test('a name that leads to an address inside is refused when something is sent', async (t) => {
  const strict = await openWebhookScene()
  t.after(() => strict.close())
  const engine = await strict.start({ allowed_networks: [] })
  const setter = await engine.newCaller({ capabilities: setter_capabilities })
  const receiver = await newReceiver()
  const address = receiver.url.replace('http://127.0.0.1', 'https://localhost')
  await done(setter, 'set_webhook', { name: 'pay', address, event_types: ['custom.paid'] })
  await payFor(setter, 1)
  const { last_failure } = await reaches(setter, 'RETRYING')
  assert.equal(last_failure, 'The receiver could not be reached: address not allowed.')
  assert.deepEqual([receiver.deliveries, receiver.refused], [[], []])
})

test('receivers that never answer hold up nobody else', async () => {
  const [setter, neighbour] = [await newSetter(), await newSetter()]
  const hanging: TestReceiver[] = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const receiver = await receiving(setter, ['custom.paid'], name)
    receiver.answer = () => undefined
    hanging.push(receiver)
  }
  const prompt = await receiving(neighbour)
  await payFor(setter, 1)
  await until('four are asked', () => hanging.filter(({ deliveries }) => deliveries.length > 0).length === 4)
  await payFor(neighbour, 2, 3)
  await receives(prompt, [2, 3])
})

test('a removed webhook receives nothing more, and a changed secret signs at once', async () => {
  const setter = await newSetter()
  const [receiver, stays] = [await receiving(setter), await receiving(setter, ['custom.paid'], 'stays')]
  await payFor(setter, 1)
  await receives(receiver, [1])
  await done(setter, 'remove_webhook', { name: 'pay' })
  const input = { name: 'stays', address: stays.url, event_types: ['custom.paid'], new_secret: true }
  stays.secret = (await done(setter, 'set_webhook', input)).secret
  await payFor(setter, 2)
  await receives(stays, [1, 2])
  assert.deepEqual(amountsAt(receiver), [1])
})

test('it stops when whoever set it may no longer read the log', async () => {
  const setter = await newSetter()
  const { tenant_id } = setter
  const successor = await newSetter(tenant_id)
  const receiver = await receiving(setter)
  scene.revoked.add(setter.agent_did)
  await payFor(successor, 1)
  const stopped = await reaches(successor, 'STOPPED')
  assert.match(stopped.last_failure, /may no longer read the audit log/)
  assert.deepEqual(receiver.deliveries, [])
  const input = { name: 'pay', address: receiver.url, event_types: ['custom.paid'] }
  await done(successor, 'set_webhook', input)
  await receives(receiver, [1])
  // As the operator revokes its only key, which carries the right to read.
  const text = 'UPDATE api_keys SET revoked_at = now() WHERE did = $1'
  await one.service.store.engine.execute({ text, values: [successor.agent_did] })
  const third = await newSetter(tenant_id)
  await payFor(third, 2)
  await reaches(third, 'STOPPED')
  assert.deepEqual(amountsAt(receiver), [1])
})

test('a slow receiver gives its turn to others, and what its setter may do is looked at again', async () => {
  const setter = await newSetter()
  const successor = await newSetter(setter.tenant_id)
  const receiver = await receiving(setter)
  receiver.answer = () => 503
  await payFor(successor, 1, 2, 3, 4, 5, 6, 7, 8)
  await reaches(successor, 'RETRYING')
  receiver.answer = () => {
    scene.revoked.add(setter.agent_did)
    scene.clock.advance(9_000)
    return 204
  }
  scene.clock.advance(hour_ms)
  const stopped = await reaches(successor, 'STOPPED')
  assert.match(stopped.last_failure, /may no longer read the audit log/)
  assert.deepEqual(amountsAt(receiver), [1, 2])
})
