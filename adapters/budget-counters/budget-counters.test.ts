import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { microUsdAbove, quanta_per_micro_usd } from '@svc/contract/money/money'
import type { Take } from '@svc/engine/call'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import { openReservations } from '@svc/engine/limits/reservations'
import fc from 'fast-check'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { openRedisLink, type RedisLink } from '../redis/link.ts'
import { redis_clock, redisScript } from '../redis/script.ts'
import { memoryCounters } from './memory.ts'
import { type RedisCounters, redisCounters } from './redis.ts'
import type { TruthParts } from './truth.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const names = ['runway', 'envelope/e/2026-11-15', 'envelope/e/2026-11', 'hour/2026-11-15T10/did/cap'] as const
type Name = (typeof names)[number]
const counts_of = (counter: Name) => (counter.startsWith('hour') ? 'calls' : 'usd')
let redis: TestRedis
const links: RedisLink[] = []

before(async () => {
  redis = await startRedis(['--save', '', '--appendonly', 'no'])
  for (let i = 0; i < 2; i++) links.push(openRedisLink(redis.url, redisScript(redis_clock), quiet))
  await Promise.all(links.map(({ tried }) => tried))
})
after(async () => {
  for (const link of links) link.close()
  await redis.close()
})

/** Stands for PostgreSQL: records are committed later than they are made. */
function openWorld() {
  const committed = new Map<string, { quanta: bigint; calls: bigint }>()
  const replica = () => {
    const uncommitted: { readonly takes: readonly Take[]; readonly quanta: bigint }[] = []
    const commit = () => {
      for (const { takes, quanta } of uncommitted.splice(0)) {
        for (const { budget_counter } of takes) {
          const total = committed.get(budget_counter) ?? { quanta: 0n, calls: 0n }
          committed.set(budget_counter, { quanta: total.quanta + quanta, calls: total.calls + 1n })
        }
      }
    }
    const truth: TruthParts = {
      read: async (_, budget_counter) => committed.get(budget_counter) ?? { quanta: 0n, calls: 0n },
      settled: async () => commit(),
    }
    return { truth, commit, uncommitted }
  }
  return { replica }
}

type Replica = ReturnType<ReturnType<typeof openWorld>['replica']>
interface Engine {
  readonly budget_counters: BudgetCounters & Partial<RedisCounters>
  readonly replica: Replica
}

let replicas_opened = 0
const memoryEngines = (): Engine[] => {
  const replica = openWorld().replica()
  return [{ replica, budget_counters: memoryCounters(replica.truth) }]
}
const redisEngines = (): Engine[] => {
  const world = openWorld()
  return links.map((link) => {
    const replica = world.replica()
    const more = { link, log: quiet, replicas: () => links.length, onFallback: () => assert.fail('away') }
    const replica_id = `r${replicas_opened++}`
    return {
      replica,
      budget_counters: redisCounters({ ...replica.truth, ...more, replica_id, journal_id: replica_id }),
    }
  })
}

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      engine: fc.nat(1),
      budget_counters: fc.subarray([...names], { minLength: 1 }),
      amount: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 30n })),
      take: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(50),
      part: fc.bigInt({ min: 0n, max: quanta_per_micro_usd }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('commit' as const), engine: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('tell' as const), engine: fc.nat(1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      budget_counter: fc.constantFrom(...names),
      limit: fc.bigInt({ min: 0n, max: 200n }),
    }),
  },
)
const steps_of = fc.array(step, { minLength: 10, maxLength: 60, size: 'max' })
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** A naive model: it adds everything up again for every question. */
class Model {
  readonly limits = new Map<Name, bigint>(names.map((name) => [name, name.startsWith('hour') ? 12n : 60n]))
  readonly open: { readonly engine: Engine; readonly takes: readonly Take[] }[] = []
  readonly spent = new Map<string, bigint>()

