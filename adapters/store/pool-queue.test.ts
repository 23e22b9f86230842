import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import type { Pool, PoolClient } from 'pg'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { queueBefore } from './pool-queue.ts'

/** The part of a pool that the queue uses: the test grants and returns connections. */
class TestPool extends EventEmitter {
  readonly waiting: PromiseWithResolvers<PoolClient>[] = []

  connect(): Promise<PoolClient> {
    const waiter = Promise.withResolvers<PoolClient>()
    this.waiting.push(waiter)
    return waiter.promise
  }

  give(): PoolClient {
    const client = {} as PoolClient
    this.emit('acquire', client)
    this.waiting.shift()?.resolve(client)
    return client
  }
}

function openQueue(wait_ms_max: number, pool_max = 1) {
  const pool = new TestPool()
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  return { pool, clock, queue: queueBefore(pool as unknown as Pool, pool_max, wait_ms_max, clock) }
}

function assertBusy(refused: unknown): asserts refused is Refusal {
  assert.ok(refused instanceof Refusal)
  assert.deepEqual([refused.row.status, refused.details.reason], [503, 'database busy'])
}

test('a moving queue may have any length', async () => {
  const { pool, queue } = openQueue(3_600_000)
  const connecting = Array.from({ length: 500 }, () => queue.connect())
  while (pool.waiting.length > 0) pool.emit('release', undefined, pool.give())
  assert.equal((await Promise.all(connecting)).length, 500)
})

test('while the first has waited too long nobody joins; afterwards they do', async () => {
  const { pool, clock, queue } = openQueue(4)
  const first = queue.connect()
  clock.advance(10)
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => queue.connect().catch((thrown) => thrown)),
  )
  refused.forEach(assertBusy)
  const waits = refused.map((refusal: Refusal) => refusal.details.retry_after_ms!)
  assert.equal(new Set(waits).size, 20, 'they are not sent back all at the same moment')
  assert.ok(Math.min(...waits) >= 500 && Math.max(...waits) < 2_000)
  assert.equal(pool.waiting.length, 1)
  pool.waiting.shift()?.reject(new Error('no connection in time'))
  await assert.rejects(first, /no connection in time/)
  const next = queue.connect()
  const client = pool.give()
  assert.equal(await next, client)
})

test('as many wait as can be served in time, by the average use of a connection', async () => {
  const { pool, clock, queue } = openQueue(20_000, 10)
  const clients = Array.from({ length: 10 }, () => pool.give())
  clock.advance(50)
  let joined = 0
  let refused: unknown
  while (refused === undefined && joined < 100_000) {
    queue.connect().catch((thrown) => {
      refused = thrown
    })
    joined++
    await Promise.resolve()
  }
  assertBusy(refused)
  // Ten seconds of patience for ten connections, each in use for 50 ms: 2,000 may wait, the next is refused.
  assert.equal(joined, 2_002)
  for (const client of clients) pool.emit('release', undefined, client)
  // They are free again, but their usage time is known now.
  assertBusy(await queue.connect().catch((thrown) => thrown))
})
