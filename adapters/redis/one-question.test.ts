// A token and its budget in one question to a real Redis: only a call that gets the token reserves.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Allowance, Take } from '@svc/engine/call'
import fc from 'fast-check'
import { type FaultProxy, startFaultProxy } from '../../checks/neighbours/fault-proxy.ts'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { redisCounters } from '../budget-counters/redis.ts'
import { localShare } from '../rate-limit/local-share.ts'
import { monthCalls } from '../rate-limit/month-calls.ts'
import { redisLimiter } from '../rate-limit/redis.ts'
import { openRedisLink, type RedisLink } from './link.ts'
import { redis_clock, redisScript } from './script.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
let redis: TestRedis
let proxy: FaultProxy

before(async () => {
  redis = await startRedis(['--save', '', '--appendonly', 'no'])
  proxy = await startFaultProxy(redis.port)
})
after(async () => {
  await proxy.close()
  await redis.close()
})

let opened = 0
async function open(t: TestContext) {
  const tenant_id = `tenant-${opened++}`
  const link: RedisLink = openRedisLink(
    `redis://127.0.0.1:${proxy.port}`,
    redisScript(redis_clock),
    quiet,
    () => budget_counters.returned(),
  )
  t.after(() => link.close())
  const counted = { trips: 0, fallbacks: 0 }
  /** The next question is replaced by this one, so that its reply is that of another report. */
  const swapped: { words?: readonly string[] } = {}
  const budget_counters = redisCounters({
    link: {
      isUp: () => link.isUp(),
      run(keys, words, read) {
        counted.trips++
        const sent = swapped.words ?? words
        delete swapped.words
        return link.run(keys, sent, read)
      },
    },
    log: quiet,
    read: async () => ({ quanta: 0n, calls: 0n }),
    settled: async () => {},
    replica_id: `r${opened}`,
    journal_id: `j${opened}`,
    replicas: () => 1,
    onFallback: () => {},
  })
  const months = monthCalls()
  const limiter = redisLimiter({
    lines: budget_counters.lines,
    isUp: () => link.isUp(),
    reserving: (tenant, takes) => budget_counters.reserving(tenant, takes),
    share: localShare(manualClock('2026-11-18T10:00:00.000Z'), () => 1, months),
    months,
    saved: { read: async (tenant, month) => months.raise(tenant, month, 0) },
    onFallback: () => counted.fallbacks++,
  })
  await link.tried
  const size = { capacity: 10, refill_per_s: 0.001, month_max: null }
  const ask = async (amount: bigint | undefined, more = {}): Promise<Allowance> =>
    limiter.take({ tenant_id, protocol: 'MAX' }, { ...size, ...more }, 1, true, () =>
      amount === undefined ? undefined : [takeOf(amount)],
    )
  const reserved = async () => {
    const { reserved_micro_usd } = await budget_counters.state(tenant_id, 'runway')
    return reserved_micro_usd
  }
  return { tenant_id, budget_counters, limiter, ask, reserved, counted, size, swapped, link }
}

function takeOf(amount: bigint): Take {
  return { budget_counter: 'runway', limit: 100n, amount, counts: 'usd' }
}

/** `no token`, `reserved`, `no budget`, or `token` where the budget was not asked for. */
function verdictOf({ allowed, reservation }: Allowance): string {
  if (!allowed) return 'no token'
  if (!reservation) return 'token'
  return reservation.lacking ? 'no budget' : 'reserved'
}

test('one question takes tokens and reserves budgets, in the order of the calls', async (t) => {
  const { ask, reserved, counted } = await open(t)
  assert.equal(
    verdictOf(await ask(20n)),
    'token',
    'Redis has no such counter yet: its question comes with stage 5',
  )
  assert.equal(await reserved(), 0n)
  counted.trips = 0
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(20n)))
  assert.equal(counted.trips, 1)
  assert.deepEqual(answers.map(verdictOf), [
    ...Array(5).fill('reserved'),
    ...Array(4).fill('no budget'),
    ...Array(3).fill('no token'),
  ])
  assert.equal(await reserved(), 100n)
})

