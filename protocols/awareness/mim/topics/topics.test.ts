// The rules of topics: each subscription gets every message, one consumer of a group each, and nothing stays behind.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { sql } from '@svc/database/sql'
import { assertRefused as refused } from '../../../../checks/rehearsal/assert-refused.ts'
import {
  ann,
  bob,
  cy,
  dan,
  type Fields,
  guest,
  type MailStage,
  type Party,
  rehearseMail,
} from '../../../../checks/scenes/mail-parties.ts'
import { settleMail } from '../mail-sweep.ts'
import { agents_max } from './limits.ts'
import { forgetTopicMail } from './store.ts'

let stage: MailStage

before(async () => {
  stage = await rehearseMail()
})
after(() => stage.close())

const ask: MailStage['ask'] = (...call) => stage.ask(...call)
const declare = (who: Party, topic: string, input: Fields = {}) =>
  ask(who, 'topic_declare', { topic, ...input })
const subscribe = (who: Party, subscription: string, input: Fields = {}) =>
  ask(who, 'topic_subscribe', { subscription, ...input })
const publish = (to: string, body: unknown, input: Fields = {}, who = ann) =>
  ask(who, 'message_send', { to, body, ...input })
const receive = (who: Party, mailbox: string, input: Fields = {}, key?: string) =>
  ask(who, 'message_receive', { mailbox, ...input }, key)
const bodies = ({ messages }: Fields): unknown[] => messages.map(({ body }: Fields) => body)
const receipts = ({ messages }: Fields): string[] => messages.map(({ receipt }: Fields) => receipt)
const rows = (text: string): Promise<Fields[]> =>
  asOwner(stage.database.url, async (owner) => (await owner.query(text)).rows)

test('every subscription gets each message once, from now or from the earliest that is stored', async () => {
  const topic = 'topic:fan-out'
  await declare(ann, topic)
  await subscribe(cy, `${topic}/first`)
  const sent = await publish(topic, 1, { thread_id: 't', content_type: 'application/json' })
  const now = await subscribe(dan, `${topic}/now`)
  const earliest = await subscribe(dan, `${topic}/earliest`, { from: 'earliest' })
  assert.deepEqual([now.unread, earliest.unread, now.created], [0, 1, true])
  await publish(topic, 2)
  const first = await receive(cy, `${topic}/first`)
  assert.deepEqual(bodies(first), [1, 2])
  const { published_id, from, seq, thread_id } = first.messages[0]
  assert.deepEqual([published_id, from, seq, thread_id], [sent.message_id, ann.did, 1, 't'])
  assert.notEqual(first.messages[0].message_id, sent.message_id)
  assert.deepEqual(bodies(await receive(dan, `${topic}/now`)), [2])
  assert.deepEqual(bodies(await receive(dan, `${topic}/earliest`, { filter: { thread_id: 't' } })), [1])
  assert.deepEqual(bodies(await receive(dan, `${topic}/earliest`)), [2])
  const done = await receive(cy, `${topic}/first`, { ack: receipts(first) })
  assert.deepEqual(
    [done.acked.length, done.messages, done.backlog],
    [2, [], { live: 0, dead: 0, unread: 0, missed: 0 }],
  )
  const again = await subscribe(cy, `${topic}/first`, { from: 'earliest' })
  assert.deepEqual([again.created, again.unread], [false, 0])
})

test('one of a group gets each message, each key in order; what a dead consumer held goes to another', async () => {
  const [topic, group] = ['topic:group', 'topic:group/workers']
  await declare(ann, topic)
  await subscribe(ann, group, { consumers: [cy.did] })
  const count = 24
  const messages = Array.from({ length: count }, (_, n) => ({
    to: topic,
    body: n,
    ordering_key: `k${n % 3}`,
  }))
  await ask(ann, 'message_send_many', { messages })
  const taken: number[] = []
  for (let round = 0; taken.length < count; round++) {
    assert.ok(round < 10 * count, 'everything is handed out in the end')
    const both = await Promise.all(
      [ann, cy].map((who) => receive(who, group, { max: 2, visibility_timeout_ms: 1000 })),
    )
    const handed = both.flatMap(({ messages }) => messages.map(({ ordering_key }: Fields) => ordering_key))
    assert.equal(new Set(handed).size, handed.length, 'two of one order are in hand at once')
    // Every second time cy dies with its messages.
    const [alive, dying] = round % 2 ? [both, []] : [[both[0]!], [both[1]!]]
    for (const one of alive) {
      const { acked, stale } = await receive(ann, group, { mode: 'peek', ack: receipts(one) })
      assert.deepEqual([acked.length, stale], [one.messages.length, []])
      taken.push(...(bodies(one) as number[]))
    }
    stage.ports.clock.advance(1500)
    for (const lost of dying)
      assert.deepEqual((await receive(cy, group, { mode: 'peek', ack: receipts(lost) })).stale, [])
    for (const lost of dying) taken.push(...(bodies(lost) as number[]))
  }
  assert.deepEqual(
    taken.toSorted((a, b) => a - b),
    messages.map(({ body }) => body),
  )
  for (const key of [0, 1, 2]) {
    const own = taken.filter((n) => n % 3 === key)
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    )
  }
})

