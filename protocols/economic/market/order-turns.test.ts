import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { inTurn } from './order-turns.ts'

test('one order book runs one task at a time, in order of arrival, also after a failure', async () => {
  const log: string[] = []
  const work = (name: string) => async () => {
    log.push(`${name} begins`)
    await Promise.resolve()
    log.push(`${name} ends`)
    if (name === 'a') throw new Error('broken')
  }
  const [a] = await Promise.allSettled([
    inTurn('v', 'x/y', work('a')),
    inTurn('v', 'x/y', work('b')),
    inTurn('v', 'x/y', work('c')),
  ])
  assert.equal(a.status, 'rejected')
  assert.deepEqual(
    log,
    ['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
})

test('other order books do not wait, and a full queue is refused', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const waiting = Array.from({ length: 512 }, () => inTurn('v', 'busy/y', () => promise))
  assert.equal(await inTurn('v', 'idle/y', async () => 1), 1)
  assert.equal(await inTurn('w', 'busy/y', async () => 2), 2)
  await assert.rejects(
    inTurn('v', 'busy/y', async () => 3),
    (thrown: Refusal) => thrown instanceof Refusal && thrown.code === 'rate_limited',
  )
  resolve()
  await Promise.all(waiting)
  assert.equal(await inTurn('v', 'busy/y', async () => 4), 4)
})