test('calls without a token reserve nothing, however many they are', async (t) => {
  const { tenant_id, budget_counters, limiter, size, ask, reserved } = await open(t)
  await budget_counters.state(tenant_id, 'runway')
  const flood = Array.from({ length: 400 }, () => ask(5n))
  const other = limiter.take({ tenant_id, protocol: 'MIM' }, size, 1, true, () => [takeOf(50n)])
  const is_allowed = (await Promise.all(flood)).map(({ allowed }) => allowed)
  assert.equal(is_allowed.filter(Boolean).length, 10)
  assert.equal(verdictOf(await other), 'reserved', 'in the same question, and all that ten calls left')
  assert.equal(await reserved(), 100n)
})

test('where a bucket was empty at the last look, later stages are not judged ahead', async (t) => {
  const { tenant_id, limiter, size, ask } = await open(t)
  await Promise.all(Array.from({ length: 11 }, () => ask(undefined)))
  const planned = t.mock.fn(() => [takeOf(1n)])
  const late = await limiter.take({ tenant_id, protocol: 'MAX' }, size, 1, true, planned)
  assert.deepEqual([late.allowed, planned.mock.callCount()], [false, 0])
})

test('a month that Redis does not know is read first, and the budget reserved once', async (t) => {
  const { tenant_id, budget_counters, ask, reserved } = await open(t)
  await budget_counters.state(tenant_id, 'runway')
  const answers = await Promise.all(Array.from({ length: 3 }, () => ask(20n, { month_max: 2 })))
  assert.deepEqual(answers.map(verdictOf), ['reserved', 'reserved', 'no token'])
  assert.equal(await reserved(), 40n)
})

test('while Redis is silent a share is given, and nothing counts as reserved', async (t) => {
  const { tenant_id, budget_counters, ask, reserved, counted } = await open(t)
  await budget_counters.state(tenant_id, 'runway')
  proxy.set({ silent: true })
  t.after(() => proxy.set({}))
  const answers = await Promise.all([ask(20n), ask(20n)])
  assert.deepEqual([answers.map(verdictOf), counted.fallbacks], [['token', 'token'], 2])
  proxy.set({})
  assert.equal(await reserved(), 0n)
})

test('the reply to another question is no answer, and the connection it came on is given up', async (t) => {
  const { ask, counted, swapped, link } = await open(t)
  assert.equal(verdictOf(await ask(undefined)), 'token')
  swapped.words = ['77', 'b', '', '0', '0', '0']
  assert.equal(verdictOf(await ask(undefined)), 'token', 'from the share of this engine')
  assert.deepEqual([counted.fallbacks, link.isUp()], [1, false])
  await eventually(() => assert.equal(link.isUp(), true))
  assert.deepEqual([(await ask(undefined)).remaining, counted.fallbacks], [7, 1], 'all three are counted')
})

test('asked together or one after the other, the verdicts are the same', async (t) => {
  const call = fc.record({
    amount: fc.option(fc.bigInt(0n, 40n), { nil: undefined }),
    protocol: fc.constantFrom('A', 'B'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 25 }), async (calls) => {
      const [together, apart] = [await open(t), await open(t)]
      for (const { tenant_id, budget_counters } of [together, apart])
        await budget_counters.state(tenant_id, 'runway')
      const take = (
        { limiter, tenant_id, size }: typeof together,
        { amount, protocol }: (typeof calls)[number],
      ) =>
        limiter.take({ tenant_id, protocol }, { ...size, capacity: 7 }, 1, true, () =>
          amount === undefined ? undefined : [takeOf(amount)],
        )
      const at_once = await Promise.all(calls.map(async (one) => verdictOf(await take(together, one))))
      const singly: string[] = []
      for (const one of calls) singly.push(verdictOf(await take(apart, one)))
      assert.deepEqual(at_once, singly)
      assert.equal(await together.reserved(), await apart.reserved())
    }),
    { numRuns: 25 },
  )
})
