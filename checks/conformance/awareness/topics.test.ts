// Topics over HTTP: a group of two consumers, one of which dies; other organizations; and records without content.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { heard, type MoatScene, moat, openMoatScene } from '../governance/moat-scene.ts'
import type { Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let scene: MoatScene
let ann: Party
let bob: Party
let cy: Party

before(async () => {
  scene = await openMoatScene()
  ann = scene.ann
  bob = scene.bob
  cy = await scene.newParty('acme')
})
after(() => scene.service.stop())

const ask = (who: Party, operation: string, input: Fields, key?: string, tenant_id = who.tenant_id) =>
  dispatch(who, { protocol: 'MIM', operation, input, tenant_id }, { 'idempotency-key': key })
const done = async (who: Party, operation: string, input: Fields, key?: string): Promise<Fields> =>
  assertSuccess(await ask(who, operation, input, key)).output
const bodies = ({ messages }: Fields): unknown[] => messages.map(({ body }: Fields) => body)
const receipts = ({ messages }: Fields): string[] => messages.map(({ receipt }: Fields) => receipt)

test('each subscription gets every message; of a group one gets each, and another what a dead one held', async () => {
  const [topic, group, own] = ['topic:orders', 'topic:orders/workers', 'topic:orders/ledger']
  await done(ann, 'topic_declare', { topic })
  await done(ann, 'topic_subscribe', { subscription: group, consumers: [cy.agent_did] })
  await done(cy, 'topic_subscribe', { subscription: own })
  const messages = [1, 2, 3, 4].map((body) => ({ to: topic, body, ordering_key: body % 2 ? 'odd' : 'even' }))
  const sent = await done(ann, 'message_send_many', { messages }, 'batch')
  assert.deepEqual(await done(ann, 'message_send_many', { messages }, 'batch'), sent)
  assert.deepEqual(bodies(await done(cy, 'message_receive', { mailbox: own })), [1, 2])
  // Both at once: never two of one order, never one message twice.
  const take = { mailbox: group, max: 1, visibility_timeout_ms: 1000 }
  const both = await Promise.all([ann, cy].map((who) => done(who, 'message_receive', take)))
  assert.deepEqual(both.flatMap(bodies).toSorted(), [1, 2])
  await done(ann, 'message_receive', { mailbox: group, mode: 'peek', ack: receipts(both[0]!) })
  // cy dies with its message: ann gets it, and what comes behind it.
  scene.clock.advance(1_001)
  const rest: unknown[] = []
  for (let round = 0; round < 3; round++) {
    const handed = await done(ann, 'message_receive', { mailbox: group, max: 1 })
    rest.push(...bodies(handed))
    await done(ann, 'message_receive', { mailbox: group, mode: 'peek', ack: receipts(handed) })
  }
  assert.deepEqual([...bodies(both[0]!), ...rest].toSorted(), [1, 2, 3, 4])
  const { stale } = await done(cy, 'message_receive', { mailbox: group, ack: receipts(both[1]!) })
  assert.deepEqual(stale, receipts(both[1]!))
})

test('a waiting consumer gets what is published meanwhile', async () => {
  const [topic, mine] = ['topic:waiting', 'topic:waiting/mine']
  await done(ann, 'topic_declare', { topic })
  await done(cy, 'topic_subscribe', { subscription: mine })
  const waiting = done(cy, 'message_receive', { mailbox: mine, wait_ms: 20_000 })
  await done(ann, 'message_send', { to: topic, body: 'now' })
  assert.deepEqual(bodies(await waiting), ['now'])
})

test('another organization sees no topic; by treaty a guest that the owner names receives, and no record has content', async () => {
  const [topic, theirs] = ['topic:abroad', 'topic:abroad/globex']
  await done(ann, 'topic_declare', { topic, subscribers: [bob.agent_did] })
  assertRefusal(await ask(bob, 'topic_subscribe', { subscription: theirs }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'not_found',
  })
  const visit = (operation: string, input: Fields) => ask(bob, operation, input, undefined, 'acme')
  assert.equal((await visit('topic_subscribe', { subscription: theirs })).status, 403)
  const capability_schedule = ['topic_subscribe', 'message_receive'].map((what) => ({
    capability: `svc.mim.${what}`,
    granted_to: 'both',
  }))
  const treaty_id = await scene.agree({ capability_schedule })
  await heard(async () => (await visit('topic_subscribe', { subscription: theirs })).status === 200)
  await done(ann, 'message_send', { to: topic, body: 'between us two', thread_id: 'hush hush' })
  const read: Fields = assertSuccess(await visit('message_receive', { mailbox: theirs })).output
  assert.deepEqual(bodies(read), ['between us two'])
  const records = await scene.service.records('acme')
  assert.ok(
    ['TopicDeclared', 'TopicSubscribed'].every((kind) => records.some((one) => one.event_type === kind)),
  )
  const text = JSON.stringify([records, await scene.service.records('globex')])
  assert.ok(!text.includes('between us') && !text.includes('hush hush'))
  assertSuccess(await moat(bob, 'terminate', { treaty_id, reason: 'we part' }))
  await heard(async () => (await visit('message_receive', { mailbox: theirs })).status === 403)
})
