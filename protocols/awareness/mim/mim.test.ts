// The rules of mailboxes: QoS, order, dead letters, who may receive, deduplication, encryption, expiry.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { is_long } from '../../../checks/faults/scene/chance.ts'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import {
  ann,
  bob,
  cy,
  dan,
  type Fields,
  guest,
  type MailStage,
  nobody,
  type Party,
  rehearseMail,
} from '../../../checks/scenes/mail-parties.ts'
import { forgetMail, settleMail } from './mail-sweep.ts'

const sent_each = is_long ? 100 : 20
const keys = 4
let stage: MailStage

before(async () => {
  stage = await rehearseMail()
})
after(() => stage.close())

const ask: MailStage['ask'] = (...call) => stage.ask(...call)
const send = (who: Party, input: Fields, key?: string) => ask(who, 'message_send', input, key)
const receive = (who: Party, input: Fields = {}, key?: string) => ask(who, 'message_receive', input, key)
const refused = (call: Promise<Fields>, reason?: string, code: RefusalCode = 'invalid_payload') =>
  assertRefused(call, code, reason)
const receipts = (messages: Fields[]): string[] => messages.map(({ receipt }) => receipt)

test('consumers crash: QoS 0 at most once, QoS 1 at least once, QoS 2 exactly once, each key in order', async () => {
  for (const qos of [0, 1, 2]) {
    const mailbox = `mailbox:qos-${qos}`
    await receive(ann, { mailbox, delegates: [cy.did] })
    const number = (n: number) =>
      send(ann, { to: mailbox, body: n, qos, ordering_key: `k${n % keys}`, dedupe_id: `n${n}` })
    for (let n = 0; n < sent_each; n++) await number(n)
    if (qos === 2) assert.equal((await number(0)).duplicate, true)
    const taken: number[] = []
    const handed: number[] = []
    for (let round = 0; taken.length + (qos === 0 ? handed.length : 0) < sent_each; round++) {
      assert.ok(round < 10 * sent_each, 'everything is handed out in the end')
      const who = round % 2 ? cy : ann
      const { messages } = await receive(who, { mailbox, max: 100, visibility_timeout_ms: 1000 })
      handed.push(...messages.map(({ body }: Fields) => body))
      // Every third consumer dies with its messages; the following ones wait until they are visible again.
      if (round % 3 === 2 || qos === 0) stage.ports.clock.advance(1500)
      else {
        const { acked, stale } = await receive(who, { mailbox, mode: 'peek', ack: receipts(messages) })
        assert.deepEqual([acked.length, stale], [messages.length, []])
        taken.push(...messages.map(({ body }: Fields) => body))
      }
    }
    const once = qos === 0 ? handed : taken
    assert.deepEqual(
      once.toSorted((a, b) => a - b),
      [...Array(sent_each).keys()],
    )
    for (let key = 0; key < keys; key++) {
      const order = once.filter((n) => n % keys === key)
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      )
    }
    if (qos > 0) assert.ok(handed.length > sent_each, 'some were handed out again')
    const { unreleased, backlog } = await receive(ann, { mailbox, max: 100 })
    assert.equal(unreleased.length, qos === 2 ? sent_each : 0)
    assert.deepEqual(backlog, { live: unreleased.length, dead: 0 })
    // A consumer that crashed between the two steps releases on restart; repeating it changes nothing.
    for (let twice = 0; twice < 2; twice++) {
      const { released, stale, backlog: left } = await receive(cy, { mailbox, release: receipts(unreleased) })
      assert.deepEqual([released.length, stale.length, left.live], [unreleased.length, 0, 0])
    }
  }
})

