import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import { Refusal } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { issueKey, listKeys } from './api-keys.ts'
import { addMember, countMembers, endMembership, listMembers, satAt } from './charter.ts'
import { requireLiveIdentity, revokeIdentity } from './revocations.ts'
import { countLiveKeys, createTenant, findTenant, listTenants } from './tenant-directory.ts'
import { newIdentity } from './tenants.ts'

const at = (day: number) => new Date(Date.UTC(2026, 0, day))
let database: TestDatabase
let store: PostgresStore
before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  for (const tenant_id of ['acme', 'rival']) await createTenant(store.engine, tenant_id, tenant_id, 'charter')
})
after(async () => {
  await store.close()
  await database.close()
})

const inTransaction = <Result>(work: (db: Database) => Promise<Result>) => store.engine.transaction(work)

test('a membership begins, ends and can begin again; each moment keeps its own answer', async () => {
  const [root, other] = [newIdentity('acme', 'human-root').did, newIdentity('acme', 'agent').did]
  const db = store.engine
  assert.equal(await addMember(db, 'acme', root, at(1)), true)
  assert.equal(await addMember(db, 'acme', root, at(2)), false)
  assert.equal(await addMember(db, 'acme', other, at(3)), true)
  assert.deepEqual(
    (await listMembers(db, 'acme')).map((member) => member.did),
    [root, other].sort(),
  )
  assert.equal((await listMembers(db, 'acme', [root, other].sort()[0])).length, 1)
  assert.equal(await inTransaction((trx) => endMembership(trx, 'acme', other, at(5))), true)
  assert.equal(await inTransaction((trx) => endMembership(trx, 'acme', other, at(5))), false)
  assert.deepEqual(await Promise.all([2, 3, 4, 5].map((day) => satAt(db, 'acme', other, at(day)))), [
    false,
    true,
    true,
    false,
  ])
  assert.equal(await addMember(db, 'acme', other, at(9)), true)
  assert.equal(await countMembers(db, 'acme'), 2)
  assert.equal(await countMembers(db, 'rival'), 0)
})

test('the last member stays, even when all leave at once', async () => {
  const dids = Array.from({ length: 4 }, () => newIdentity('rival', 'agent').did)
  for (const did of dids) await addMember(store.engine, 'rival', did, at(1))
  const left = await Promise.allSettled(
    dids.map((did) => inTransaction((trx) => endMembership(trx, 'rival', did, at(2)))),
  )
  const refused = left.filter((result) => result.status === 'rejected')
  assert.equal(refused.length, 1)
  assert.ok(refused[0]?.reason instanceof Refusal)
  assert.match(refused[0].reason.message, /the last charter member/)
  assert.equal(await countMembers(store.engine, 'rival'), 1)
})

test('an operation sees and changes only the charter of its own tenant', async () => {
  const own = store.transaction('acme')
  const rows = await sql<{ tenant_id: string }>`SELECT DISTINCT tenant_id FROM charter_members`.all(own.db)
  assert.deepEqual(rows, [{ tenant_id: 'acme' }])
  await assert.rejects(addMember(own.db, 'rival', newIdentity('rival', 'agent').did, at(1)), /row-level/)
  await own.rollback()
  const deleting = store.transaction('acme')
  await assert.rejects(sql`DELETE FROM charter_members`.execute(deleting.db), /permission denied/)
  await deleting.rollback()
})

test('a revoked identity loses its keys and gets no new ones, in either order', async () => {
  const { did } = newIdentity('acme', 'agent')
  const issue = () =>
    inTransaction(async (trx) => {
      await requireLiveIdentity(trx, 'acme', did)
      return issueKey(trx, { tenant_id: 'acme', did, mode: 'live' })
    })
  await issue()
  const revoke = () =>
    inTransaction((trx) => revokeIdentity(trx, { tenant_id: 'acme', did, reason: 'lost', by: 'test' }))
  const [, revoked] = await Promise.allSettled([issue(), revoke(), issue(), issue()])
  assert.equal(revoked.status, 'fulfilled')
  const live = (await listKeys(store.engine, 'acme')).filter((key) => key.did === did && !key.revoked_at)
  assert.deepEqual(live, [])
  await assert.rejects(issue(), /was revoked/)
  assert.equal(await revoke(), undefined)
})

test('tenants are created once and listed in pages', async () => {
  const db = store.engine
  assert.equal(await createTenant(db, 'acme', 'Another', 'sovereign'), false)
  assert.deepEqual((await findTenant(db, 'acme'))?.tier, 'charter')
  assert.equal(await findTenant(db, 'nobody'), undefined)
  const [first] = await listTenants(db, '', 1)
  assert.equal(first?.tenant_id, 'acme')
  assert.deepEqual(
    (await listTenants(db, 'acme')).map((tenant) => tenant.tenant_id),
    ['rival'],
  )
  await issueKey(db, { tenant_id: 'rival', did: newIdentity('rival', 'agent').did, mode: 'live' })
  assert.equal(await countLiveKeys(db, 'rival'), 1)
})
