// How many may follow at once: of one agent, of one organization, and in all.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { enterFollower } from './followers.ts'

const agentOf = (tenant_id: string) => newIdentity(tenant_id, 'agent').did
const full = {
  code: 'rate_limited',
  details: { reason: 'too many followers', retry_after_ms: 5_000 },
}

function enter(engine: object, did: string, count: number): (() => void)[] {
  return Array.from({ length: count }, () => enterFollower(engine, did))
}

test('an agent has 16 places at an engine, and who leaves makes room', () => {
  const [engine, ann] = [{}, agentOf('acme')]
  const [leave] = enter(engine, ann, 16)
  assert.throws(() => enterFollower(engine, ann), full)
  enterFollower({}, ann)
  leave!()
  leave!()
  enterFollower(engine, ann)
  assert.throws(() => enterFollower(engine, ann), full)
})

test('an organization has 64 places, and leaves those of others free, 256 in all', () => {
  const engine = {}
  for (const tenant_id of ['a', 'b', 'c', 'd']) {
    for (let agents = 0; agents < 4; agents++) enter(engine, agentOf(tenant_id), 16)
    assert.throws(() => enterFollower(engine, agentOf(tenant_id)), full)
  }
  assert.throws(() => enterFollower(engine, agentOf('e')), full)
})
