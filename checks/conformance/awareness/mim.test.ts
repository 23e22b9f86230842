// MIM over HTTP: what is sent is handed over as often as its QoS says, in order, to its owner, and across borders by treaty.
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import type { RefusalCode } from '@svc/contract/refusal'
import { forgetMail, settleMail } from '@svc/protocols/awareness/mim/mail-sweep'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { heard, type MoatScene, moat, openMoatScene } from '../governance/moat-scene.ts'
import type { Party } from '../identity/made-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const sent_each = is_long ? 100 : 20
const keys = 4
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

test('consumers crash: QoS 0 at most once, QoS 1 at least once, QoS 2 exactly once, each key in order', async () => {
  for (const qos of [0, 1, 2]) {
    const mailbox = `mailbox:qos-${qos}`
    await receive(ann, { mailbox, delegates: [cy.agent_did] })
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
      // Every third consumer dies with what it was handed; those after it wait until it is visible again.
      if (round % 3 === 2 || qos === 0) scene.clock.advance(1500)
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
    // Whoever crashed between the two finishes by releasing; saying it again changes nothing.
    for (let twice = 0; twice < 2; twice++) {
      const { released, stale, backlog: left } = await receive(cy, { mailbox, release: receipts(unreleased) })
      assert.deepEqual([released.length, stale.length, left.live], [unreleased.length, 0, 0])
    }
  }
})

