import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { sql } from '@svc/database/sql'
import { openTestStore, type TestStore } from '../../checks/rehearsal/test-store.ts'
import { ensureTenant } from '../access/tenants.ts'
import { vaults } from '../custody/vault.ts'
import { giveUpOldMail, queueMailWith } from './mail-queue.ts'

const hour_ms = 3_600_000
const queued_at = new Date('2026-11-15T10:00:00.000Z')
const mail = { to: 'ann@acme.example', subject: 'Refusals', text: 'Too many.' }
let opened: TestStore

before(async () => {
  opened = await openTestStore()
  await ensureTenant(opened.store.engine, 'acme', 'Acme', 'sandbox')
})
after(() => opened.close())

const queue = (has_server: boolean) =>
  opened.as('acme', (db) =>
    queueMailWith(vaults(testRootKeys(randomBytes(32))), has_server)(
      db,
      'acme',
      { ...mail, mail_id: randomUUID() },
      queued_at,
    ),
  )
const waiting = async () => {
  const { rows } = await sql<{ body: string }>`
    SELECT body FROM outgoing_mail WHERE next_at IS NOT NULL`.execute(opened.store.engine)
  return rows.map(({ body }) => body)
}

test('without a mail server nothing is queued, and whoever queues hears why', async () => {
  assert.match((await queue(false))!, /has no mail server/)
  assert.deepEqual(await waiting(), [])
})

test('files of views leave room for alerts', async () => {
  const vault = vaults(testRootKeys(randomBytes(32)))
  await ensureTenant(opened.store.engine, 'busy', 'Busy', 'sandbox')
  const reasons = await opened.as('busy', async (db) => {
    const send = (attachment?: { name: string; content: string }) => {
      const one = { ...mail, mail_id: randomUUID(), ...(attachment && { attachment }) }
      return queueMailWith(vault, true)(db, 'busy', one, queued_at)
    }
    await sql`
      INSERT INTO outgoing_mail (tenant_id, mail_id, login, subject, body, queued_at)
      SELECT 'busy', gen_random_uuid(), 'ann@acme.example', '', '', ${queued_at} FROM generate_series(1, 400)`.execute(
      db,
    )
    return [await send({ name: 'calls.csv', content: 'a' }), await send()]
  })
  assert.match(reasons[0]!, /used up/)
  assert.equal(reasons[1], undefined)
  await sql`DELETE FROM outgoing_mail WHERE tenant_id = 'busy'`.execute(opened.store.engine)
})

test('mail that waited for a day is given up once, with a record', async () => {
  const giveUp = (after_ms: number) =>
    giveUpOldMail(opened.store.engine, 'did:oas:operator:service:x', {
      now: new Date(queued_at.getTime() + after_ms),
      newId: randomUUID,
    })
  assert.equal(await queue(true), undefined)
  await giveUp(23 * hour_ms)
  assert.deepEqual(await waiting(), ['Too many.'])
  await giveUp(25 * hour_ms)
  await giveUp(26 * hour_ms)
  assert.deepEqual(await waiting(), [])
  const { rows } = await sql<{ entry: string }>`SELECT entry FROM audit_outbox`.execute(opened.store.engine)
  assert.deepEqual(
    rows
      .map(({ entry }) => JSON.parse(entry))
      .map(({ event_type, meta }) => [event_type, meta.to, meta.reason]),
    [['MailFailed', 'ann@acme.example', 'It could not be sent within a day.']],
  )
})