test('a poison message is dead after five deliveries, listed with its reason, and can be put back or removed', async () => {
  const mailbox = 'mailbox:poison'
  for (const body of ['poison', 'after it']) await send(ann, { to: mailbox, body, ordering_key: 'k' })
  for (let attempt = 1; attempt <= 5; attempt++) {
    const { messages } = await receive(ann, { mailbox })
    assert.deepEqual([messages.length, messages[0].body, messages[0].attempt], [1, 'poison', attempt])
    const nack = [{ receipt: messages[0].receipt, reason: `attempt ${attempt} failed`, delay_ms: 2000 }]
    assert.equal((await receive(ann, { mailbox, mode: 'peek', nack })).nacked.length, 1)
    assert.deepEqual((await receive(ann, { mailbox })).messages.length, attempt === 5 ? 1 : 0)
    stage.ports.clock.advance(2000)
  }
  const { messages, backlog } = await receive(ann, { mailbox, mode: 'dead' })
  const [dead] = messages
  assert.deepEqual(
    [dead.body, dead.dead_reason, dead.nack_reason],
    ['poison', 'max_deliveries', 'attempt 5 failed'],
  )
  assert.deepEqual(backlog, { live: 1, dead: 1 })
  const back = { mailbox, mode: 'peek', nack: [{ receipt: dead.receipt, delay_ms: 1000 }] }
  assert.deepEqual(
    (await receive(ann, back)).messages.map(({ body }: Fields) => body),
    ['after it', 'poison'],
  )
  stage.ports.clock.advance(60_000)
  const [head] = (await receive(ann, { mailbox })).messages
  const [again] = (await receive(ann, { mailbox, ack: [head.receipt] })).messages
  assert.deepEqual([head.body, again.body, again.attempt, again.seq], ['after it', 'poison', 6, 3])
  const killed = { mailbox, mode: 'dead', nack: [{ receipt: again.receipt, dead: true }] }
  const buried = await receive(ann, killed)
  assert.equal(buried.messages[0].dead_reason, 'rejected')
  assert.deepEqual((await receive(ann, { mailbox, ack: receipts(buried.messages) })).backlog, {
    live: 0,
    dead: 0,
  })
})

test('only the owner and delegates use a mailbox; members are refused, outsiders learn nothing', async () => {
  const mailbox = 'mailbox:private'
  await ask(ann, 'mailbox_declare', { mailbox })
  await send(ann, { to: mailbox, body: 'for ann' })
  await refused(ask(cy, 'message_receive', { mailbox }), 'not the owner of the mailbox', 'policy_denied')
  await refused(
    ask(cy, 'message_receive', { mailbox: ann.did }),
    'not the owner of the mailbox',
    'policy_denied',
  )
  await receive(ann, { mailbox, delegates: [cy.did], max: 1, mode: 'peek' })
  const { messages } = await receive(cy, { mailbox })
  assert.equal(messages[0].body, 'for ann')
  const taking_over = { mailbox, delegates: [] }
  await refused(ask(cy, 'message_receive', taking_over), 'not the owner of the mailbox', 'policy_denied')
  await refused(ask(cy, 'message_receive', { mailbox: bob.did }), 'not_found')
  // Another organization has a mailbox of the same name, without these messages.
  assert.deepEqual((await receive(bob, { mailbox })).messages, [])
  assert.deepEqual((await receive(bob, { mailbox, ack: receipts(messages) })).stale, receipts(messages))
  const forged = messages[0].receipt.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
  assert.deepEqual((await receive(cy, { mailbox, ack: [forged] })).stale, [forged])
})

