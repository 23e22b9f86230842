import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { probeKeys, provisionTenant } from '@svc/audit/chain/keys'
import { queryOf } from '@svc/audit/query/query'
import { envelopeHead, type RootKeys } from '@svc/audit/sealing/root-keys'
import { asOwner } from '@svc/audit/test-audit-log'
import { sql } from '@svc/database/sql'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { openKeystore } from '../custody/keystore.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { masterKeyOf } from './master-key.ts'
import {
  announceRootKey,
  changeMasterKey,
  RenewalRefused,
  type RenewalStep,
  settle_ms,
  takeStep,
} from './renewal.ts'
import { forgetEngine, registerEngine, reportEngine } from './root-key-engines.ts'
import { listRootKeys, openRootKeys, readRows, ringOf } from './root-key-store.ts'

const master_key = randomBytes(32)
const now = new Date('2027-01-01T00:00:00Z')
const later = new Date(now.getTime() + settle_ms)
let database: TestDatabase
let store: PostgresStore

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
})
after(async () => {
  await store?.close()
  await database?.close()
})

const db = () => store.engine
const announce = () => db().transaction((trx) => announceRootKey(trx, master_key))
const step = (root_keys: RootKeys, at = now): Promise<RenewalStep> =>
  takeStep(db(), { root_keys, now: at, onDestroyed: async () => {} })

async function learn(root_keys: RootKeys): Promise<void> {
  root_keys.learn(await ringOf(await readRows(db()), masterKeyOf(master_key), root_keys.ring))
}

/** Everything that is left of a renewal, by this engine. */
async function finish(root_keys: RootKeys): Promise<RenewalStep> {
  for (let n = 0; n < 200; n++) {
    const taken = await step(root_keys, later)
    if (taken.kind !== 'resealed') return taken
  }
  throw new Error('the renewal does not end')
}

test('engines that start together make one set, and another master key is refused in a sentence', async () => {
  const [one, ...others] = await Promise.all(Array.from({ length: 4 }, () => openRootKeys(db(), master_key)))
  for (const other of others) assert.deepEqual(other.ring, one!.ring)
  assert.equal(one!.ring.first_key, undefined)
  await assert.rejects(
    openRootKeys(db(), randomBytes(32)),
    /wrapped by the master key own:\w{16}, and the one set is own:/,
  )
  const rows = await readRows(db())
  for (const { wrapped } of rows) assert.ok(!wrapped!.includes(master_key))
})

test('a wrapped root key opens in its own row only', async () => {
  const rows = await readRows(db())
  const [index, sealing] = rows
  const swapped = [{ ...index!, wrapped: sealing!.wrapped }, sealing!]
  await assert.rejects(ringOf(swapped, masterKeyOf(master_key)), /cannot be unwrapped/)
})

test('a renewal waits for every engine, seals all anew and destroys the old key', async () => {
  const root_keys = await openRootKeys(db(), master_key)
  const journal_id = randomUUID()
  await registerEngine(db(), journal_id, '/journal')
  await provisionTenant(queryOf(db()), root_keys, 'acme')
  const seals = openKeystore(root_keys)
  const text = seals.sealText('an answer', 'its place')
  await sql`INSERT INTO oauth_payloads (model, id_hash, payload, expires_at)
    VALUES ('Grant', '\\x01', ${root_keys.seal('oauth-payloads', 'payload', 'it')}, now() + interval '1 day')`.execute(
    db(),
  )
  assert.equal(await announce(), 2)
  await assert.rejects(announce(), RenewalRefused)
  assert.equal((await step(root_keys)).kind, 'waiting')
  await learn(root_keys)
  assert.equal(root_keys.version, 1, 'it opens what others seal by the new one, and seals by the old one')
  const engine = { journal_id, journal_dir: '/journal', opens: 2, seals: 1, journalled: 1, seals_since: now }
  await reportEngine(db(), engine)
  assert.deepEqual(await step(root_keys), { kind: 'started', version: 2 })
  assert.equal((await step(root_keys, later)).kind, 'waiting', 'its journal may hold what the old one sealed')
  await learn(root_keys)
  await reportEngine(db(), { ...engine, seals: 2, journalled: 2 })
  assert.equal((await step(root_keys)).kind, 'waiting', 'calls may still be under way')
  const destroyed = await finish(root_keys)
  assert.deepEqual(destroyed, { kind: 'destroyed', version: 1, resealed: 3, unopened: 0 })
  assert.deepEqual(
    (await listRootKeys(db())).map(({ version, state, destroyed_at }) => [
      version,
      state,
      destroyed_at !== null,
    ]),
    [
      [1, 'destroyed', true],
      [2, 'current', false],
    ],
  )
  await nothingNames(1)
  await learn(root_keys)
  assert.deepEqual((await probeKeys(queryOf(db()), root_keys)).unopened, [])
  assert.throws(() => seals.openText(text, 'its place'), /root key 1 is not known/)
  assert.equal((await step(root_keys, later)).kind, 'none')
  await forgetEngine(db(), journal_id)
})

