import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint, Registered } from '@svc/engine/ports'
import { roundRobin } from './round-robin.ts'

const endpoints = ['a', 'b', 'c'].map(
  (id): Endpoint => ({ id, kind: 'native', healthy: true, in_flight: 0, invoke: () => ({ data: {} }) }),
)

const of = (id: string) => ({ facts: { id } }) as Registered

test('each endpoint in turn, whoever asks', () => {
  const balancer = roundRobin()
  const chosen = Array.from({ length: 7 }, (_, i) => balancer.choose(of('TRY'), `tenant-${i}`, endpoints)?.id)
  assert.deepEqual(chosen, ['a', 'b', 'c', 'a', 'b', 'c', 'a'])
})

test('every protocol has its own turn', () => {
  const balancer = roundRobin()
  assert.equal(balancer.choose(of('TRY'), 'acme', endpoints)?.id, 'a')
  assert.equal(balancer.choose(of('MAX'), 'acme', endpoints)?.id, 'a')
  assert.equal(balancer.choose(of('TRY'), 'acme', endpoints)?.id, 'b')
})

test('with fewer healthy ones it goes on among those', () => {
  const balancer = roundRobin()
  balancer.choose(of('TRY'), 'acme', endpoints)
  balancer.choose(of('TRY'), 'acme', endpoints)
  const two = endpoints.slice(0, 2)
  assert.deepEqual(
    [1, 2, 3].map(() => balancer.choose(of('TRY'), 'acme', two)?.id),
    ['a', 'b', 'a'],
  )
  assert.equal(balancer.choose(of('TRY'), 'acme', []), undefined)
})
