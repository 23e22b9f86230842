import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { announceRootKey, settle_ms, takeStep } from './renewal.ts'
import { openRootKeys } from './root-key-store.ts'
import { copyRootKeys, haveSameRootKeys, holdRootKeys } from './shared-root-keys.ts'

const master_key = randomBytes(32)
const databases: TestDatabase[] = []
const stores: PostgresStore[] = []
let a: PostgresStore
let b: PostgresStore
let strange: PostgresStore

before(async () => {
  for (let n = 0; n < 3; n++) {
    const database = await testDatabase()
    databases.push(database)
    stores.push(await storeAt(database.url))
  }
  ;[a, b, strange] = stores as [PostgresStore, PostgresStore, PostgresStore]
  await openRootKeys(a.engine, master_key)
  await openRootKeys(strange.engine, master_key)
})
after(async () => {
  for (const store of stores) await store.close()
  for (const database of databases) await database.close()
})

const copy = (to: PostgresStore) => to.engine.transaction((trx) => copyRootKeys(a.engine, trx, master_key))
const areSame = (to: PostgresStore) => haveSameRootKeys(a.engine, to.engine, master_key)

/** One renewal to its end, where nothing is sealed; `is_begun` leaves out the announcement. */
async function renew({ engine: db }: PostgresStore, is_begun = false): Promise<void> {
  if (!is_begun) await db.transaction((trx) => announceRootKey(trx, master_key))
  const now = new Date(Date.parse('2027-01-01T00:00:00Z') + settle_ms)
  for (let n = 0; n < 200; n++) {
    const root_keys = await openRootKeys(db, master_key)
    const { kind } = await takeStep(db, { root_keys, now, onDestroyed: async () => {} })
    if (kind === 'destroyed') return
  }
  throw new Error('the renewal does not end')
}

test('an empty database gets all root keys, and what one seals the other opens and finds', async () => {
  assert.deepEqual(await copy(b), [1])
  assert.ok(await areSame(b))
  const [here, there] = [await openRootKeys(a.engine, master_key), await openRootKeys(b.engine, master_key)]
  const sealed = here.seal('test', 'a secret', 'its place')
  assert.equal(there.open('test', sealed, 'its place').toString(), 'a secret')
  assert.deepEqual(here.indexKey('names'), there.indexKey('names'))
  assert.deepEqual(await copy(b), [], 'a second copy changes nothing')
})

test('a database that made its own is refused, and left as it is', async () => {
  assert.equal(await areSame(strange), false)
  const before_it = (await openRootKeys(strange.engine, master_key)).ring
  await assert.rejects(copy(strange), /has root keys of its own/)
  assert.deepEqual((await openRootKeys(strange.engine, master_key)).ring, before_it)
})

test('what was renewed is copied as a renewal there, one at a time', async () => {
  await renew(a)
  assert.equal(await areSame(b), false, 'what is sealed by the new one would not open there')
  assert.deepEqual(await copy(b), [2])
  assert.ok(await areSame(b))
  await renew(b, true)
  assert.ok(await areSame(b))
  await renew(a)
  await renew(a)
  await assert.rejects(copy(b), /in a renewal, or more than one behind/)
})

test('while keys are held, no renewal takes a step', async () => {
  await a.engine.transaction((trx) => announceRootKey(trx, master_key))
  const root_keys = await openRootKeys(a.engine, master_key)
  const step = () => takeStep(a.engine, { root_keys, now: new Date(0), onDestroyed: async () => {} })
  await a.engine.transaction(async (trx) => {
    await holdRootKeys(trx)
    assert.equal((await step()).kind, 'none')
  })
  assert.equal((await step()).kind, 'started')
})
