import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { sql } from '@svc/database/sql'
import { testTick } from '../../../checks/rehearsal/test-context.ts'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { deviceAlarms } from './device-alarms.ts'

const now = new Date('2026-11-18T10:00:00Z')
const later = new Date(now.getTime() + 600_000)
const sender = `did:oas:acme:service:${'a'.repeat(64)}`
let database: TestDatabase
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  await store.close()
  await database.close()
})

test('a reason is recorded once in ten minutes, and no device floods the audit log with invented reasons', async () => {
  const alarms = deviceAlarms('operator')
  const raise = (reason: string, at = now) =>
    alarms.raise(store.engine, { tenant_id: 'acme', sender, reason }, testTick(at))
  assert.deepEqual([await raise('report malformed'), await raise('report malformed')], [true, false])
  let recorded = 0
  for (let made = 0; made < 100; made++) recorded += Number(await raise(`part${made} measures nothing`))
  assert.equal(recorded, 31)
  assert.equal(await raise('report malformed', later), true)
})

test('invented topic names raise at most a hundred alarms, and do not affect known senders', async () => {
  const alarms = deviceAlarms('operator')
  let recorded = 0
  for (let made = 0; made < 300; made++) {
    const alarm = { tenant_id: undefined, sender: `svc/acme/x/telemetry/X${made}`, reason: 'topic of nobody' }
    recorded += Number(await alarms.raise(store.engine, alarm, testTick(now)))
  }
  assert.equal(recorded, 100)
  const entries = await sql<{
    entry: string
  }>`SELECT entry FROM audit_outbox WHERE tenant_id = 'operator'`.execute(store.engine)
  for (const { entry } of entries.rows) {
    const { caller_did, meta } = JSON.parse(entry)
    assert.deepEqual([caller_did, Object.keys(meta)], ['unauthenticated', ['reason', 'supplied']])
  }
  assert.equal(entries.rows.length, recorded)
  assert.equal(
    await alarms.raise(
      store.engine,
      { tenant_id: 'acme', sender, reason: 'report malformed' },
      testTick(now),
    ),
    true,
  )
})

test('an alarm that could not be recorded is raised again', async () => {
  const alarms = deviceAlarms('operator')
  const alarm = { tenant_id: 'acme', sender, reason: 'report malformed' }
  await assert.rejects(alarms.raise(undefined as never, alarm, testTick(now)))
  assert.equal(await alarms.raise(store.engine, alarm, testTick(now)), true)
})
