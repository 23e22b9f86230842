import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint, Registered } from '@svc/engine/routing/routing'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { leastRequest } from './least-request.ts'

const registered = { balance: 'least-request' } as Registered
const endpoint = (id: string, in_flight = 0, weight?: number): Endpoint => ({
  id,
  kind: 'external',
  healthy: true,
  weight,
  in_flight,
  invoke: () => ({ data: {} }),
})
const clock = manualClock('2026-11-15T10:00:00.000Z')
const choose = (healthy: readonly Endpoint[]) => leastRequest(clock).choose(registered, 'acme', healthy)

/** Keeps this many calls in flight: each new call ends the oldest. */
function share(healthy: readonly Endpoint[], under_way: number, calls: number): number[] {
  const queue: Endpoint[] = []
  const counts = healthy.map(() => 0)
  for (let i = 0; i < calls; i++) {
    const chosen = choose(healthy)!
    chosen.in_flight++
    counts[healthy.indexOf(chosen)]!++
    queue.push(chosen)
    if (queue.length > under_way) queue.shift()!.in_flight--
  }
  return counts.map((count) => count / calls)
}

test('of two candidates the less loaded for its weight is chosen', () => {
  assert.equal(choose([endpoint('a', 3), endpoint('b', 2)])?.id, 'b')
  assert.equal(choose([endpoint('a', 3, 4), endpoint('b', 2)])?.id, 'a')
  assert.equal(choose([endpoint('a')])?.id, 'a')
  assert.equal(choose([]), undefined)
})

test('an endpoint that hangs gets only what the others leave', () => {
  const hanging = endpoint('a', 50)
  const chosen = Array.from({ length: 300 }, () => choose([hanging, endpoint('b'), endpoint('c')])?.id)
  assert.ok(!chosen.includes('a'))
  assert.deepEqual([...new Set(chosen)].sort(), ['b', 'c'])
})

test('idle endpoints of equal weight are chosen equally', () => {
  const counts = new Map<string, number>()
  const idle = ['a', 'b', 'c', 'd'].map((id) => endpoint(id))
  for (let i = 0; i < 4_000; i++) {
    const { id } = choose(idle)!
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  for (const { id } of idle) assert.ok(Math.abs(counts.get(id)! - 1_000) < 150, `${id} ${counts.get(id)}`)
})

test('under load the calls follow the weights', () => {
  const shares = share([endpoint('a', 0, 1), endpoint('b', 0, 2), endpoint('c', 0, 5)], 80, 20_000)
  for (const [i, expected] of [1 / 8, 2 / 8, 5 / 8].entries())
    assert.ok(Math.abs(shares[i]! - expected) < 0.04, String(shares))
})
