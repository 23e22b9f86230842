import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import type { Pool, PoolClient } from 'pg'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { PoolQueue } from './pool-queue.ts'

/** The part of a pool that the queue uses. */
class TestPool extends EventEmitter {
  fault: Error | undefined

  async connect(): Promise<PoolClient> {
    if (this.fault) throw this.fault
    return {} as PoolClient
  }

  giveBack(client: PoolClient): void {
    this.emit('release', undefined, client)
  }
}

function openQueue(wait_ms_max: number, pool_max = 1) {
  const pool = new TestPool()
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const queue = new PoolQueue(pool as unknown as Pool, pool_max, wait_ms_max, clock)
  /** Who was served, in order; whoever is refused is there with the reason. */
  const served: string[] = []
  const using: PoolClient[] = []
  const connect = (name: string, tenant_id = 'acme') =>
    queue.connect(tenant_id).then(
      (client) => {
        served.push(name)
        using.push(client)
      },
      (error) => served.push(`${name}: ${error instanceof Refusal ? error.details.reason : error.message}`),
    )
  const giveBack = async () => {
    pool.giveBack(using.shift()!)
    await new Promise(setImmediate)
  }
  return { pool, clock, queue, served, using, connect, giveBack }
}

test('a moving line may have any length', async () => {
  const { connect, giveBack, served, using } = openQueue(3_600_000)
  const connecting = Array.from({ length: 500 }, (_, i) => connect(String(i)))
  await new Promise(setImmediate)
  while (using.length > 0) await giveBack()
  await Promise.all(connecting)
  assert.deepEqual(
    served,
    Array.from({ length: 500 }, (_, i) => String(i)),
  )
})

test('while the first has waited too long nobody joins its line; afterwards they do', async () => {
  const { clock, connect, giveBack, queue, served } = openQueue(10_000)
  await connect('using')
  const first = connect('first')
  clock.advance(5_001)
  const refused: unknown[] = await Promise.all(
    Array.from({ length: 20 }, () => queue.connect('acme').catch((thrown) => thrown)),
  )
  const waits = refused.map((refusal) => {
    assert.ok(refusal instanceof Refusal)
    assert.deepEqual([refusal.row.status, refusal.details.reason], [503, 'database busy'])
    return refusal.details.retry_after_ms!
  })
  assert.equal(new Set(waits).size, 20, 'they are not sent back all at the same moment')
  assert.ok(Math.min(...waits) >= 500 && Math.max(...waits) < 2_000)
  await giveBack()
  await first
  const next = connect('next')
  await giveBack()
  await next
  assert.deepEqual(served, ['using', 'first', 'next'])
})

test('as many wait as can be served in time, by the average use of a connection', async () => {
  const { clock, connect, giveBack, queue, using } = openQueue(20_000, 10)
  await Promise.all(Array.from({ length: 10 }, (_, i) => connect(String(i))))
  clock.advance(50)
  let joined = 0
  let refused: unknown
  while (refused === undefined && joined < 100_000) {
    queue.connect('acme').catch((thrown) => {
      refused = thrown
    })
    joined++
    await new Promise(setImmediate)
  }
  assert.ok(refused instanceof Refusal && refused.details.reason === 'database busy')
  // Ten seconds of patience for ten connections, each in use for 50 ms: 2,000 may wait, the next is refused.
  assert.equal(joined, 2_002)
  // Its usage time is known now.
  while (using.length > 0) await giveBack()
  await assert.rejects(queue.connect('acme'), Refusal)
})

test('a tenant with a long line neither holds up the others nor has them refused', async () => {
  const { clock, connect, giveBack, queue, served, using } = openQueue(20_000, 2)
  const flood = Array.from({ length: 100 }, (_, i) => connect(`flood ${i}`, 'flood'))
  await new Promise(setImmediate)
  clock.advance(4_000)
  const others = [connect('one', 'one'), connect('one again', 'one'), connect('two', 'two')]
  await connect('flood late', 'flood')
  assert.equal(queue.waiting, 101)
  assert.deepEqual(served, ['flood 0', 'flood 1', 'flood late: database busy'])
  for (let turn = 0; turn < 5; turn++) await giveBack()
  assert.deepEqual(served.slice(3), ['one', 'flood 2', 'two', 'one again', 'flood 3'])
  while (using.length > 0) await giveBack()
  await Promise.all([...others, ...flood])
  assert.equal(served.length, 104)
})

test('a connection that cannot be opened leaves its place to the next', async () => {
  const { pool, connect, served } = openQueue(1_000)
  pool.fault = new Error('the server is away')
  await Promise.all([connect('first'), connect('second')])
  assert.deepEqual(served, ['first: the server is away', 'second: the server is away'])
  pool.fault = undefined
  await connect('third')
  assert.equal(served.at(-1), 'third')
})
