import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { databaseChanges } from '@svc/adapters/change-notifications/database'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { type Executor, runTopic } from './run-executor.ts'
import { claimOldest, refuseLost, renewLeases } from './run-lease.ts'
import { openWorkers } from './run-workers.ts'

const lease_ms = 60_000
const due = new Date('2026-11-18T10:00:00Z')
let test_store: TestStore

before(async () => {
  test_store = await openTestStore()
})
after(() => test_store.close())

async function addRuns(tenant_id: string, ...run_ids: string[]): Promise<void> {
  await test_store.as(tenant_id, async (db) => {
    const empty = Buffer.alloc(0)
    await sql`INSERT INTO moon_manifest (tenant_id, ref, name, version, recipe_id, manifest, submitted_by, submitted_at,
        is_active) VALUES (${tenant_id}, 'ref', 'one', '1.0.0', '', ${empty}, 'ann', ${due}, true)`.execute(
      db,
    )
    for (const run_id of run_ids)
      await sql`INSERT INTO moon_run (tenant_id, run_id, manifest_ref, owner_did, state, acting, input, correlation_id,
          depth, created_at, wake_at)
        VALUES (${tenant_id}, ${run_id}, 'ref', 'ann', 'running', ${empty}, ${empty}, 'c', 0, ${due}, ${due})`.execute(
        db,
      )
  })
}

async function expireLeases(tenant_id: string): Promise<void> {
  await sql`UPDATE moon_run SET lease_until = clock_timestamp() - interval '1 second'
    WHERE tenant_id = ${tenant_id}`.execute(test_store.store.engine)
}

test('a locked run does not keep the leases of the others from being renewed', async () => {
  const { engine } = test_store.store
  await addRuns('acme', 'free', 'locked')
  const leases = await claimOldest(engine, { owner: 'first', lease_ms, now: due, limit: 10 })
  await expireLeases('acme')
  const turn = test_store.store.transaction('acme')
  await sql`SELECT 1 FROM moon_run WHERE tenant_id = 'acme' AND run_id = 'locked' FOR UPDATE`.execute(turn.db)
  const renewed = await renewLeases(engine, 'first', lease_ms, leases)
  await turn.rollback()
  assert.deepEqual([...renewed].sort(), ['free', 'locked'])
  const others = await claimOldest(engine, { owner: 'second', lease_ms, now: due, limit: 10 })
  assert.deepEqual(
    others.map(({ run_id }) => run_id),
    ['locked'],
  )
  assert.deepEqual([...(await renewLeases(engine, 'first', lease_ms, leases))], ['free'])
})

test('a run that the same engine claims again keeps being renewed when the first claim ends', async () => {
  const { engine } = test_store.store
  await addRuns('globex', 'again')
  const transactions: { end(): void }[] = []
  // Its turns stay open until the test ends them.
  const transaction: Executor['transaction'] = () => {
    const { promise, reject } = Promise.withResolvers<never>()
    transactions.push({ end: () => reject(new Error('the connection was cut')) })
    const execute = () => promise
    return { db: { execute } as never, commit: async () => {}, rollback: async () => {} }
  }
  const clock = { now_ms: () => due.getTime(), uuid: () => 'u' }
  const executor = {
    transaction,
    clock,
    vaultOf: () => ({}),
    change_notifications: databaseChanges(undefined),
  }
  const released = Promise.withResolvers<void>()
  const db: Database = {
    ...engine,
    async execute(statement) {
      const result = await engine.execute<never>(statement)
      if (statement.text.includes('lease_owner = NULL')) released.resolve()
      return result
    },
  }
  const workers = openWorkers({ db, owner: 'first', lease_ms, executor: executor as never, onFailure() {} })
  await workers.takeUp()
  await expireLeases('globex')
  await workers.takeUp()
  assert.equal(transactions.length, 2)
  transactions[0]!.end()
  await released.promise
  await new Promise(setImmediate)
  await expireLeases('globex')
  await workers.renew()
  assert.deepEqual(await claimOldest(engine, { owner: 'second', lease_ms, now: due, limit: 10 }), [])
  transactions[1]!.end()
  await workers.close()
})