test('an unanswered delivery comes again to the others of the group, and its receipt is stale', async () => {
  const [topic, group] = ['topic:crash', 'topic:crash/workers']
  await declare(ann, topic)
  await subscribe(ann, group, { consumers: [cy.did] })
  await publish(topic, 'work')
  const lost = await receive(cy, group, { visibility_timeout_ms: 1000 })
  assert.deepEqual(bodies(await receive(ann, group)), [])
  stage.ports.clock.advance(1001)
  const again = await receive(ann, group)
  assert.deepEqual([bodies(again), again.messages[0].attempt], [['work'], 2])
  assert.deepEqual((await receive(cy, group, { mode: 'peek', ack: receipts(lost) })).stale, receipts(lost))
  // The same answer to the same key, and no second message.
  await publish(topic, 'once')
  const once = await receive(cy, group, {}, 'key-1')
  assert.deepEqual(await receive(cy, group, {}, 'key-1'), once)
  assert.deepEqual(bodies(once), ['once'])
})

test('one order that waits does not hold up the others behind it', async () => {
  const [topic, mine] = ['topic:long', 'topic:long/mine']
  await declare(ann, topic)
  await subscribe(ann, mine)
  const long = Array.from({ length: 30 }, (_, n) => ({ to: topic, body: n, ordering_key: 'slow' }))
  await ask(ann, 'message_send_many', { messages: [...long, { to: topic, body: 'other' }] })
  assert.deepEqual(bodies(await receive(ann, mine, { max: 1 })), [0])
  assert.deepEqual(bodies(await receive(ann, mine, { max: 1 })), ['other'])
})

test('the owner says who publishes and who receives, also of those who have subscribed before', async () => {
  const [topic, mine] = ['topic:rules', 'topic:rules/mine']
  await refused(publish(topic, 1), 'invalid_payload', 'not_found')
  await refused(subscribe(cy, mine), 'invalid_payload', 'not_found')
  await declare(ann, topic, { publishers: [cy.did], subscribers: [cy.did, bob.did] })
  await refused(declare(cy, topic), 'policy_denied', 'not the owner of the topic')
  await refused(declare(ann, topic, { owner_did: bob.did }), 'invalid_payload', 'stranger as owner')
  await publish(topic, 'of cy', {}, cy)
  await publish(topic, 'of the owner')
  await refused(publish(topic, 1, {}, dan), 'policy_denied', 'may not publish to the topic')
  await refused(subscribe(dan, mine), 'policy_denied', 'may not receive from the topic')
  await refused(receive(cy, topic), 'invalid_payload', 'schema')
  await subscribe(cy, mine, { from: 'earliest', consumers: [dan.did] })
  await refused(subscribe(ann, mine), 'policy_denied', 'not the owner of the subscription')
  await refused(receive(ann, mine), 'policy_denied', 'not the owner of the mailbox')
  // Named by cy, but not by the owner of the topic.
  await refused(receive(dan, mine), 'policy_denied', 'may not receive from the topic')
  assert.deepEqual(bodies(await receive(cy, mine)), ['of cy', 'of the owner'])
  await declare(ann, topic, { subscribers: [] })
  for (const mode of ['live', 'peek', 'dead'])
    await refused(receive(cy, mine, { mode }), 'policy_denied', 'may not receive from the topic')
  const shown = await ask(cy, 'list', { mailbox: topic })
  assert.deepEqual(shown.items, [])
})

