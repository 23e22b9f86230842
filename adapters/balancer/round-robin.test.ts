import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint, Registered } from '@svc/engine/routing/routing'
import fc from 'fast-check'
import { roundRobin } from './round-robin.ts'

const endpoint = (id: string, weight?: number): Endpoint => ({
  id,
  kind: 'external',
  healthy: true,
  weight,
  in_flight: 0,
  invoke: () => ({ data: {} }),
})
const endpoints = ['a', 'b', 'c'].map((id) => endpoint(id))
const newVersion = () => ({ balance: 'round-robin' }) as Registered

function chooser(registered = newVersion(), balancer = roundRobin()) {
  return (healthy: readonly Endpoint[], count: number) =>
    Array.from({ length: count }, (_, i) => balancer.choose(registered, `tenant-${i}`, healthy)?.id).join('')
}

test('each endpoint in turn, for all callers', () => assert.equal(chooser()(endpoints, 7), 'abcabca'))

test('every protocol version has its own sequence', () => {
  const balancer = roundRobin()
  const [one, other] = [chooser(newVersion(), balancer), chooser(newVersion(), balancer)]
  assert.deepEqual([one(endpoints, 1), other(endpoints, 1), one(endpoints, 1)], ['a', 'a', 'b'])
})

test('with fewer healthy endpoints it continues among those, and includes one that returns', () => {
  const choose = chooser()
  choose(endpoints, 2)
  assert.equal(choose(endpoints.slice(0, 2), 4), 'abab')
  assert.deepEqual([...choose(endpoints, 3)].sort(), ['a', 'b', 'c'])
  assert.equal(choose([], 1), '')
})

test('a heavier endpoint is chosen more often, interleaved with the others', () => {
  assert.equal(chooser()([endpoint('a', 5), endpoint('b', 1), endpoint('c', 1)], 7), 'aabacaa')
})

test('an endpoint of weight 0 is chosen only if it is the only one', () => {
  assert.equal(chooser()([endpoint('a', 0), endpoint('b')], 5), 'bbbbb')
  assert.equal(chooser()([endpoint('a', 0), endpoint('b', Number.NaN)], 4).length, 4)
})

test('in each run as long as the sum of weights every endpoint has exactly its share', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 }),
      fc.nat(5),
      (weights, rounds) => {
        const all = weights.map((weight, i) => endpoint(String(i), weight))
        const total = weights.reduce((sum, weight) => sum + weight, 0)
        const chosen = chooser()(all, total * (rounds + 1))
        for (let round = 0; round <= rounds; round++) {
          const run = [...chosen.slice(round * total, (round + 1) * total)]
          weights.forEach((weight, i) => {
            assert.equal(run.filter((id) => id === String(i)).length, weight)
          })
        }
      },
    ),
  )
})