test('envelopes within text are renewed, and what was altered is counted and does not hold up the end', async () => {
  const root_keys = await openRootKeys(db(), master_key)
  const seals = openKeystore(root_keys)
  const sealed = seals.sealText('an answer', 'its place')
  const altered = Buffer.from(seals.sealText('another', 'place'), 'base64url')
  altered[40]! ^= 1
  const text = `sealed:${sealed} and ${altered.toString('base64')}`
  await keepAnswer(text)
  await announce()
  await learn(root_keys)
  assert.equal((await step(root_keys)).kind, 'started')
  await learn(root_keys)
  const destroyed = await finish(root_keys)
  assert.equal(destroyed.kind === 'destroyed' && destroyed.unopened, 1)
  const renewed = await readAnswer()
  assert.equal(seals.openText(renewed.slice('sealed:'.length).split(' ')[0]!, 'its place'), 'an answer')
})

test('the master key changes for all root keys or none, and the old one opens nothing any more', async () => {
  const new_key = randomBytes(32)
  const change = (from: Uint8Array, to: Uint8Array) =>
    db().transaction((trx) => changeMasterKey(trx, from, to))
  const ring_before = (await openRootKeys(db(), master_key)).ring
  await assert.rejects(change(new_key, randomBytes(32)), /wrapped by the master key/)
  assert.equal((await change(master_key, new_key)).root_keys, 2)
  await assert.rejects(openRootKeys(db(), master_key), /it was changed/)
  assert.deepEqual((await openRootKeys(db(), new_key)).ring, ring_before)
  await change(new_key, master_key)
})

function keepAnswer(text: string): Promise<unknown> {
  return asOwner(database.url, (client) =>
    client.query(
      `INSERT INTO idempotency_keys (tenant_id, key, caller_did, fingerprint, output_text, created_at)
       VALUES ('acme', 'k', 'did', 'f', $1, now())`,
      [text],
    ),
  )
}

async function readAnswer(): Promise<string> {
  return asOwner(database.url, async (client) => {
    const { rows } = await client.query('SELECT output_text FROM idempotency_keys')
    return rows[0].output_text
  })
}

/** Looks into every bytes column there is, not only into those that are listed. */
async function nothingNames(version: number): Promise<void> {
  await asOwner(database.url, async (client) => {
    const { rows } = await client.query(`
      SELECT format('SELECT count(*)::int AS n FROM %I WHERE substr(%I, 1, 6) = $1', table_name, column_name) AS text
      FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
      WHERE table_schema = 'public' AND data_type = 'bytea' AND table_type = 'BASE TABLE'`)
    assert.ok(rows.length > 50)
    for (const text of rows.map((row): string => row.text)) {
      const result = await client.query(text, [envelopeHead(version)])
      assert.equal(result.rows[0].n, 0, text)
    }
  })
}
