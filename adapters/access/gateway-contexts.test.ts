import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { sql } from '@svc/database/sql'
import type { Log } from '@svc/engine/ports'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../checks/rehearsal/test-store.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import type { PostgresStore } from '../store/postgres.ts'
import { contextClaims } from './gateway-contexts.ts'

const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
const clock = manualClock('2026-11-15T10:00:00.000Z')
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

test('of many replicas that claim one context at once, exactly one succeeds', async () => {
  const replicas = Array.from({ length: 8 }, () => contextClaims(store.engine, clock, log))
  for (let round = 0; round < 20; round++) {
    const jti = randomUUID()
    const got = await Promise.all(replicas.map((claim) => claim(jti, clock.now_ms() + 35_000)))
    assert.equal(got.filter(Boolean).length, 1)
  }
})

test('expired contexts are swept, others stay', async () => {
  const claim = contextClaims(store.engine, clock, log)
  const [short, long, next] = [randomUUID(), randomUUID(), randomUUID()]
  await claim(short, clock.now_ms() + 1_000)
  await claim(long, clock.now_ms() + 3_600_000)
  clock.advance(30_000)
  await claim(next, clock.now_ms() + 35_000)
  await eventually(async () => {
    const rows = await sql<{ jti: string }>`SELECT jti FROM gateway_contexts`.all(store.engine)
    const jtis = rows.map(({ jti }) => jti)
    assert.deepEqual(
      [short, long, next].map((jti) => jtis.includes(jti)),
      [false, true, true],
    )
  })
  assert.equal(await claim(long, clock.now_ms() + 1), false)
})
