import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import type { PoolClient } from 'pg'
import { queueBefore } from './pool-queue.ts'

/** A pool of nothing: whoever asks waits until it is told. */
function openPool() {
  const waiting: PromiseWithResolvers<PoolClient>[] = []
  const connect = () => {
    const asked = Promise.withResolvers<PoolClient>()
    waiting.push(asked)
    return asked.promise
  }
  return { waiting, connect }
}

const client = {} as PoolClient

test('a line that moves may be as long as it likes', async () => {
  const pool = openPool()
  const queue = queueBefore(pool, 3_600_000)
  const asked = Array.from({ length: 500 }, () => queue.connect())
  for (const one of pool.waiting) one.resolve(client)
  assert.equal((await Promise.all(asked)).length, 500)
})

test('where the first has waited too long nobody joins, and once it is served they do', async () => {
  const pool = openPool()
  // A quarter of nothing has passed as soon as any time has.
  const queue = queueBefore(pool, 0)
  const first = queue.connect()
  await new Promise((resolve) => setImmediate(resolve))
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => queue.connect().catch((thrown: Refusal) => thrown)),
  )
  for (const refusal of refused) {
    assert.ok(refusal instanceof Refusal)
    assert.deepEqual([refusal.row.status, refusal.details.reason], [503, 'database busy'])
  }
  const waits = refused.map((refusal) => (refusal as Refusal).details.retry_after_ms!)
  assert.equal(new Set(waits).size, 20)
  assert.ok(Math.min(...waits) >= 500 && Math.max(...waits) < 2_000)
  assert.equal(pool.waiting.length, 1)
  pool.waiting[0]?.reject(new Error('no connection in time'))
  await assert.rejects(first, /no connection in time/)
  const next = queue.connect()
  pool.waiting[1]?.resolve(client)
  assert.equal(await next, client)
})
