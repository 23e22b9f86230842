import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database, Statement } from '@svc/contract/database'
import { parseApiKey } from '@svc/contract/identity/api-key'
import { keyMatchesDid, parseDid } from '@svc/contract/identity/did'
import { sql } from '@svc/database/sql'
import type { Log } from '@svc/engine/ports'
import { Client } from 'pg'
import { startFaultProxy } from '../../checks/neighbours/fault-proxy.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { eventually, until } from '../../checks/suite/eventually.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { findKey, issueKey, listKeys, noteKeysUsed, revokeKey } from './api-keys.ts'
import { listenForChanges } from './changes.ts'
import { keyRing } from './key-ring.ts'
import { ensureTenant, newIdentity } from './tenants.ts'

const warned: string[] = []
const log: Log = { debug() {}, info() {}, warn: (_fields, message) => void warned.push(message), error() {} }
let database: TestDatabase
let store: PostgresStore
let db: Database
const did = newIdentity('acme', 'agent').did

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  db = store.engine
  await ensureTenant(db, 'acme', 'Acme', 'charter')
  await ensureTenant(db, 'globex', 'Globex', 'sandbox')
})
after(async () => {
  await store?.close()
  await database?.close()
})

const issue = (more = {}) => issueKey(db, { tenant_id: 'acme', did, mode: 'test', ...more })

test('an issued key is found by its id, bound to its DID, tenant and tier, and only its hash is stored', async () => {
  const { key_id, api_key } = await issue({ capabilities: [{ name: 'svc.max.*', caveats: ['time:09-17'] }] })
  const presented = parseApiKey(api_key)
  assert.equal(presented?.key_id, key_id)
  const key = await findKey(db, key_id)
  assert.deepEqual(Buffer.from(key!.secret_hash), presented?.secret_hash)
  assert.deepEqual(
    [key!.did, key!.tenant_id, key!.tier, key!.expires_at_ms, key!.revoked],
    [did, 'acme', 'charter', null, false],
  )
  assert.deepEqual(key!.capabilities, [{ name: 'svc.max.*', caveats: ['time:09-17'] }])
  assert.deepEqual((await findKey(db, (await issue()).key_id))!.capabilities, [], 'what was granted, no more')
  const rows = await sql<{ row: string }>`
    SELECT row_to_json(k)::text AS row FROM api_keys k WHERE key_id = ${key_id}`.all(db)
  assert.ok(!rows[0]!.row.includes(api_key.slice(-43)), 'the secret is in the table')
  assert.equal(await findKey(db, 'nosuchid'), undefined)
})

test('keys and secrets are random each time', async () => {
  const keys = await Promise.all(Array.from({ length: 20 }, () => issue()))
  assert.equal(new Set(keys.map(({ key_id }) => key_id)).size, 20)
  assert.equal(new Set(keys.map(({ api_key }) => api_key.slice(-43))).size, 20)
})

test('a key is revoked once, and only by its own tenant', async () => {
  const { key_id } = await issue()
  assert.equal(await revokeKey(db, 'globex', key_id), false)
  assert.equal((await findKey(db, key_id))?.revoked, false)
  assert.equal(await revokeKey(db, 'acme', key_id), true)
  assert.equal((await findKey(db, key_id))?.revoked, true)
  assert.equal(await revokeKey(db, 'acme', key_id), false)
  assert.equal(await revokeKey(db, 'acme', 'nosuchid'), false)
})

test('an expiry is exact to the millisecond', async () => {
  const { key_id } = await issue({ expires_at: '2027-01-02T03:04:05.678Z' })
  assert.equal((await findKey(db, key_id))?.expires_at_ms, Date.parse('2027-01-02T03:04:05.678Z'))
})

test("a tenant's keys are listed newest first, without secrets and without other tenants'", async () => {
  const mine = await issueKey(db, { tenant_id: 'globex', did, mode: 'live', label: 'first' })
  const newer = await issueKey(db, { tenant_id: 'globex', did, mode: 'live', label: 'second' })
  await revokeKey(db, 'globex', mine.key_id)
  await noteKeysUsed(db, new Map([[newer.key_id, Date.parse('2026-11-15T10:00:00.000Z')]]))
  const listed = await listKeys(db, 'globex')
  assert.deepEqual(
    listed.map(({ key_id, label }) => [key_id, label]),
    [
      [newer.key_id, 'second'],
      [mine.key_id, 'first'],
    ],
  )
  assert.ok(listed[1]!.revoked_at)
  assert.equal(listed[0]!.last_used_at?.toISOString(), '2026-11-15T10:00:00.000Z')
  assert.ok(!('secret_hash' in listed[0]!))
  const after = async (key_id: string) => (await listKeys(db, 'globex', key_id)).map((key) => key.key_id)
  assert.deepEqual(await after(newer.key_id), [mine.key_id])
  assert.deepEqual([await after(mine.key_id), await after('nosuchid')], [[], []])
})

