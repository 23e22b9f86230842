import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { inTurn } from './order-turns.ts'

const engine = {}

test('one order book runs one task at a time, in order of arrival, also after a failure', async () => {
  const log: string[] = []
  const work = (name: string) => async () => {
    log.push(`${name} begins`)
    await Promise.resolve()
    log.push(`${name} ends`)
    if (name === 'a') throw new Error('broken')
  }
  const [a] = await Promise.allSettled([
    inTurn(engine, 'v', 'x/y', work('a')),
    inTurn(engine, 'v', 'x/y', work('b')),
    inTurn(engine, 'v', 'x/y', work('c')),
  ])
  assert.equal(a.status, 'rejected')
  assert.deepEqual(
    log,
    ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})

test('other order books do not wait, and a full queue is refused', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 512 }, () => inTurn(engine, 'v', 'busy/y', () => promise))
  assert.equal(await inTurn(engine, 'v', 'idle/y', async () => 1), 1)
  assert.equal(await inTurn(engine, 'w', 'busy/y', async () => 2), 2)
  await assert.rejects(
    inTurn(engine, 'v', 'busy/y', async () => 3),
    (thrown: Refusal) => thrown instanceof Refusal && thrown.code === 'rate_limited',
  )
  resolve()
  await Promise.all(waiting)
  assert.equal(await inTurn(engine, 'v', 'busy/y', async () => 4), 4)
})

test('engines of one process do not wait for each other here', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = inTurn(engine, 'v', 'x/y', () => promise)
  assert.equal(await inTurn({}, 'v', 'x/y', async () => 1), 1)
  resolve()
  await first
})