test('a mailbox is whose it was declared for, whoever sent to it first', async () => {
  const mailbox = 'mailbox:orders'
  await send(cy, { to: mailbox, body: 'first' })
  const declared = await ask(cy, 'mailbox_declare', { mailbox, owner_did: ann.did })
  assert.deepEqual(declared, { mailbox, owner_did: ann.did, delegates: [] })
  const denied = ['not the owner of the mailbox', 'policy_denied'] as const
  await refused(receive(cy, { mailbox }), ...denied)
  await refused(ask(cy, 'mailbox_declare', { mailbox }), ...denied)
  await refused(ask(cy, 'mailbox_declare', { mailbox, owner_did: ann.did, delegates: [cy.did] }), ...denied)
  assert.deepEqual(await ask(cy, 'mailbox_declare', { mailbox, owner_did: ann.did }), declared, 'said again')
  assert.deepEqual((await receive(ann, { mailbox })).messages.map(({ body }: Fields) => body), ['first']) // biome-ignore format: one thought
  // Its owner hands it on, and receives no more.
  await ask(ann, 'mailbox_declare', { mailbox, owner_did: cy.did })
  await refused(receive(ann, { mailbox }), ...denied)
  assert.equal((await receive(cy, { mailbox })).messages.length, 0)
  await refused(
    ask(ann, 'mailbox_declare', { mailbox: 'mailbox:x', owner_did: bob.did }),
    'stranger as owner',
  )
  const events = stage.records('acme').filter(({ event_type }) => event_type === 'MailboxDeclared')
  assert.deepEqual(events.at(-1)!.meta.was_owned_by, ann.did)
  const lost = { mailbox: 'mailbox:lost', owner_did: nobody.did }
  await refused(ask(ann, 'mailbox_declare', lost), 'stranger as owner')
  const own_mailbox = await ask(ann, 'mailbox_declare', { mailbox: lost.mailbox })
  assert.equal(own_mailbox.owner_did, ann.did, 'the name is not lost')
  await refused(
    ask(ann, 'topic_declare', { topic: 'topic:lost', owner_did: nobody.did }),
    'stranger as owner',
  )

  // Not declared, it is nobody's until somebody receives from it: sending gives no right to read.
  const open = 'mailbox:nobodys'
  await send(ann, { to: open, body: 1 })
  const owner = async () =>
    asOwner(stage.database.url, async (db) => (await db.query('SELECT owner_did FROM mailboxes WHERE mailbox = $1', [open])).rows[0].owner_did) // biome-ignore format: one thought
  assert.equal(await owner(), '')
  assert.equal((await receive(cy, { mailbox: open })).messages.length, 1)
  await refused(receive(ann, { mailbox: open }), ...denied)
  assert.equal(await owner(), cy.did)
})

test('a message to an identity that does not exist is refused, and none of the call is sent', async () => {
  const lost = await refused(send(ann, { to: nobody.did, body: 'lost' }), 'not_found')
  assert.match(lost.message, /^The message was not sent: \/to names no identity of your organization/)
  assert.doesNotMatch(lost.message, /[0-9a-f]{64}/)
  assert.deepEqual(lost.details.faults, [
    { pointer: '/to', message: 'names no identity of your organization' },
  ])
  const both = await refused(send(ann, { to: [dan.did, nobody.did], body: 'lost' }), 'not_found')
  assert.match(both.message, /: \/to\/1 names/)
  const messages = [dan, nobody].map(({ did: to }) => ({ to, body: 'lost' }))
  const batch = await refused(ask(ann, 'message_send_many', { messages }), 'not_found')
  assert.match(batch.message, /^Message 1 of the batch, so that none was sent: .*\/to names/)
  await send(ann, { to: dan.did, body: 'found' })
  assert.deepEqual((await receive(dan)).messages.map(({ body }: Fields) => body), ['found']) // biome-ignore format: one thought
  // Whether an identity exists is not for guests to know.
  await send(guest, { to: nobody.did, body: 'perhaps' })
})

