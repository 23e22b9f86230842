import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import fc from 'fast-check'
import { type TestDatabase, testDatabase } from '../../../checks/rehearsal/test-database.ts'
import { storeAt } from '../../../checks/rehearsal/test-store.ts'
import { bodyAt, placeAfter } from '../registry/entry.ts'
import { endByWithdrawal, insertEntry } from '../registry/store.ts'
import {
  afterProbe,
  forgetEndpoints,
  type Health,
  noteProbe,
  takeDueProbes,
  wakeEndpoints,
  watchEndpoints,
} from './endpoint-health.ts'

const start = new Date('2026-11-15T10:00:00.000Z')
const later = (ms: number) => new Date(start.getTime() + ms)
const signature = { signed_by: 'x', public_key: 'x', signature: 'x', method: 'own' } as const
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

async function as(tenant_id: string, work: (db: Database) => Promise<unknown>): Promise<void> {
  const transaction = store.transaction(tenant_id)
  await work(transaction.db)
  await transaction.commit([])
}

/** Publishes these addresses of one agent, alive for an hour. */
async function publish(tenant_id: string, entry: string, urls: string[], previous: string | null = null) {
  const statement = { kind: 'agent', subject: entry, tenant_id, visibility: 'tenant', content: {} } as const
  const body = bodyAt({ ...statement, ttl_seconds: 3600 }, placeAfter(undefined))
  const endpoints = urls.map((url) => ({ kind: 'external', url }))
  await as(tenant_id, async (db) => {
    await insertEntry(db, {
      hash: entry,
      body,
      signature,
      registered_at: start,
      expires_at: later(3_600_000),
    })
    const others = [{ kind: 'a2a', url: 'https://unasked.example' }]
    await watchEndpoints(db, { tenant_id, entry, previous, endpoints: [...endpoints, ...others] }, start)
  })
}

const take = (now: Date, taken_max = 100) => takeDueProbes(store.engine, now, 0.5, taken_max)

async function clear(): Promise<void> {
  for (let i = 0; i < 20 && (await take(later(10 * 86_400_000))).length > 0; i++);
}

test('health moves by an eighth with each probe and stays within its bounds', () => {
  const result = fc.record({
    healthy: fc.boolean(),
    latency_ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(result, { minLength: 1, maxLength: 60 }), (results) => {
      let health: Health = { health_bps: null, latencies_ms: [], failures: 0 }
      for (const answer of results) {
        const next = afterProbe(health, answer)
        assert.ok(Number.isInteger(next.health_bps) && next.health_bps >= 0 && next.health_bps <= 10_000)
        if (health.health_bps !== null)
          assert.ok(
            answer.healthy ? next.health_bps >= health.health_bps : next.health_bps <= health.health_bps,
          )
        assert.equal(next.failures, answer.healthy ? 0 : health.failures + 1)
        assert.ok(next.latencies_ms.length <= 15)
        if (next.latency_p50_ms !== null) assert.ok(next.latencies_ms.includes(next.latency_p50_ms))
        health = next
      }
    }),
  )
  const endpoint_health = { health_bps: 10_000, latencies_ms: [5, 1, 9], failures: 0 }
  assert.equal(afterProbe(endpoint_health, { healthy: false, latency_ms: 1 }).latency_p50_ms, 5)
  assert.equal(afterProbe(endpoint_health, { healthy: false, latency_ms: 1 }).health_bps, 8_750)
})

test('each endpoint is claimed once per turn, by one engine, and again ten seconds later', async () => {
  const urls = Array.from({ length: 6 }, (_, i) => `https://a${i}.example`)
  await publish('turns', 'turns-1', urls)
  const engines = await Promise.all(Array.from({ length: 8 }, () => take(start)))
  const taken = engines.flat().map(({ url }) => url)
  assert.deepEqual(taken.toSorted(), urls)
  assert.deepEqual(await take(later(9_999)), [])
  assert.equal((await take(later(10_000))).length, 6)
  await clear()
})

test('turns are spread randomly by up to a tenth', async () => {
  await publish('spread', 'spread-1', ['https://s.example'])
  await takeDueProbes(store.engine, start, 0, 10)
  assert.equal((await takeDueProbes(store.engine, later(9_000), 1, 10)).length, 1)
  assert.equal((await take(later(19_999))).length, 0)
  assert.equal((await take(later(20_000))).length, 1)
  await clear()
})

test('one tenant with many endpoints does not use every slot', async () => {
  for (let i = 0; i < 4; i++)
    await publish(
      'greedy',
      `greedy-${i}`,
      Array.from({ length: 10 }, (_, n) => `https://g${i}-${n}.example`),
    )
  await publish('modest', 'modest-1', ['https://m.example'])
  const taken = await take(start, 20)
  assert.equal(taken.length, 9)
  assert.ok(taken.some(({ url }) => url === 'https://m.example'))
  await clear()
})

test('endpoints of an entry that is not live rest, and a heartbeat wakes them', async () => {
  await publish('resting', 'resting-1', ['https://r.example'])
  assert.deepEqual(await take(later(3_600_000)), [], 'its time is over')
  await as('resting', (db) =>
    sql`UPDATE registry_entries SET expires_at = ${later(9e9)} WHERE hash = 'resting-1'`.execute(db),
  )
  assert.deepEqual(await take(later(3_601_000)), [], 'nobody has said so yet')
  await as('resting', (db) => wakeEndpoints(db, 'resting-1', later(3_601_000)))
  assert.equal((await take(later(3_601_000))).length, 1)
  await as('resting', (db) => wakeEndpoints(db, 'resting-1', later(3_602_000)))
  assert.deepEqual(await take(later(3_602_000)), [], 'a heartbeat brings no turn forward')
  await as('resting', (db) => endByWithdrawal(db, 'resting-1', later(3_603_000), signature))
  assert.deepEqual(await take(later(3_700_000)), [])
  await clear()
})

test('the health of an address is kept in the next version', async () => {
  await publish('moving', 'moving-1', ['https://kept.example', 'https://dropped.example'])
  for (const due of await take(start))
    await noteProbe(store.engine, due, { healthy: due.url.includes('kept'), latency_ms: 7.4 }, start)
  await as('moving', (db) =>
    sql`UPDATE registry_entries SET state = 'SUPERSEDED', ended_at = ${start} WHERE hash = 'moving-1'`.execute(
      db,
    ),
  )
  await publish('moving', 'moving-2', ['https://kept.example', 'https://new.example'], 'moving-1')
  const rows = await sql<Record<string, unknown>>`
    SELECT entry, url, healthy, health_bps, latency_p50_ms FROM endpoints_health WHERE tenant_id = 'moving'
    ORDER BY url`.all(store.engine)
  assert.deepEqual(rows, [
    { entry: 'moving-2', url: 'https://kept.example', healthy: true, health_bps: 10_000, latency_p50_ms: 7 },
    { entry: 'moving-2', url: 'https://new.example', healthy: null, health_bps: null, latency_p50_ms: null },
  ])
  assert.deepEqual(
    (await take(start)).map(({ url }) => url),
    ['https://new.example'],
    'publishing again asks nobody sooner',
  )
  await as('moving', (db) => forgetEndpoints(db, 'moving-2'))
  await noteProbe(
    store.engine,
    {
      tenant_id: 'moving',
      entry: 'moving-2',
      url: 'https://kept.example',
      health_bps: null,
      latencies_ms: [],
      failures: 0,
    },
    { healthy: true, latency_ms: 1 },
    start,
  )
  await clear()
})
