// Webhooks over the wire: who may set them, for what, and what is shown of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { webhooks_max } from '@svc/contract/needs/webhooks'
import type { InProcessService } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { assertRefusal } from '../dispatch/expectations.ts'
import {
  callerWith,
  done,
  max,
  openWebhookScene,
  reasonOf,
  setter_capabilities,
  type WebhookScene,
  webhookOf,
} from './webhook-scene.ts'

let scene: WebhookScene
let engine: InProcessService
let setter: Addresses
before(async () => {
  scene = await openWebhookScene()
  engine = await scene.start({ allowed_networks: [] })
  setter = await engine.newCaller({ capabilities: setter_capabilities })
})
after(async () => {
  await engine?.stop()
  await scene?.close()
})

const target = { name: 'pay', address: 'https://hooks.example/a?token=t0p', event_types: ['custom.paid'] }
const bare = (name: string, ...caveats: string[]) => ({ name, caveats })

test('a webhook is set, listed, changed and removed, and its secret is shown once', async () => {
  const { secret, ...added } = await done(setter, 'set_webhook', target)
  assert.deepEqual(added, target)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  const { set_at, ...listed } = await webhookOf(setter, 'pay')
  assert.equal(set_at, '2026-11-15T10:00:00.000Z')
  assert.deepEqual(listed, { ...target, state: 'ACTIVE', set_by: setter.agent_did, seconds_behind: 0 })
  const other = { ...target, event_types: ['ApprovalGiven', 'ApprovalGiven'] }
  assert.deepEqual(await done(setter, 'set_webhook', other), { ...target, event_types: ['ApprovalGiven'] })
  const renewed = await done(setter, 'set_webhook', { ...target, new_secret: true })
  assert.match(renewed.secret, /^whsec_/)
  assert.notEqual(renewed.secret, secret)
  await done(setter, 'remove_webhook', { name: 'pay', reason: 'over' })
  assert.equal(await reasonOf(setter, 'remove_webhook', { name: 'pay' }), 'not_found')
  assert.deepEqual((await done(setter, 'list_webhooks', {})).items, [])
  const records = await engine.records('dev', { event_types: ['WebhookSet', 'WebhookRemoved'] })
  assert.deepEqual(
    records.map(({ event_type, meta }) => [event_type, meta.name, meta.is_new, meta.new_secret, meta.reason]),
    [
      ['WebhookSet', 'pay', true, true, undefined],
      ['WebhookSet', 'pay', false, false, undefined],
      ['WebhookSet', 'pay', false, true, undefined],
      ['WebhookRemoved', 'pay', undefined, undefined, undefined],
    ],
  )
  assert.deepEqual(
    records.at(-1)!.meta.supplied,
    { reason: 'over' },
    "the caller's words are no fact of the engine",
  )
  const texts = JSON.stringify(await engine.records('dev'))
  assert.ok(texts.includes('hooks.example') && !texts.includes('t0p') && !texts.includes(secret))
})

test('no secret is stored in the clear, and nobody else sees a webhook', async () => {
  const { secret } = await done(setter, 'set_webhook', target)
  const { rows } = await engine.service.store.engine.execute<object>({
    text: 'SELECT sealed_secret, wrapped_key FROM webhooks',
    values: [],
  })
  const stored = rows.flatMap((row) => Object.values(row) as Buffer[])
  assert.ok(stored.length === 2 && stored.every((bytes) => !bytes.includes(secret.slice(6, 20))))
  const stranger = await engine.newCaller({ tenant_id: 'rival', capabilities: setter_capabilities })
  assert.deepEqual((await done(stranger, 'list_webhooks', {})).items, [])
  assert.equal(await reasonOf(stranger, 'remove_webhook', { name: 'pay' }), 'not_found')
  const across = await max(stranger, 'set_webhook', target, { tenant_id: 'dev' })
  assert.equal(across.body.error.code, 'capability_denied')
  await done(setter, 'remove_webhook', { name: 'pay' })
})

