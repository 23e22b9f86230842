import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SimulationRedis } from '../redis.ts'
import type { World } from '../world.ts'
import { LimitsModel } from './limits-model.ts'
import type { Attempt, DispatchModel } from './model.ts'

const bucket = { tenant_id: 'limited', capacity: 6, refill_per_s: 0.2 }
const budget = { tenant_id: 'poor', limit_micro_usd: 1, worst_micro_usd: 1 }

/** Two engines that registered in the first millisecond; the first counted last at `counted_ms`, then loses Redis, and 11 calls are admitted. */
async function check(counted_ms: number): Promise<void> {
  const rows = [
    { replica_id: 'one', seen_ms: 0 },
    { replica_id: 'two', seen_ms: 0 },
  ]
  const database = { changes: 0, control: { query: async () => ({ rows }) } }
  const world = { now_ms: 0, processes: new Map(), database }
  const attempts = new Map<string, Attempt>()
  const model = { attempts, spent_quanta: new Map(), underWay: () => [], uncommitted: () => 0 }
  const limits = new LimitsModel(
    world as unknown as World,
    { losses: 0 } as SimulationRedis,
    model as unknown as DispatchModel,
    bucket,
    budget,
  )
  limits.register('one', 'engine-1')
  limits.register('two', 'engine-2')
  await limits.check()
  world.now_ms = counted_ms
  database.changes++
  rows[0]!.seen_ms = counted_ms
  await limits.check()
  limits.redisChanged('engine-1', false)
  for (let i = 0; i < 11; i++)
    attempts.set(`${i}`, { tenant_id: 'limited', handler_began_ms: counted_ms } as Attempt)
  await limits.check()
}

test('an engine that counted the others in the millisecond in which one registered may not know it', async () => {
  await check(0)
})

test('an engine that has counted the others since gives out its share only', async () => {
  await assert.rejects(check(1_000), /11 calls of limited were admitted, at most 10\.2/)
})