test('a batch is sent whole and in order, or not at all with the message that could not be', async () => {
  const [one, two] = ['mailbox:batch-b', 'mailbox:batch-a']
  const messages = Array.from({ length: 100 }, (_, n) => ({ to: n % 2 ? one : two, body: n, ordering_key: 'k', qos: 2 })) // biome-ignore format: one thought
  const many = (list: Fields[], key?: string) => ask(ann, 'message_send_many', { messages: list }, key)
  await refused(many(messages), 'dedupe_id missing')
  const { deliveries } = await many(messages, 'batch-1')
  assert.deepEqual(
    deliveries.map(({ to, seq, duplicate }: Fields) => [to, seq, duplicate]),
    messages.map(({ to }, n) => [to, (n >> 1) + 1, false]),
  )
  const bad = [
    { to: one, body: 'fine' },
    { to: one, body: 1, content_type: 'text/plain' },
  ]
  const refusal = await refused(many(bad))
  assert.match(refusal.message, /^Message 1 of the batch, so that none was sent: /)
  const [fault] = refusal.details.faults!
  assert.match(fault!.pointer, /^\/messages\/1\//)
  assert.equal((await receive(ann, { mailbox: one, mode: 'peek' })).backlog.live, 50)
  const [first] = (await receive(ann, { mailbox: two })).messages
  assert.equal(first.body, 0)
})

test('the idempotency key returns the same answer and serves as dedupe id; QoS 2 requires one', async () => {
  const input = { to: 'mailbox:once', body: 'x', qos: 2 }
  await refused(ask(ann, 'message_send', input), 'dedupe_id missing')
  const first = await send(ann, input, 'key-1')
  assert.deepEqual(await send(ann, input, 'key-1'), first)
  const other = await send(ann, { ...input, dedupe_id: 'key-1' })
  assert.deepEqual([other.duplicate, other.message_id, other.seq], [true, first.message_id, 1])
  const one = await receive(ann, { mailbox: 'mailbox:once' }, 'key-2')
  assert.equal(one.messages.length, 1)
  assert.deepEqual(await receive(ann, { mailbox: 'mailbox:once' }, 'key-2'), one)
  stage.ports.clock.advance(31 * 86_400_000)
  assert.equal((await send(ann, { ...input, dedupe_id: 'key-1' })).duplicate, false)
})

test('end-to-end encrypted messages pass through unread; bytes are base64, text is text', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const protect = new CompactEncrypt(Buffer.from('for your eyes')).setProtectedHeader({
    alg: 'ECDH-ES',
    enc: 'A256GCM',
  })
  const encrypted = { recipient_key: 'cy-1', jwe: await protect.encrypt(publicKey) }
  const filter = { from: ann.did, content_type: 'text/plain', thread_id: 'enc' }
  await send(ann, { to: cy.did, encrypted, content_type: 'text/plain', thread_id: 'enc' })
  await send(ann, { to: cy.did, body: 'AAEC', content_type: 'image/png' })
  const [message] = (await receive(cy, { filter })).messages
  assert.equal(message.body, undefined)
  const opened = await compactDecrypt(message.encrypted.jwe, privateKey)
  assert.equal(Buffer.from(opened.plaintext).toString(), 'for your eyes')
  const faults: Fields[] = [
    {},
    { body: 1, encrypted },
    { encrypted: { ...encrypted, jwe: 'e30.a.b.c.d' } },
    { body: 'no base64', content_type: 'image/png' },
    { body: 1, content_type: 'text/plain' },
    { body: 1, ttl_ms: 1000, deliver_after_ms: 1000 },
  ]
  for (const fault of faults) {
    await refused(ask(ann, 'message_send', { to: cy.did, ...fault }), undefined)
  }
})

test('unreceived messages expire, and after thirty days their content is unreadable', async () => {
  const { engine } = stage.store
  const mailbox = 'mailbox:old'
  await send(ann, { to: mailbox, body: 'too late', ttl_ms: 1000 })
  const later = (days: number) => new Date(stage.ports.clock.now_ms() + days * 86_400_000)
  const row = async () =>
    asOwner(stage.database.url, async (owner) => {
      const text = 'SELECT state, sealed, wrapped_key FROM mail_messages WHERE mailbox = $1'
      return (await owner.query(text, [mailbox])).rows[0]
    })
  await settleMail(engine, later(1))
  await forgetMail(engine, later(1))
  assert.deepEqual([(await row()).state, (await row()).wrapped_key !== null], ['expired', true])
  await forgetMail(engine, later(32))
  assert.deepEqual(await row(), { state: 'expired', sealed: null, wrapped_key: null })
  assert.deepEqual((await receive(ann, { mailbox })).backlog, { live: 0, dead: 0 })
})