  add(budget_counter: string, amount: bigint): void {
    this.spent.set(budget_counter, (this.spent.get(budget_counter) ?? 0n) + amount)
  }
  reserved(budget_counter: string): bigint {
    const parts = this.open.flatMap(({ takes }) =>
      takes.filter((one) => one.budget_counter === budget_counter),
    )
    return parts.reduce((sum, { amount, counts }) => sum + (counts === 'usd' ? amount : 0n), 0n)
  }
  room({ budget_counter, limit, counts }: Take): bigint {
    const spent = this.spent.get(budget_counter) ?? 0n
    return limit - (counts === 'usd' ? microUsdAbove(spent) : spent) - this.reserved(budget_counter)
  }
  takes({ budget_counters, amount }: { budget_counters: readonly Name[]; amount: bigint }): Take[] {
    const bound =
      amount === 0n ? budget_counters.filter((counter) => counts_of(counter) === 'usd') : budget_counters
    return bound.map((counter) => {
      const counts = counts_of(counter)
      return {
        budget_counter: counter,
        limit: this.limits.get(counter)!,
        amount: counts === 'usd' ? amount : 1n,
        counts,
      }
    })
  }
  settle(which: number, part: bigint, tenant: string): Engine | undefined {
    const [ended] = this.open.splice(which % Math.max(1, this.open.length), 1)
    if (!ended) return undefined
    const { engine, takes } = ended
    const amount = takes.find(({ counts }) => counts === 'usd')?.amount ?? 0n
    const quanta = (amount === 0n ? 9n : amount) * part
    engine.replica.uncommitted.push({ takes, quanta })
    engine.budget_counters.settle(tenant, takes, quanta)
    for (const { budget_counter, counts } of takes) if (counts === 'usd') this.add(budget_counter, quanta)
    return engine
  }
}

let tenants = 0
async function holdAgainstModel(engines: readonly Engine[], steps: readonly Step[], slack: bigint) {
  const tenant = `model-${tenants++}`
  const model = new Model()
  for (const done of steps) {
    const engine = 'engine' in done ? engines[done.engine % engines.length]! : engines[0]!
    if (done.kind === 'limit') model.limits.set(done.budget_counter, done.limit)
    if (done.kind === 'commit') engine.replica.commit()
    if (done.kind === 'tell') await engine.budget_counters.tell?.()
    if (done.kind === 'settle') await model.settle(done.which, done.part, tenant)?.budget_counters.quiet?.()
    if (done.kind !== 'reserve') continue
    const takes = model.takes(done)
    const lacking = await engine.budget_counters.reserve(tenant, takes, done.take)
    if (lacking) {
      assert.ok(takes.includes(lacking) && lacking.amount > 0n)
      const more = lacking.counts === 'usd' ? slack : 0n
      assert.ok(
        model.room(lacking) < lacking.amount + more,
        `refused, though ${model.room(lacking)} are left`,
      )
      continue
    }
    for (const take of takes)
      assert.ok(take.amount === 0n || model.room(take) >= take.amount, take.budget_counter)
    if (!done.take) continue
    for (const { budget_counter, counts } of takes) if (counts === 'calls') model.add(budget_counter, 1n)
    model.open.push({ engine, takes })
  }
  while (model.open.length > 0) await model.settle(0, 0n, tenant)?.budget_counters.quiet?.()
  for (const { budget_counters } of engines) {
    for (const counter of names.filter((name) => counts_of(name) === 'usd')) {
      const { spent_micro_usd, reserved_micro_usd } = await budget_counters.state(tenant, counter)
      assert.equal(reserved_micro_usd, 0n)
      const above = spent_micro_usd - microUsdAbove(model.spent.get(counter) ?? 0n)
      assert.ok(above >= 0n && above <= slack, `${counter}: ${above} more than was spent`)
    }
  }
}

test('in memory: a call is admitted exactly if the budget allows it', async () => {
  await fc.assert(
    fc.asyncProperty(steps_of, (steps) => holdAgainstModel(memoryEngines(), steps, 0n)),
    { numRuns: 100 },
  )
})

test('two engines on one Redis: never above a limit, and refused only if the budget is used up', async () => {
  await fc.assert(
    fc.asyncProperty(steps_of, (steps) => holdAgainstModel(redisEngines(), steps, 2n)),
    { numRuns: 40 },
  )
})