test('exactly 5 242 880 bytes pass over HTTP and come back whole; one more does not', async () => {
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

test('a poison message is dead after five deliveries, shown with its reason, and put back or removed', async () => {
  const mailbox = 'mailbox:poison'
  for (const body of ['poison', 'after it']) await send(ann, { to: mailbox, body, ordering_key: 'k' })
  for (let attempt = 1; attempt <= 5; attempt++) {
    const { messages } = await receive(ann, { mailbox })
    assert.deepEqual([messages.length, messages[0].body, messages[0].attempt], [1, 'poison', attempt])
    const nack = [{ receipt: messages[0].receipt, reason: `attempt ${attempt} failed`, delay_ms: 2000 }]
    assert.equal((await receive(ann, { mailbox, mode: 'peek', nack })).nacked.length, 1)
    assert.deepEqual((await receive(ann, { mailbox })).messages.length, attempt === 5 ? 1 : 0)
    scene.clock.advance(2000)
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
  scene.clock.advance(60_000)
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

test('a mailbox is its owner’s and the delegates’; others of the organization are told no, strangers nothing', async () => {
  const mailbox = 'mailbox:private'
  await send(ann, { to: mailbox, body: 'for ann' })
  refused(await ask(cy, 'message_receive', { mailbox }), 'not the owner of the mailbox', 'policy_denied')
  refused(
    await ask(cy, 'message_receive', { mailbox: ann.agent_did }),
    'not the owner of the mailbox',
    'policy_denied',
  )
  await receive(ann, { mailbox, delegates: [cy.agent_did], max: 1, mode: 'peek' })
  const { messages } = await receive(cy, { mailbox })
  assert.equal(messages[0].body, 'for ann')
  const taking_over = { mailbox, delegates: [] }
  refused(await ask(cy, 'message_receive', taking_over), 'not the owner of the mailbox', 'policy_denied')
  refused(await ask(cy, 'message_receive', { mailbox: bob.agent_did }), 'not_found')
  // Another organization has a mailbox of the same name, and nothing of this one.
  assert.deepEqual((await receive(bob, { mailbox })).messages, [])
  assert.deepEqual((await receive(bob, { mailbox, ack: receipts(messages) })).stale, receipts(messages))
  const forged = messages[0].receipt.replace(/.$/, (last: string) => (last === '0' ? '1' : '0'))
  assert.deepEqual((await receive(cy, { mailbox, ack: [forged] })).stale, [forged])
})

test('another organization is reached by treaty alone, and both books say so without a word of it', async () => {
  const letter = { to: [bob.agent_did, cy.agent_did], body: 'a secret between us', thread_id: 'hush hush' }
  refused(await ask(ann, 'message_send', letter), 'no active treaty', 'capability_denied')
  const nobody = { ...letter, to: bob.agent_did.replace('globex', 'nowhere') }
  refused(await ask(ann, 'message_send', nobody), 'no active treaty', 'capability_denied')
  const treaty_id = await scene.agree({ capability_schedule: [{ capability: 'svc.mim.message_send' }] })
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
  const told = JSON.stringify([await scene.service.records('acme'), await scene.service.records('globex')])
  assert.ok(!told.includes('secret between') && !told.includes('hush hush'))
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
  // What was handed over while it stood is theirs.
  assert.deepEqual((await receive(bob, { ack: receipts(messages) })).acked, receipts(messages))
})

test('a guest reads where it is a delegate, learns of no other mailbox, and writes elsewhere from home', async () => {
  const capability_schedule = ['send', 'receive'].map((what) => ({ capability: `svc.mim.message_${what}` }))
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

test('who waits is handed what comes meanwhile, and what it acked stood before it waited', async () => {
  const mailbox = 'mailbox:waiting'
  await send(ann, { to: mailbox, body: 1 })
  const { messages } = await receive(ann, { mailbox })
  const waiting = receive(ann, { mailbox, wait_ms: 20_000, ack: receipts(messages) })
  await heard(async () => (await receive(ann, { mailbox, mode: 'peek' })).backlog.live === 0)
  await send(ann, { to: mailbox, body: 2 })
  const { messages: more, acked } = await waiting
  assert.deepEqual([more[0].body, acked], [2, receipts(messages)])
  assert.deepEqual((await receive(ann, { mailbox, wait_ms: 1 })).messages, [])
})

test('the same key has the same answer, and stands for the dedupe id; QoS 2 has one or is refused', async () => {
  const input = { to: 'mailbox:once', body: 'x', qos: 2 }
  refused(await ask(ann, 'message_send', input), 'dedupe_id missing')
  const first = await send(ann, input, 'key-1')
  assert.deepEqual(await send(ann, input, 'key-1'), first)
  const other = await send(ann, { ...input, dedupe_id: 'key-1' })
  assert.deepEqual([other.duplicate, other.message_id, other.seq], [true, first.message_id, 1])
  const one = await receive(ann, { mailbox: 'mailbox:once' }, 'key-2')
  assert.equal(one.messages.length, 1)
  assert.deepEqual(await receive(ann, { mailbox: 'mailbox:once' }, 'key-2'), one)
  scene.clock.advance(31 * 86_400_000)
  assert.equal((await send(ann, { ...input, dedupe_id: 'key-1' })).duplicate, false)
})

test('what is encrypted for the recipient passes through unread; bytes are base64, text is text', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  const protect = new CompactEncrypt(Buffer.from('for your eyes')).setProtectedHeader({
    alg: 'ECDH-ES',
    enc: 'A256GCM',
  })
  const encrypted = { recipient_key: 'cy-1', jwe: await protect.encrypt(publicKey) }
  const filter = { from: ann.agent_did, content_type: 'text/plain', thread_id: 'enc' }
  await send(ann, { to: cy.agent_did, encrypted, content_type: 'text/plain', thread_id: 'enc' })
  await send(ann, { to: cy.agent_did, body: 'AAEC', content_type: 'image/png' })
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
    const answer = await ask(ann, 'message_send', { to: cy.agent_did, ...fault })
    assertRefusal(answer, { code: 'invalid_payload', stage: 7 })
  }
})

test('what nobody fetched expires, and after thirty days nothing of a message can be read', async () => {
  const { engine } = scene.service.service.store
  const mailbox = 'mailbox:old'
  await send(ann, { to: mailbox, body: 'too late', ttl_ms: 1000 })
  const later = (days: number) => new Date(scene.clock.now_ms() + days * 86_400_000)
  const row = async () =>
    asOwner(scene.service.db_url, async (owner) => {
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