test('an engine that has lost a run is woken at once, to end the calls that still wait', async () => {
  const { engine } = test_store.store
  await addRuns('initech', 'kept', 'lost')
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => {})
  const db = { execute: () => promise }
  const change_notifications = databaseChanges(undefined)
  const executor = {
    transaction: () => ({ db, commit: async () => {}, rollback: async () => {} }),
    clock: { now_ms: () => due.getTime(), uuid: () => 'u' },
    vaultOf: () => ({}),
    change_notifications,
  }
  const options = { db: engine, owner: 'first', lease_ms, executor: executor as never, onFailure() {} }
  const workers = openWorkers(options)
  await workers.takeUp()
  const listening = ['kept', 'lost'].map((run_id) => change_notifications.listen(runTopic(run_id)))
  await sql`UPDATE moon_run SET lease_owner = 'second', epoch = epoch + 1
    WHERE tenant_id = 'initech' AND run_id = 'lost'`.execute(engine)
  await workers.renew()
  assert.deepEqual(await Promise.all(listening.map((one) => one.heard(0))), [false, true])
  reject(new Error('the connection was cut'))
  await workers.close()
})

test('a step of an engine that has lost its run is refused, also where the same engine claimed it again', async () => {
  const { engine } = test_store.store
  await addRuns('fenced', 'run')
  const [first] = await claimOldest(engine, { owner: 'first', lease_ms, now: due, limit: 10 })
  await test_store.as('fenced', (db) => refuseLost(db, first!))
  await expireLeases('fenced')
  const [again] = await claimOldest(engine, { owner: 'first', lease_ms, now: due, limit: 10 })
  await test_store.as('fenced', (db) => refuseLost(db, again!))
  await assert.rejects(
    test_store.as('fenced', (db) => refuseLost(db, first!)),
    /Another engine has taken over the run/,
  )
})

test('however many runs of one organization are due, the others come to their turn', async () => {
  const { engine } = test_store.store
  const addMany = (tenant_id: string, count: number) =>
    addRuns(tenant_id, ...Array.from({ length: count }, (_, i) => `${tenant_id}-${i}`))
  await addMany('flood', 200)
  for (const tenant_id of ['after-flood', 'before-flood', 'zeta']) await addMany(tenant_id, 3)
  const later = new Date(due.getTime() + 1)
  await sql`UPDATE moon_run SET wake_at = ${later} WHERE tenant_id IN ('after-flood', 'before-flood', 'zeta')`.execute(
    engine,
  )
  const never = () => new Promise<never>(() => {})
  const executor = {
    transaction: () => ({ db: { execute: never }, commit: async () => {}, rollback: async () => {} }),
    clock: { now_ms: () => later.getTime(), uuid: () => 'u' },
    vaultOf: () => ({}),
    change_notifications: databaseChanges(undefined),
  }
  const workers = openWorkers({
    db: engine,
    owner: 'fair',
    lease_ms,
    executor: executor as never,
    onFailure() {},
  })
  const carried = async () => {
    const rows = await sql<{ tenant_id: string; runs: number }>`
      SELECT tenant_id, count(*)::float8 AS runs FROM moon_run WHERE lease_owner = 'fair'
      GROUP BY tenant_id ORDER BY tenant_id`.all(engine)
    return Object.fromEntries(rows.map(({ tenant_id, runs }) => [tenant_id, runs]))
  }
  await workers.takeUp()
  assert.deepEqual(await carried(), { flood: 32 })
  await workers.takeUp()
  assert.deepEqual(await carried(), { 'after-flood': 1, 'before-flood': 1, flood: 48, zeta: 1 })
  for (let round = 0; round < 5; round++) await workers.takeUp()
  assert.deepEqual(await carried(), { 'after-flood': 3, 'before-flood': 3, flood: 48, zeta: 3 })
})
