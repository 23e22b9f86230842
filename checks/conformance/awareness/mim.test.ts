// MIM over HTTP: the largest message, mail between organizations by treaty, and waiting for mail. Its rules: mim.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
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
const send = async (who: Party, input: Fields, key?: string): Promise<Fields> =>
  assertSuccess(await ask(who, 'message_send', input, key)).output
const receive = async (who: Party, input: Fields = {}, key?: string): Promise<Fields> =>
  assertSuccess(await ask(who, 'message_receive', input, key)).output
const refused = (answer: Answer, reason: string, code: RefusalCode = 'invalid_payload') =>
  assertRefusal(answer, { code, stage: 7, reason })
const receipts = (messages: Fields[]): string[] => messages.map(({ receipt }) => receipt)

test('exactly 5 242 880 bytes pass over HTTP unchanged; one more is refused', async () => {
  const body = 'x'.repeat(5_242_878)
  assert.equal((await send(ann, { to: cy.agent_did, body })).size, 5_242_880)
  const [message] = (await receive(cy)).messages
  assert.ok(message.body === body)
  const { details } = refused(
    await ask(ann, 'message_send', { to: cy.agent_did, body: `${body}x` }),
    'too_large',
  )
  assert.deepEqual([details.size, details.bytes_max, details.path], [5_242_881, 5_242_880, '/body'])
  const thread = { thread_id: 'twelve chars', body: 'é'.repeat(10) }
  assert.equal((await send(ann, { to: cy.agent_did, ...thread })).size, 22 + 'thread_id'.length + 12)
  const many = Array.from({ length: 20 }, (_, n) => `mailbox:many-${n}`)
  refused(await ask(ann, 'message_send', { to: many, body }), 'too_large')
})

test('another organization is reached only by treaty, and both audit logs record it without its content', async () => {
  const letter = { to: [bob.agent_did, cy.agent_did], body: 'a secret between us', thread_id: 'hush hush' }
  refused(await ask(ann, 'message_send', letter), 'no active treaty', 'capability_denied')
  const nobody = { ...letter, to: bob.agent_did.replace('globex', 'nowhere') }
  refused(await ask(ann, 'message_send', nobody), 'no active treaty', 'capability_denied')
  const treaty_id = await scene.agree({
    capability_schedule: [{ capability: 'svc.mim.message_send', granted_to: 'both' }],
  })
  let sent: Fields = {}
  await heard(async () => {
    const answer = await ask(ann, 'message_send', letter)
    sent = answer.body.output
    return answer.status === 200
  })
  const { messages } = await receive(bob)
  assert.deepEqual(
    [messages[0].body, messages[0].from, messages[0].thread_id],
    [letter.body, ann.agent_did, 'hush hush'],
  )
  const refsIn = async (tenant_id: string): Promise<string[]> =>
    (await scene.service.records(tenant_id, { event_types: ['MessageSent'] })).flatMap(
      ({ meta }) => meta.refs as string[],
    )
  const [to_bob, to_cy] = sent.deliveries.map(({ message_id }: Fields) => `mim://message/${message_id}`)
  await heard(async () => (await refsIn('globex')).length > 0)
  assert.deepEqual(await refsIn('globex'), [to_bob])
  const own = await refsIn('acme')
  assert.ok(own.includes(to_bob) && own.includes(to_cy))
  const records = JSON.stringify([await scene.service.records('acme'), await scene.service.records('globex')])
  assert.ok(!records.includes('secret between') && !records.includes('hush hush'))
  const rows = await asOwner(scene.service.db_url, async (owner) =>
    JSON.stringify(
      (await owner.query('SELECT * FROM mail_messages')).rows.map((row) => ({
        ...row,
        sealed: `${row.sealed}`,
      })),
    ),
  )
  assert.ok(!rows.includes('hush hush') && !rows.includes('secret between'))
  assertSuccess(await moat(bob, 'terminate', { treaty_id, reason: 'we part' }))
  await heard(async () => (await ask(ann, 'message_send', letter)).status === 403)
  refused(await ask(ann, 'message_send', letter), 'no active treaty', 'capability_denied')
  // Messages delivered while the treaty was active belong to the recipient.
  assert.deepEqual((await receive(bob, { ack: receipts(messages) })).acked, receipts(messages))
})

test('a guest reads where it is a delegate, learns of no other mailbox, and sends elsewhere from its home tenant', async () => {
  const capability_schedule = ['send', 'receive'].map((what) => ({
    capability: `svc.mim.message_${what}`,
    granted_to: 'both',
  }))
  const treaty_id = await scene.agree({ capability_schedule })
  const visit = (operation: string, input: Fields) => ask(ann, operation, input, undefined, 'globex')
  await heard(async () => (await visit('message_send', { to: bob.agent_did, body: 1 })).status === 200)
  const [open, closed] = ['mailbox:open', 'mailbox:closed']
  await receive(bob, { mailbox: open, delegates: [ann.agent_did] })
  for (const to of [open, closed]) await send(bob, { to, body: `in ${to}` })
  const read: Fields = assertSuccess(await visit('message_receive', { mailbox: open })).output
  assert.equal(read.messages[0].body, `in ${open}`)
  for (const mailbox of [closed, 'mailbox:none', bob.agent_did, bob.agent_did.replace(/.{8}$/, '00000000')])
    refused(await visit('message_receive', { mailbox }), 'not_found')
  for (const to of [ann.agent_did, scene.eve.agent_did])
    refused(await visit('message_send', { to, body: 1 }), 'guest of the tenant', 'capability_denied')
  assertSuccess(await moat(bob, 'terminate', { treaty_id, reason: 'we part' }))
  await heard(async () => (await visit('message_receive', { mailbox: open })).status === 403)
})

test('a waiting receiver gets messages that arrive meanwhile, and its acks are committed before it waits', async () => {
  const mailbox = 'mailbox:waiting'
  await send(ann, { to: mailbox, body: 1 })
  const { messages } = await receive(ann, { mailbox })
  const waiting = ask(ann, 'message_receive', { mailbox, wait_ms: 20_000, ack: receipts(messages) })
  await heard(async () => (await receive(ann, { mailbox, mode: 'peek' })).backlog.live === 0)
  await send(ann, { to: mailbox, body: 2 })
  const { output, metadata } = assertSuccess(await waiting)
  const { messages: more, acked } = output as Fields
  assert.deepEqual([more[0].body, acked], [2, receipts(messages)])
  assert.ok(Number((metadata.usage as Fields).waiting_seconds) > 0, 'waiting is not metered as work')
  assert.deepEqual((await receive(ann, { mailbox, wait_ms: 1 })).messages, [])
})