test('a handler sees the keys of its own tenant, adds only bounded ones, and revives none', async () => {
  const { key_id } = await issue()
  const foreign = store.transaction('globex')
  const visible = await sql`SELECT 1 FROM api_keys WHERE key_id = ${key_id}`.execute(foreign.db)
  assert.equal(visible.rows.length, 0)
  await foreign.rollback()
  const insert = (tenant_id: string, capabilities: string, only: string[] | null) => sql`
    INSERT INTO api_keys (key_id, tenant_id, did, mode, secret_hash, capabilities, usable_for, made_by)
    VALUES ('handmade', ${tenant_id}, 'did', 'live', sha256(''), ${capabilities}, ${only}, 'did')`
  const attempts: [RegExp, (handler: Database) => Promise<unknown>][] = [
    [/permission denied/, (handler) => sql`UPDATE api_keys SET capabilities = '[{}]'`.execute(handler)],
    [/permission denied/, (handler) => sql`DELETE FROM api_keys WHERE key_id = ${key_id}`.execute(handler)],
    [
      /row-level security/,
      (handler) => insert('acme', '[{"name":"svc.*.*","caveats":[]}]', ['svc.*.*']).execute(handler),
    ],
    [/row-level security/, (handler) => insert('acme', '[]', null).execute(handler)],
    [/row-level security/, (handler) => insert('globex', '[]', ['svc.*.*']).execute(handler)],
    [
      /stays revoked/,
      async (handler) => {
        await sql`UPDATE api_keys SET revoked_at = now() WHERE key_id = ${key_id}`.execute(handler)
        await sql`UPDATE api_keys SET revoked_at = NULL WHERE key_id = ${key_id}`.execute(handler)
      },
    ],
  ]
  for (const [expected, attempt] of attempts) {
    const own = store.transaction('acme')
    await assert.rejects(attempt(own.db), expected)
    await own.rollback()
  }
})

test('a fresh identity certifies itself', () => {
  const identity = newIdentity('acme', 'agent')
  assert.equal(parseDid(identity.did)?.namespace, 'acme')
  assert.equal(keyMatchesDid(identity.did, Buffer.from(identity.public_key, 'base64url')), true)
  assert.equal(Buffer.from(identity.private_key, 'base64url').length, 32)
})

test('ensuring an existing tenant keeps its name and tier', async () => {
  await ensureTenant(db, 'acme', 'Other', 'sovereign')
  const rows = await sql`SELECT name, tier FROM tenants WHERE tenant_id = 'acme'`.all(db)
  assert.deepEqual(rows, [{ name: 'Acme', tier: 'charter' }])
})

function openRing(through: Database = db) {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  return { clock, ring: keyRing(through, clock, log) }
}

test('a key is answered from memory for a minute, without waiting', async () => {
  const { key_id } = await issue()
  const { clock, ring } = openRing()
  const first = await ring.find(key_id)
  await revokeKey(db, 'acme', key_id)
  clock.advance(60_000)
  assert.equal(ring.find(key_id), first)
  clock.advance(1)
  const later = ring.find(key_id)
  assert.ok(later instanceof Promise)
  assert.equal((await later)?.revoked, true)
})

test('an unknown key is looked up again after five seconds', async () => {
  const { clock, ring } = openRing()
  assert.equal(await ring.find('nosuchid'), undefined)
  assert.equal(ring.find('nosuchid'), undefined)
  clock.advance(5_001)
  assert.ok(ring.find('nosuchid') instanceof Promise)
})

test('a forgotten key is looked up at once', async () => {
  const { key_id } = await issue()
  const { ring } = openRing()
  await ring.find(key_id)
  await revokeKey(db, 'acme', key_id)
  ring.forget(key_id)
  assert.equal((await ring.find(key_id))?.revoked, true)
  const other = await issue()
  await ring.find(other.key_id)
  ring.forgetAll()
  assert.ok(ring.find(other.key_id) instanceof Promise)
})

test('while the database is away a key used a moment ago stays valid for a minute, but not a revoked one', async () => {
  const [good, revoked, unknown] = [await issue(), await issue(), await issue()]
  let away = false
  const failing: Database = {
    ...db,
    async execute(statement) {
      if (away) throw new Error('the database is away')
      return db.execute(statement)
    },
  }
  const { clock, ring } = openRing(failing)
  const key_record = await ring.find(good.key_id)
  await ring.find(revoked.key_id)
  await revokeKey(db, 'acme', revoked.key_id)
  ring.forget(revoked.key_id)
  clock.advance(59_000)
  away = true
  ring.forgetAll()
  for (let outage_ms = 0; outage_ms < 60_000; outage_ms += 400) {
    assert.equal(await ring.find(good.key_id), key_record)
    clock.advance(400)
    ring.forgetAll()
  }
  await assert.rejects(async () => ring.find(revoked.key_id), /away/)
  await assert.rejects(async () => ring.find(unknown.key_id), /away/)
  clock.advance(1)
  await assert.rejects(async () => ring.find(good.key_id), /away/)
})

