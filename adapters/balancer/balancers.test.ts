import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Balance, Endpoint, Registered } from '@svc/engine/routing/routing'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { balancers } from './balancers.ts'

const endpoint = (id: string, in_flight: number): Endpoint => ({
  id,
  kind: 'external',
  healthy: true,
  in_flight,
  invoke: () => ({ data: {} }),
})

test('each registration uses its own balancer', () => {
  const balancer = balancers(manualClock('2026-11-15T10:00:00.000Z'))
  const both = [endpoint('busy', 9), endpoint('idle', 0)]
  const chosenBy = (balance: Balance) => {
    const registered = { balance } as Registered
    return Array.from({ length: 6 }, () => balancer.choose(registered, 'acme', both)?.id)
  }
  assert.deepEqual(chosenBy('round-robin'), ['busy', 'idle', 'busy', 'idle', 'busy', 'idle'])
  assert.deepEqual(new Set(chosenBy('least-request')), new Set(['idle']))
  assert.equal(new Set(chosenBy('tenant-hash')).size, 1)
})
