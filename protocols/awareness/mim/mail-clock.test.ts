// Calls finish out of order, engines hold stale treaties, and others send arbitrary input.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { Refusal } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { type MailScene, mail_start_ms, mailDid, openMailScene } from '../../../checks/scenes/mail-scene.ts'
import { settleMail } from './mail-sweep.ts'

let scene: MailScene
before(async () => {
  scene = await openMailScene()
})
after(() => scene.test_store.close())

const who = mailDid('a')
const rows = (text: string) => asOwner(scene.test_store.database.url, (owner) => owner.query(text))
const isRefused = (code: string, reason: string) => (thrown: unknown) =>
  thrown instanceof Refusal && thrown.code === code && thrown.details.reason === reason

test('an ack that began before a send and finished after it leaves no inconsistency', async () => {
  for (const later_ms of [1, 3_600_000]) {
    const to = `mailbox:late-${later_ms}`
    const letter = { to, ordering_key: 'k' }
    await scene.send(who, { ...letter, body: 1 })
    const [first] = (await scene.receive(who, { mailbox: to })).messages
    // The receiving engine's clock is this far ahead.
    await scene.send(who, { ...letter, body: 2 }, mail_start_ms + later_ms)
    await scene.send(who, { ...letter, body: 3, deliver_after_ms: 5_000 })
    const ack = { mailbox: to, mode: 'peek' as const, ack: [first!.receipt!] }
    assert.equal((await scene.receive(who, ack)).acked.length, 1)
    const [second] = (await scene.receive(who, { mailbox: to })).messages
    assert.equal(second?.body, 2)
    // A delayed message is not visible yet.
    const none = await scene.receive(who, { mailbox: to, ack: [second!.receipt!] }, mail_start_ms + 4_999)
    assert.deepEqual(none.messages, [])
    const [third] = (await scene.receive(who, { mailbox: to }, mail_start_ms + 5_000)).messages
    // A message delayed beyond its expiry is not delivered either.
    const nack = [{ receipt: third!.receipt!, delay_ms: 12 * 3_600_000 }]
    await rows(
      `UPDATE mail_messages SET expires_at = expires_at - interval '6.8 days' WHERE mailbox = '${to}'`,
    )
    const left = await scene.receive(who, { mailbox: to, nack }, mail_start_ms + 5_000)
    assert.deepEqual([third!.body, left.nacked.length, left.messages], [3, 1, []])
  }
})

test('a message put back from the dead letters gets its full lifetime each time', async () => {
  const mailbox = 'mailbox:revived'
  await scene.send(who, { to: mailbox, body: 1, ttl_ms: 20_000 })
  for (let now_ms = mail_start_ms; now_ms < mail_start_ms + 40_000; now_ms += 10_000) {
    const [message] = (await scene.receive(who, { mailbox }, now_ms)).messages
    assert.equal(Date.parse(message!.expires_at) - now_ms, 20_000)
    const receipt = message!.receipt!
    const kill = { mailbox, mode: 'peek' as const, nack: [{ receipt, dead: true }] }
    assert.equal((await scene.receive(who, kill, now_ms)).backlog.dead, 1)
    const back = { mailbox, mode: 'peek' as const, nack: [{ receipt }] }
    assert.equal((await scene.receive(who, back, now_ms + 10_000)).backlog.live, 1)
  }
})

test('acked but unreleased messages are listed without content', async () => {
  const mailbox = 'mailbox:held'
  await scene.send(who, { to: mailbox, body: 'x'.repeat(100_000), qos: 2, dedupe_id: '1' })
  const [message] = (await scene.receive(who, { mailbox })).messages
  await scene.receive(who, { mailbox, mode: 'peek', ack: [message!.receipt!] })
  const bytes = await scene.test_store.as('acme', async (db) => {
    const fragment = sql<{ bytes: number; kind: string }>`SELECT r.kind, pg_column_size(r.message) AS bytes
      FROM svc_mail_receive(${mailbox}, ${who}, ${who}, NULL, NULL, 'live', 10, 1000000, 0, NULL, NULL, NULL,
        ${new Date(mail_start_ms)}, ${new Date(mail_start_ms)}) r`
    return (await fragment.all(db)).find(({ kind }) => kind === 'unreleased')!.bytes
  })
  assert.ok(bytes < 1_000, `${bytes} bytes`)
  const { unreleased } = await scene.receive(who, { mailbox })
  assert.deepEqual(unreleased, [{ message_id: message!.message_id, receipt: message!.receipt }])
})

test('an engine that does not know yet that a treaty ended reports that there is none', async () => {
  scene.partners.add('globex')
  const letter = { to: [mailDid('b'), mailDid('c', 'globex')], body: 1 }
  await assert.rejects(scene.send(who, letter), isRefused('capability_denied', 'no active treaty'))
  assert.deepEqual((await scene.receive(mailDid('b'), {})).backlog, { live: 0, dead: 0 })
})

test('a partner that invents identities uses up neither names nor mailboxes', async () => {
  scene.partners.add('initech')
  const fill = (from: number, to: number) =>
    rows(`INSERT INTO mailboxes (tenant_id, mailbox, owner_did, opened_at)
      SELECT 'initech', 'did:' || n, 'x', now() FROM generate_series(${from}, ${to}) n`)
  await rows(`CREATE OR REPLACE FUNCTION svc_are_partners(reader text, owner text) RETURNS boolean
    LANGUAGE sql STABLE AS $$ SELECT owner = 'initech' $$`)
  const [peter, bill, milton] = ['d', 'e', 'f'].map((letter) => mailDid(letter, 'initech'))
  await fill(1, 9_999)
  await scene.send(who, { to: peter!, body: 'the last one' })
  const full = isRefused('policy_denied', 'too many mailboxes')
  await assert.rejects(scene.send(who, { to: bill!, body: 'one more' }), full)
  await scene.send(who, { to: peter!, body: 'which is there' })
  await scene.send(bill!, { to: 'mailbox:reports', body: 'our own' })
  await fill(10_001, 20_000)
  await assert.rejects(scene.send(bill!, { to: milton!, body: 'made up?' }), full)
  await assert.rejects(scene.receive(bill!, { mailbox: 'mailbox:other' }), full)
  // A known caller that asks for its own mail can be reached from then on.
  assert.deepEqual((await scene.receive(milton!, {})).messages, [])
  await scene.send(who, { to: milton!, body: 'hello' })
  assert.equal((await scene.receive(milton!, {})).messages.length, 1)
})

test('all due messages are settled, even if they exceed one step', async () => {
  const [mailbox, copies] = ['mailbox:overdue', 2_500]
  await scene.send(who, { to: mailbox, body: 1, ttl_ms: 1_000 })
  await rows(`INSERT INTO mail_messages SELECT (m).* FROM (
    SELECT jsonb_populate_record(x, jsonb_build_object('message_id', gen_random_uuid(), 'place', n, 'seq', n)) AS m
    FROM mail_messages x, generate_series(2, ${copies}) n WHERE x.mailbox = '${mailbox}') copied`)
  await rows(`UPDATE mailboxes SET live = ${copies}, bytes = ${copies} WHERE mailbox = '${mailbox}'`)
  await settleMail(scene.test_store.store.engine, new Date(mail_start_ms + 1_000))
  const { rows: left } = await rows(`SELECT live, bytes FROM mailboxes WHERE mailbox = '${mailbox}'`)
  assert.deepEqual(left, [{ live: 0, bytes: '0' }])
})