test('when the database is back, a doubted key is read again before it is used', async () => {
  const { key_id } = await issue()
  const { ring } = openRing()
  await ring.find(key_id)
  await revokeKey(db, 'acme', key_id)
  ring.forgetAll()
  assert.equal((await ring.find(key_id))?.revoked, true)
  ring.forgetAll()
  assert.equal((await ring.find(key_id))?.revoked, true)
})

test('a database that does not answer delays a recently used key only briefly', async () => {
  const { key_id } = await issue()
  const { promise: answer, resolve } = Promise.withResolvers<void>()
  let hangs = false
  const hanging: Database = {
    ...db,
    async execute<Row>(statement: Statement) {
      const result = await db.execute<Row>(statement)
      if (hangs) await answer
      return result
    },
  }
  const { ring } = openRing(hanging)
  const key_record = await ring.find(key_id)
  hangs = true
  ring.forgetAll()
  assert.equal(await ring.find(key_id), key_record)
  assert.equal(ring.find(key_id), key_record, 'it is not asked again immediately')
  resolve()
})

test('a read that began before the key was revoked is not cached', async () => {
  const { key_id } = await issue()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const slow: Database = {
    ...db,
    async execute<Row>(statement: Statement) {
      const result = await db.execute<Row>(statement)
      answer()
      await gate
      return result
    },
  }
  const { ring } = openRing(slow)
  const lookup = ring.find(key_id)
  await answered
  await revokeKey(db, 'acme', key_id)
  ring.forget(key_id)
  open()
  await lookup
  assert.equal((await ring.find(key_id))?.revoked, true)
})

test('last-used times are written only for keys that authenticated a caller, not for lookups', async () => {
  const { key_id } = await issue()
  const { clock, ring } = openRing()
  await ring.find(key_id)
  await ring.noteUse()
  const usedAt = async () => (await listKeys(db, 'acme')).find((key) => key.key_id === key_id)?.last_used_at
  assert.equal(await usedAt(), null)
  clock.advance(1000)
  ring.used(key_id)
  await ring.noteUse()
  assert.equal((await usedAt())?.getTime(), clock.now_ms())
})

test('last-used times that cannot be written are logged as a warning', async () => {
  const { key_id } = await issue()
  const broken = storeAt(database.url)
  const { ring } = openRing((await broken).engine)
  ring.used(key_id)
  await (await broken).close()
  const before = warned.length
  await ring.noteUse()
  assert.match(warned.slice(before).join(), /last-used times of keys were not written/)
})

test('a database that falls silent is noticed: changes by others may have been missed', async (t) => {
  const url = new URL(database.url)
  const proxy = await startFaultProxy(Number(url.port), url.hostname)
  t.after(() => proxy.close())
  url.host = `127.0.0.1:${proxy.port}`
  const changed: string[] = []
  let gaps = 0
  const listener = await listenForChanges(
    url.href,
    (_kind, id) => changed.push(id),
    () => gaps++,
    log,
    50,
  )
  t.after(() => listener.close())
  proxy.set({ silent: true })
  await until('the gap is noticed', () => gaps > 1)
  proxy.set({})
  await until('it listens again', () => gaps > 2)
  const { key_id } = await issue()
  await revokeKey(db, 'acme', key_id)
  await until('changes arrive', () => changed.includes(key_id))
})

test('a revocation by another replica arrives, and a lost connection is reported as a gap until it is back', async (t) => {
  const changed: string[] = []
  let gaps = 0
  const listener = await listenForChanges(
    database.url,
    (kind, id) => changed.push(`${kind}:${id}`),
    () => gaps++,
    log,
  )
  t.after(() => listener.close())
  assert.equal(gaps, 1, 'changes before we listened may have been missed')
  const [first, second] = [await issue(), await issue()]
  await revokeKey(db, 'acme', first.key_id)
  await eventually(() => assert.deepEqual(changed, [`api_key:${first.key_id}`]))
  const owner = new Client({ connectionString: database.url })
  await owner.connect()
  const { rows } = await owner.query(`SELECT pg_terminate_backend(pid) AS done FROM pg_stat_activity
    WHERE application_name = 'svc changes' AND datname = current_database()`)
  await owner.end()
  assert.deepEqual(rows, [{ done: true }])
  await eventually(() => assert.ok(gaps >= 3, `${gaps} gaps`))
  await revokeKey(db, 'acme', second.key_id)
  await eventually(() => assert.ok(changed.includes(`api_key:${second.key_id}`)))
})