test('only those set one who may read the whole log, without bounds', async () => {
  const set = bare('svc.max.set_webhook')
  const blind = await callerWith(engine, 'dev', [set])
  assert.equal(await reasonOf(blind, 'set_webhook', target), 'not a reader of the audit log')
  const refused = assertRefusal(await max(blind, 'set_webhook', target), { code: 'policy_denied', stage: 7 })
  assert.match(refused.message, /may not read the whole audit log/)
  for (const grant of [
    bare('svc.max.audit_query', 'weekly_budget:1'),
    { ...bare('svc.max.audit_query'), limits: { max_per_hour: 1 } },
    { ...bare('svc.max.audit_query'), expires_at: '2099-01-01T00:00:00.000Z' },
    bare('svc.max.compliance_report'),
  ]) {
    const bounded = await callerWith(engine, 'dev', [set, grant])
    assert.equal(await reasonOf(bounded, 'set_webhook', target), 'not a reader of the audit log')
  }
  const reader = await callerWith(engine, 'dev', [bare('svc.max.audit_query')])
  assertRefusal(await max(reader, 'set_webhook', target), { code: 'capability_denied', stage: 4 })
  const whole = await callerWith(engine, 'dev', [bare('svc.max.*')])
  await done(whole, 'set_webhook', target)
  await done(whole, 'remove_webhook', { name: 'pay' })
})

test('a bounded credential sets none', async () => {
  const expiring = await engine.newCaller({
    capabilities: setter_capabilities,
    expires_at: '2099-01-01T00:00:00.000Z',
  })
  assert.equal(await reasonOf(expiring, 'set_webhook', target), 'bounded credential')
})

test('an address is public and over https, and nothing else is hidden in it', async () => {
  for (const address of [
    'https://10.0.0.1/x',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://2130706433/x',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/x',
    'http://93.184.216.34/x',
    'http://hooks.example/x',
  ])
    assert.equal(
      await reasonOf(setter, 'set_webhook', { ...target, address }),
      'address not allowed',
      address,
    )
  for (const address of ['https://a@hooks.example/', 'https://hooks.example/#x', 'https://['])
    assert.equal(await reasonOf(setter, 'set_webhook', { ...target, address }), 'invalid address', address)
  for (const more of [
    { address: 'ftp://hooks.example/' },
    { address: `https://hooks.example/${'x'.repeat(2000)}` },
    { address: 'https://hooks.example/\n' },
    { event_types: [] },
    { event_types: Array.from({ length: 33 }, (_, i) => `custom.e${i}`) },
    { name: 'Pay' },
    { name: '' },
    { secret: 'whsec_AAAA' },
  ])
    assertRefusal(await max(setter, 'set_webhook', { ...target, ...more }), {
      code: 'invalid_payload',
      stage: 7,
    })
})

test('an event type that no record has is refused', async () => {
  for (const event_type of ['ApprovalAsked', 'approvalgiven', 'custom.', '*']) {
    const input = { ...target, event_types: ['ApprovalGiven', event_type] }
    const { body } = await max(setter, 'set_webhook', input)
    assert.equal(body.error.reason, 'unknown event type')
    assert.equal(body.error.details.faults[0].pointer, '/event_types/1')
  }
})

test('an organization has at most 20, however many are set at once', async () => {
  const names = Array.from({ length: webhooks_max + 5 }, (_, i) => `many-${i}`)
  const answers = await Promise.all(names.map((name) => max(setter, 'set_webhook', { ...target, name })))
  const reasons = answers.flatMap(({ body }) => (body.error ? [body.error.reason] : []))
  assert.deepEqual(reasons, Array(5).fill('too many webhooks'))
  const { items } = await done(setter, 'list_webhooks', {})
  assert.equal(items.length, webhooks_max)
  const { name } = items[0]
  await done(setter, 'set_webhook', { ...target, name })
  for (const item of items) await done(setter, 'remove_webhook', { name: item.name })
})
