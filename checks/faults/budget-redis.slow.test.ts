// Budgets while Redis is cut off, silent, flushed and restarted: afterwards its counters are exact and
// nothing stays reserved.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { redisCounters } from '@svc/adapters/budget-counters/redis'
import { openRedisLink } from '@svc/adapters/redis/link'
import { redis_clock, redisScript } from '@svc/adapters/redis/script'
import { microUsdAbove, quanta_per_micro_usd } from '@svc/contract/money/money'
import { Refusal } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import { type FaultProxy, startFaultProxy } from '../neighbours/fault-proxy.ts'
import { startRedis } from '../neighbours/test-redis.ts'
import { eventually } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'

const steps = is_long ? 6_000 : 400
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const limit = 100_000n
const engines_count = 3
/** Each engine rounds spending up and the committed part down; the base is rounded as well. */
const rounded_max = BigInt(2 * engines_count + 1)
/** By then double counts are corrected, see docs/economy.md. */
const healed_max = 20
const chance = openChance()

/** Records reach PostgreSQL with a delay; other engines see them only from there. */
function openEngine(t: TestContext, proxy: FaultProxy, place: number, database: { quanta: bigint }) {
  const audit_log: bigint[] = []
  const counted = { fallbacks: 0, spent: 0n, reserved: 0n }
  const script = redisScript(redis_clock)
  const link = openRedisLink(`redis://127.0.0.1:${proxy.port}`, script, quiet, () =>
    budget_counters.returned(),
  )
  t.after(() => link.close())
  const budget_counters = redisCounters({
    link,
    log: quiet,
    read: async () => ({ quanta: database.quanta, calls: 0n }),
    settled: async () => {
      await pace(1)
      for (const quanta of audit_log.splice(0)) database.quanta += quanta
    },
    replica_id: `engine-${place}`,
    journal_id: `journal-${place}`,
    replicas: () => engines_count,
    onFallback: () => counted.fallbacks++,
  })
  const call = async (amount: bigint) => {
    const takes: Take[] = [{ budget_counter: 'runway', limit, amount, counts: 'usd' }]
    try {
      if (await budget_counters.reserve('tenant', takes, true)) return
    } catch (error) {
      // While Redis is away an engine has only its share.
      if (error instanceof Refusal && error.code === 'unavailable') return
      throw error
    }
    counted.reserved += amount
    await pace(chance.below(20))
    const quanta = (amount * quanta_per_micro_usd * BigInt(chance.below(1_000))) / 999n
    counted.reserved -= amount
    counted.spent += quanta
    audit_log.push(quanta)
    budget_counters.settle('tenant', takes, quanta)
  }
  return { link, budget_counters, proxy, counted, call }
}

type Engine = ReturnType<typeof openEngine>

/** Injects a fault for one engine, or for all of them. */
async function disturb({ proxy }: Engine, redis: Awaited<ReturnType<typeof startRedis>>): Promise<void> {
  const kind = chance.below(8)
  if (kind === 0) proxy.cut('reset')
  if (kind === 1) proxy.set({ refusing: true })
  if (kind === 2) proxy.set({ silent: true })
  if (kind === 3) await redis.command('FLUSHALL')
  if (kind === 4) await redis.command('SAVE')
  if (kind === 5) {
    await redis.kill()
    await redis.start()
  }
  if (kind > 5) proxy.set({})
}

test('after any fault Redis has the exact amount spent once it is back', async (t) => {
  announce(t, import.meta.filename, steps, chance)
  const redis = await startRedis(['--appendonly', 'no'])
  t.after(() => redis.close())
  const database = { quanta: 0n }
  const engines: Engine[] = []
  for (let place = 0; place < engines_count; place++) {
    const proxy = await startFaultProxy(redis.port)
    t.after(() => proxy.close())
    engines.push(openEngine(t, proxy, place, database))
  }
  const under_way = new Set<Promise<void>>()
  for (let step = 0; step < steps; step++) {
    const engine = chance.pick(engines)
    const done = engine.call(BigInt(1 + chance.below(300))).finally(() => under_way.delete(done))
    under_way.add(done)
    if (chance.below(40) === 0) await disturb(engine, redis)
    if (chance.below(20) === 0) await engine.budget_counters.tell()
    if (chance.below(4) === 0) await pace(chance.below(10))
  }
  await Promise.all(under_way)
  for (const { proxy, link } of engines) {
    proxy.set({})
    await eventually(() => assert.ok(link.isUp()))
  }
  const spent = microUsdAbove(engines.reduce((sum, { counted }) => sum + counted.spent, 0n))
  for (let round = 0; round < healed_max; round++) {
    for (const { budget_counters } of engines) await settleDown(budget_counters)
    if (await isKnown(engines, spent)) break
  }
  assert.equal(microUsdAbove(database.quanta), spent)
  const fallbacks = engines.reduce((sum, { counted }) => sum + counted.fallbacks, 0)
  for (const { budget_counters } of engines) {
    const { spent_micro_usd, reserved_micro_usd } = await budget_counters.state('tenant', 'runway')
    const above = spent_micro_usd - spent
    assert.ok(above >= 0n && above <= rounded_max, `${above} more than the ${spent} that were spent`)
    assert.equal(reserved_micro_usd, 0n)
    report(t, { spent: Number(spent), above: Number(above), fallbacks })
  }
})

async function isKnown(engines: readonly Engine[], spent: bigint): Promise<boolean> {
  const states = await Promise.all(
    engines.map(({ budget_counters }) => budget_counters.state('tenant', 'runway')),
  )
  return states.every(({ spent_micro_usd }) => spent_micro_usd - spent <= rounded_max)
}

async function settleDown(budget_counters: Engine['budget_counters']) {
  await budget_counters.tell()
  await budget_counters.quiet()
}
