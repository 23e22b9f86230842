import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import { sql } from '@svc/database/sql'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { eventually } from '../../../checks/suite/eventually.ts'
import { clearLatch, findLatch, refuseWhileStopped, setLatch } from './stop-latch.ts'

const set_at = new Date('2026-11-18T10:00:00Z')
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

const latch = (scope: 'action' | 'agent' | 'device' | 'tenant', scope_id: string, tenant_id = 'acme') => ({
  tenant_id,
  scope,
  scope_id,
  stop_ref: 'maker://stop/1',
  set_by: 'did:oas:acme:agent:a',
  set_at,
})

/** How many sessions wait for such a lock. */
async function waiting(): Promise<number> {
  const row = await sql<{ waiting: number }>`SELECT count(*)::int AS waiting FROM pg_locks
    WHERE locktype = 'advisory' AND NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.first(store.engine)
  return row!.waiting
}

test('a stop waits for intents in progress, and none commits after the latch', async () => {
  const [intent, stop, late] = [
    store.transaction('acme'),
    store.transaction('acme'),
    store.transaction('acme'),
  ]
  await refuseWhileStopped(intent.db, 'acme', { agent: 'ann' })
  const order: string[] = []
  const stopping = setLatch(stop.db, latch('tenant', 'acme')).then(async (epoch) => {
    order.push('latched')
    await stop.commit([])
    return epoch
  })
  await eventually(async () => assert.equal(await waiting(), 1))
  const refused = assert.rejects(refuseWhileStopped(late.db, 'acme', { agent: 'bob' }), {
    details: {
      reason: 'emergency stop active',
      scope: 'tenant',
      scope_id: 'acme',
      stop_ref: 'maker://stop/1',
    },
  })
  order.push('intent')
  await intent.commit([])
  assert.equal(await stopping, 1n)
  await refused
  await late.rollback()
  assert.deepEqual(order, ['intent', 'latched'])
})

test('a latch covers only what it names, until it is cleared', async () => {
  const covers = async (tenant_id: string, covered: Parameters<typeof findLatch>[2]) => {
    const transaction = store.transaction(tenant_id)
    const latch_found = await findLatch(transaction.db, tenant_id, covered)
    await transaction.rollback()
    return latch_found !== undefined
  }
  const change = store.transaction('globex')
  for (const [scope, id] of [
    ['agent', 'ann'],
    ['device', 'door'],
    ['action', 'one'],
  ] as const)
    await setLatch(change.db, latch(scope, id, 'globex'))
  await change.commit([])
  for (const covered of [{ agent: 'ann' }, { device: 'door' }, { action: 'one', agent: 'bob' }])
    assert.equal(await covers('globex', covered), true, JSON.stringify(covered))
  for (const covered of [{ agent: 'bob' }, { device: 'ann' }, {}])
    assert.equal(await covers('globex', covered), false)
  assert.equal(await covers('initech', { agent: 'ann' }), false)
  const lifting = store.transaction('globex')
  assert.equal(await clearLatch(lifting.db, 'globex', 'agent', 'ann', set_at), true)
  assert.equal(await clearLatch(lifting.db, 'globex', 'agent', 'ann', set_at), false)
  assert.equal(await setLatch(lifting.db, latch('agent', 'ann', 'globex')), 3n)
  await lifting.rollback()
})
