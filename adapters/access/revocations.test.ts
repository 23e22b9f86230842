import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { newSubject } from '../../checks/scenes/test-identity.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { findKey, issueKey } from './api-keys.ts'
import { listenForChanges } from './changes.ts'
import { endedAmong, revokeIdentity } from './revocations.ts'
import { ensureTenant } from './tenants.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
let database: TestDatabase
let store: PostgresStore
let db: Database
const notifications: string[] = []
let listener: { close(): Promise<void> }

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  db = store.engine
  for (const tenant_id of ['acme', 'rival']) await ensureTenant(db, tenant_id, tenant_id, 'charter')
  const note = (kind: string, id: string) => void notifications.push(`${kind}:${id}`)
  listener = await listenForChanges(database.url, note, () => {}, log)
})
after(async () => {
  await listener.close()
  await store.close()
  await database.close()
})

const revoke = (did: string, tenant_id = 'acme') =>
  db.transaction((transaction) =>
    revokeIdentity(transaction, { tenant_id, did, reason: 'key lost', by: 'operator' }),
  )

test('a revoked identity is found among others, permanently and with its keys', async () => {
  const [gone, here] = [newSubject('Agent').did, newSubject('Agent').did]
  const { key_id } = await issueKey(db, { tenant_id: 'acme', did: gone, mode: 'test' })
  assert.deepEqual(await endedAmong(db, [gone, here]), new Map())
  assert.deepEqual(await revoke(gone), [key_id])
  assert.equal(await revoke(gone), undefined)
  assert.deepEqual(await endedAmong(db, [here, gone, gone]), new Map([[gone, 'revoked']]))
  assert.deepEqual(await endedAmong(db, []), new Map())
  assert.equal((await findKey(db, key_id))?.revoked, true)
})

test('every replica is notified, once per revocation', async () => {
  const [did, last] = [newSubject('Agent').did, newSubject('Agent').did]
  for (const one of [did, did, last]) await revoke(one)
  await eventually(() => assert.equal(notifications.at(-1), `identity:${last}`))
  assert.equal(notifications.filter((change) => change === `identity:${did}`).length, 1)
})

test('a tenant revokes only identities of its own name, and sees only its own revocations', async () => {
  const { did } = newSubject('Agent', 'rival')
  await assert.rejects(revoke(did), /not of acme/)
  await revoke(did, 'rival')
  for (const [tenant_id, revoked_count] of [
    ['rival', 1],
    ['acme', 0],
  ] as const) {
    const transaction = store.transaction(tenant_id)
    assert.equal((await endedAmong(transaction.db, [did])).size, revoked_count, tenant_id)
    await transaction.rollback()
  }
})