test('who is no consumer of a subscription is refused before anything of the topic is read', async () => {
  const [topic, group] = ['topic:unread', 'topic:unread/workers']
  await declare(ann, topic)
  await subscribe(ann, group, { consumers: [cy.did] })
  await publish(topic, 'work')
  const spoil = (bytes: string) =>
    rows(`UPDATE mail_messages SET sealed = ${bytes} WHERE mailbox = '${topic}'`)
  // Whoever reads it now fails.
  await spoil("'\\x00' || sealed")
  await assert.rejects(receive(cy, group))
  await refused(receive(dan, group), 'policy_denied', 'not the owner of the mailbox')
  await refused(receive(cy, group, { delegates: [] }), 'policy_denied', 'not the owner of the mailbox')
  await refused(receive(guest, group), 'invalid_payload', 'not_found')
  await spoil('substr(sealed, 2)')
  assert.deepEqual(bodies(await receive(cy, group)), ['work'])
})

test('the record of a topic has room for all whom its owner names', async () => {
  const [name, kind] = ['n'.repeat(63), 'k'.repeat(63)]
  const longest = Array.from(
    { length: agents_max },
    (_, n) => `did:oas:${name}:${kind}:${n.toString(16).padStart(64, '0')}`,
  )
  await declare(ann, 'topic:named', { publishers: longest, subscribers: longest })
  const [shown] = (await ask(ann, 'list', { mailbox: 'topic:named' })).items
  assert.deepEqual(shown.topic.publishers, longest)
})

test('another organization sees no topic; a guest one that names it, and learns of no other', async () => {
  const [topic, theirs] = ['topic:abroad', 'topic:abroad/globex']
  await declare(ann, topic, { subscribers: [bob.did] })
  await publish(topic, 'for both')
  await refused(subscribe(bob, theirs), 'invalid_payload', 'not_found')
  await refused(publish(topic, 1, {}, bob), 'invalid_payload', 'not_found')
  await refused(publish(topic, 1, {}, guest), 'invalid_payload', 'not_found')
  await declare(bob, topic)
  await subscribe(bob, theirs, { from: 'earliest' })
  assert.deepEqual(bodies(await receive(bob, theirs)), [])
  await subscribe(guest, theirs, { from: 'earliest' })
  assert.deepEqual(bodies(await receive(guest, theirs)), ['for both'])
  await declare(ann, 'topic:closed', { subscribers: [] })
  await subscribe(ann, 'topic:closed/own')
  for (const other of ['topic:closed/own', 'topic:none/own'])
    for (const operation of ['topic_subscribe', 'topic_unsubscribe'])
      await refused(ask(guest, operation, { subscription: other }), 'invalid_payload', 'not_found')
  await refused(receive(guest, 'topic:closed/own'), 'invalid_payload', 'not_found')
  await refused(declare(guest, 'topic:mine'), 'policy_denied', 'not your organization')
})

test('a message stays as long as the topic says; what was not read in time is counted', async () => {
  const [topic, slow] = ['topic:short', 'topic:short/slow']
  await declare(ann, topic, { retention_ms: 60_000 })
  await subscribe(cy, slow)
  await publish(topic, 'gone', { ttl_ms: 3_600_000 })
  await refused(publish(topic, 1, { deliver_after_ms: 60_000 }), 'invalid_payload', 'never delivered')
  stage.ports.clock.advance(60_001)
  await publish(topic, 'there')
  assert.deepEqual((await subscribe(dan, 'topic:short/late', { from: 'earliest' })).unread, 1)
  const late = await receive(cy, slow)
  assert.deepEqual([bodies(late), late.backlog.missed], [['there'], 1])
  await receive(cy, slow, { ack: receipts(late) })
  const later = new Date(stage.ports.clock.now_ms() + 3_600_000)
  await settleMail(stage.store.engine, later)
  await forgetTopicMail(stage.store.engine, new Date(later.getTime() + 601_000))
  const left = await rows(`SELECT 1 FROM mail_messages WHERE mailbox LIKE 'topic:short%'`)
  assert.deepEqual(left, [])
})

test('a full topic drops its oldest messages, and subscriptions say how many they missed', async () => {
  const [topic, mine] = ['topic:full', 'topic:full/mine']
  await declare(ann, topic)
  await subscribe(ann, mine)
  for (const body of [1, 2]) await publish(topic, body)
  await rows(`UPDATE mailboxes SET live = 100000 WHERE mailbox = '${topic}'`)
  await publish(topic, 3)
  const { messages, backlog } = await receive(ann, mine)
  assert.deepEqual([bodies({ messages }), backlog.missed], [[3], 2])
  await rows(`UPDATE mailboxes SET bytes = 1024 * 1024 * 1024 WHERE mailbox = '${topic}'`)
  await publish(topic, 4)
  assert.deepEqual(bodies(await receive(ann, mine)), [4])
})

