import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { liveReplicas } from './live-replicas.ts'
import { memoryLimiter } from './memory.ts'
import { monthCalls } from './month-calls.ts'
import { monthStore } from './month-store.ts'
import { monthOf } from './token-bucket.ts'

const month = monthOf(Date.parse('2026-11-15T10:00:00.000Z'))
let database: TestDatabase
let store: PostgresStore
let db: Database

before(async () => {
  database = await testDatabase()
  store = await storeAt(database.url)
  db = store.engine
})
after(async () => {
  await store.close()
  await database.close()
})

function open() {
  const months = monthCalls()
  return { months, saved: monthStore(db, months) }
}

async function savedOf(tenant_id: string): Promise<number> {
  const { rows } = await store.engine_pool.query(
    'SELECT used::integer FROM month_calls WHERE month = $1 AND tenant_id = $2',
    [month, tenant_id],
  )
  return rows[0]?.used ?? 0
}

test('an engine that restarts continues from the saved count', async () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const size = { capacity: 100, refill_per_s: 100, month_max: 5 }
  const key = { tenant_id: 'again', protocol: 'MAX' }
  const first = open()
  const take = async (limiter = memoryLimiter(clock, first.months)) =>
    (await limiter.take(key, size, 1, true)).allowed
  for (let i = 0; i < 3; i++) assert.equal(await take(), true)
  await first.saved.save()
  assert.equal(await take(), true)
  const second = open()
  await second.saved.load(month)
  const anew = memoryLimiter(clock, second.months)
  assert.deepEqual([await take(anew), await take(anew), await take(anew)], [true, true, false])
})

test('separate counts are added, counts of Redis are merged by the maximum', async () => {
  const engines = [open(), open(), open()]
  for (const [index, { months }] of engines.entries())
    for (let i = 0; i <= index; i++) months.add('apart', month)
  await Promise.all(engines.map(({ saved }) => saved.save()))
  assert.equal(await savedOf('apart'), 6)
  for (const { saved } of engines) await saved.save()
  assert.equal(await savedOf('apart'), 6, 'nothing is added twice')
  for (const [index, { months }] of engines.entries()) months.raise('apart', month, 10 + index)
  engines[0]!.months.add('apart', month)
  for (const { saved } of engines.toReversed()) await saved.save()
  assert.equal(await savedOf('apart'), 13, 'twelve reported, and one more')
  assert.deepEqual(engines[0]!.months.known('apart'), { month, used: 13, unsaved: 0 })
})

test('what could not be saved is saved the next time', async () => {
  const months = monthCalls()
  const gone = await storeAt(database.url)
  await gone.close()
  const saved = monthStore(gone.engine, months)
  months.add('flaky', month)
  months.add('flaky', month)
  await assert.rejects(saved.save())
  assert.deepEqual(months.known('flaky'), { month, used: 2, unsaved: 2 })
  await saved.read('flaky', month)
  await monthStore(db, months).save()
  assert.equal(await savedOf('flaky'), 2)
})

test('one read serves concurrent callers, and many tenants are saved in one statement', async () => {
  const { months, saved } = open()
  for (let i = 0; i < 2_500; i++) months.add(`many-${i}`, month)
  await saved.save()
  assert.equal(await savedOf('many-2499'), 1)
  const other = open()
  assert.equal(other.saved.read('many-7', month), other.saved.read('many-7', month))
  await other.saved.read('many-7', month)
  assert.equal(other.months.known('many-7')?.used, 1)
})

test('past months are removed', async () => {
  const { months, saved } = open()
  months.add('old', month - 2)
  await saved.save()
  await saved.load(month)
  const { rows } = await store.engine_pool.query('SELECT 1 FROM month_calls WHERE month = $1', [month - 2])
  assert.equal(rows.length, 0)
})

test('engines count each other, and dead ones no longer', async () => {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const engines = Array.from({ length: 3 }, () => liveReplicas(db, clock.uuid()))
  assert.equal(engines[0]!.count(), 1)
  for (const engine of engines) await engine.note()
  await engines[0]!.note()
  assert.equal(engines[0]!.count(), 3)
  await engines[1]!.leave()
  await store.engine_pool.query(
    "UPDATE engine_replicas SET seen_at = now() - interval '31 seconds' WHERE replica_id <> ALL ($1)",
    [[]],
  )
  await engines[0]!.note()
  assert.equal(engines[0]!.count(), 1)
  await engines[2]!.note()
  assert.equal(engines[2]!.count(), 2)
})