/** Reserves, works, settles and repeats, without waiting for others. */
async function workAtOnce(engines: readonly Engine[], amounts: readonly bigint[], limit: bigint) {
  const tenant = `at-once-${tenants++}`
  const sums = { spent: 0n, reserved: 0n }
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const work = async (engine: Engine, amount: bigint, place: number) => {
    const takes: Take[] = [{ budget_counter: 'runway', limit, amount, counts: 'usd' }]
    if (await engine.budget_counters.reserve(tenant, takes, true)) return
    sums.reserved += amount
    assert.ok(microUsdAbove(sums.spent) + sums.reserved <= limit, 'above the limit')
    for (let turns = place % 5; turns > 0; turns--) await turn()
    const quanta = (amount * quanta_per_micro_usd * BigInt(place % 11)) / 11n
    sums.spent += quanta
    sums.reserved -= amount
    engine.replica.uncommitted.push({ takes, quanta })
    engine.budget_counters.settle(tenant, takes, quanta)
  }
  const workers = amounts.map(async (amount, place) => {
    const engine = engines[place % engines.length]!
    for (let again = 0; again < 4; again++) {
      await work(engine, amount, place + again)
      if (place % 7 === 0) await engine.budget_counters.tell?.()
    }
  })
  await Promise.all(workers)
  for (const { budget_counters } of engines) await budget_counters.quiet?.()
  for (const { budget_counters } of engines) {
    const { spent_micro_usd, reserved_micro_usd } = await budget_counters.state(tenant, 'runway')
    const above = spent_micro_usd - microUsdAbove(sums.spent)
    assert.ok(above >= 0n && above <= 2n, `${above} more than was spent`)
    assert.equal(reserved_micro_usd, 0n)
  }
}

test('concurrent calls in any order: never above the limit, and at rest nothing is reserved', async () => {
  const amounts_of = fc.array(fc.bigInt({ min: 1n, max: 40n }), { minLength: 5, maxLength: 40, size: 'max' })
  const limit_of = fc.bigInt({ min: 20n, max: 2_000n })
  await fc.assert(
    fc.asyncProperty(amounts_of, limit_of, async (amounts, limit) => {
      await workAtOnce(memoryEngines(), amounts, limit)
      await workAtOnce(redisEngines(), amounts, limit)
    }),
    { numRuns: 20 },
  )
})

test('calls that wait for each other on two engines all pass where the budget pays for all of them', async () => {
  const engines = redisEngines().map((engine) => ({ ...engine, reservations: openReservations() }))
  const tenant = `waiting-${tenants++}`
  const sums = { spent: 0n, reserved: 0n }
  // Forty calls cost 400 of the 1,000, and four worst cases at once fit.
  const takes: Take[] = [{ budget_counter: 'runway', limit: 1_000n, amount: 250n, counts: 'usd' }]
  const work = async (place: number) => {
    const { budget_counters, replica, reservations } = engines[place % engines.length]!
    const lacking = await budget_counters.reserve(tenant, takes, true)
    const refused = lacking && (await reservations.wait(budget_counters, tenant, takes, lacking))
    assert.equal(refused, undefined)
    sums.reserved += 250n
    assert.ok(sums.spent + sums.reserved <= 1_000n, 'above the limit')
    await new Promise((resolve) => setImmediate(resolve))
    sums.reserved -= 250n
    sums.spent += 10n
    const quanta = 10n * quanta_per_micro_usd
    replica.uncommitted.push({ takes, quanta })
    budget_counters.settle(tenant, takes, quanta)
  }
  await Promise.all(Array.from({ length: 40 }, (_, place) => work(place)))
  for (const { budget_counters } of engines) await budget_counters.quiet!()
  const spent = { spent_micro_usd: 400n, reserved_micro_usd: 0n }
  for (const { budget_counters } of engines)
    assert.deepEqual(await budget_counters.state(tenant, 'runway'), spent)
})

test('calls that were admitted and not charged stay counted after Redis lost its data', async () => {
  const [one, other] = redisEngines()
  const tenant = `calls-${tenants++}`
  const take: Take = { budget_counter: names[3], limit: 5n, amount: 1n, counts: 'calls' }
  const admit = async ({ budget_counters, replica }: Engine, is_charged: boolean) => {
    assert.equal(await budget_counters.reserve(tenant, [take], true), undefined)
    if (is_charged) replica.uncommitted.push({ takes: [take], quanta: 0n })
    budget_counters.settle(tenant, [take], 0n)
  }
  for (let calls = 0; calls < 2; calls++) await admit(other!, true)
  for (let calls = 0; calls < 3; calls++) await admit(one!, false)
  await other!.budget_counters.tell!()
  await other!.budget_counters.quiet!()
  await redis.command('FLUSHALL')
  assert.equal(await other!.budget_counters.calls(tenant, names[3]), 2n)
  for (let seconds = 0; seconds < 3; seconds++) {
    await one!.budget_counters.tell!()
    await one!.budget_counters.quiet!()
  }
  assert.deepEqual(await one!.budget_counters.reserve(tenant, [take], true), take)
})