test('a subscription that ended, and a closed topic, leave nothing behind', async () => {
  const [topic, mine] = ['topic:over', 'topic:over/mine']
  const count = async (like: string) => {
    const tables = ['mailboxes', 'mail_messages', 'mail_streams', 'mail_subscriptions']
    const counts = tables.map((table) => `(SELECT count(*) FROM ${table} WHERE mailbox LIKE '${like}')::int`)
    return Object.values((await rows(`SELECT ${counts.map((one, n) => `${one} AS n${n}`).join(', ')}`))[0]!)
  }
  await declare(ann, topic)
  await subscribe(cy, mine)
  await publish(topic, 1, { ordering_key: 'k' })
  await publish(topic, 2)
  const unfinished = await receive(cy, mine, { max: 1 })
  await refused(
    ask(dan, 'topic_unsubscribe', { subscription: mine }),
    'policy_denied',
    'not the owner of the subscription',
  )
  assert.deepEqual(await ask(cy, 'topic_unsubscribe', { subscription: mine }), {
    subscription: mine,
    unread: 1,
  })
  assert.deepEqual(await count(mine), [0, 0, 0, 0])
  await refused(receive(cy, mine), 'invalid_payload', 'not_found')
  await subscribe(cy, mine, { from: 'earliest' })
  assert.deepEqual(
    (await receive(cy, mine, { mode: 'peek', ack: receipts(unfinished) })).stale,
    receipts(unfinished),
  )
  assert.equal((await receive(cy, mine)).messages.length, 2)
  await refused(declare(cy, topic, { closed: true }), 'policy_denied', 'not the owner of the topic')
  assert.equal((await declare(ann, topic, { closed: true })).closed, true)
  assert.deepEqual(await count(`${topic}%`), [0, 0, 0, 0])
  await refused(declare(ann, topic, { closed: true }), 'invalid_payload', 'not_found')
  assert.equal((await declare(cy, topic)).owner_did, cy.did)
})

test('rows of mailboxes cannot be deleted by an organization; content of topics is sealed and not in records', async () => {
  await publish('mailbox:stays', 'secret words')
  await declare(ann, 'topic:sealed')
  await subscribe(ann, 'topic:sealed/mine')
  await publish('topic:sealed', 'secret words', { ordering_key: 'secret words' })
  assert.deepEqual(bodies(await receive(ann, 'topic:sealed/mine')), ['secret words'])
  const transaction = stage.store.transaction('acme')
  for (const table of ['mail_messages', 'mail_streams', 'mailboxes'])
    await sql`DELETE FROM ${sql.raw(table)} WHERE mailbox = 'mailbox:stays'`.execute(transaction.db)
  await transaction.commit([])
  const stored = await rows(
    `SELECT *, encode(sealed, 'escape') AS text FROM mail_messages WHERE mailbox ~ 'sealed|stays'`,
  )
  assert.equal(stored.filter(({ mailbox }) => mailbox === 'mailbox:stays').length, 1)
  assert.ok(!JSON.stringify([stored, stage.records('acme')]).includes('secret words'))
  const kinds = stage.records('acme').map(({ event_type }) => event_type)
  assert.ok(['TopicDeclared', 'TopicSubscribed'].every((kind) => kinds.includes(kind)))
})

test('a topic has a bounded number of subscriptions, and lists show what is behind', async () => {
  const topic = 'topic:many'
  await declare(ann, topic, { subscribers: [cy.did] })
  for (let n = 0; n < 100; n++) await subscribe(ann, `${topic}/s${n}`)
  await refused(subscribe(cy, `${topic}/one-more`), 'policy_denied', 'too many subscriptions')
  await ask(ann, 'topic_unsubscribe', { subscription: `${topic}/s0` })
  await subscribe(cy, `${topic}/one-more`)
  await publish(topic, 1)
  const [shown] = (await ask(cy, 'list', { mailbox: topic })).items
  assert.deepEqual(shown.topic, {
    publishers: 'organization',
    subscribers: [cy.did],
    retention_ms: 7 * 86_400_000,
    subscriptions: 100,
  })
  const [own] = (await ask(cy, 'list', { mailbox: `${topic}/one-more` })).items
  assert.deepEqual([own.unread, own.missed, own.waiting], [1, 0, 0])
})
