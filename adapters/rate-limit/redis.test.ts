import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { Allowance } from '@svc/engine/call'
import type { BucketSize } from '@svc/engine/limits/limits'
import { type FaultProxy, startFaultProxy } from '../../checks/neighbours/fault-proxy.ts'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { openRedisLink } from '../redis/link.ts'
import { redis_clock, redisScript } from '../redis/script.ts'
import { tenantLines } from '../redis/tenant-lines.ts'
import { localShare } from './local-share.ts'
import { monthCalls } from './month-calls.ts'
import { redisLimiter } from './redis.ts'
import { monthOf } from './token-bucket.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
/** Hardly refills, so that what was taken stays taken during the test. */
const size: BucketSize = { capacity: 10, refill_per_s: 0.001, month_max: null }
let redis: TestRedis
let proxy: FaultProxy

before(async () => {
  redis = await startRedis()
  proxy = await startFaultProxy(redis.port)
})
after(async () => {
  await proxy.close()
  await redis.close()
})

interface Options {
  readonly url?: string
  readonly replicas?: number
  /** The month's count in PostgreSQL. */
  readonly saved?: number
  /** False if Redis is not usable: otherwise its connection is waited for. */
  readonly usable?: boolean
}

let tenants = 0
async function open(t: TestContext, { url, replicas = 1, saved = 0, usable = true }: Options = {}) {
  const link = openRedisLink(url ?? `redis://127.0.0.1:${proxy.port}`, redisScript(redis_clock), quiet)
  t.after(() => link.close())
  await link.tried
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const months = monthCalls()
  const counted = { fallbacks: 0, reads: 0 }
  const store = {
    async read(tenant_id: string, month: number) {
      counted.reads++
      months.raise(tenant_id, month, saved)
    },
  }
  const run: typeof link.run = (keys, words, read) => link.run(keys, words, read)
  const lines = { replica_id: 'r', linkNumber: () => 1, endedFields: () => '', onMissing() {} }
  const limiter = redisLimiter({
    lines: tenantLines({ ...lines, link: { run } }),
    isUp: () => link.isUp(),
    reserving: () => undefined,
    share: localShare(clock, () => replicas, months),
    months,
    saved: store,
    onFallback: () => counted.fallbacks++,
  })
  const key = { tenant_id: `tenant-${tenants++}`, protocol: 'MAX' }
  const take = async (cost = 1, more: Partial<BucketSize> = {}, bucket = key): Promise<Allowance> =>
    limiter.take(bucket, { ...size, ...more }, cost, true)
  const isBack = () => eventually(() => assert.equal(limiter.health(), 'ok'))
  if (usable) await isBack()
  return { link, limiter, clock, months, counted, key, take, isBack }
}

test('two engines use one bucket, and a flushed script is sent again', async (t) => {
  const [one, other] = [await open(t), await open(t)]
  const both = [one.take, () => other.take(1, {}, one.key)]
  assert.equal((await both[0]!()).remaining, 9)
  assert.equal((await both[1]!()).remaining, 8)
  await redis.command('SCRIPT FLUSH')
  const all = await Promise.all(Array.from({ length: 12 }, (_, i) => both[i % 2]!()))
  assert.equal(all.filter(({ allowed }) => allowed).length, 8)
  assert.deepEqual([one.counted.fallbacks, other.counted.fallbacks], [0, 0])
})

test('calls of one turn are sent together, and each learns what was left after itself', async (t) => {
  const { take, link } = await open(t)
  const trips = t.mock.method(link, 'run')
  const answers = await Promise.all(Array.from({ length: 12 }, () => take()))
  assert.equal(trips.mock.callCount(), 1)
  assert.deepEqual(
    answers.map(({ allowed, remaining }) => (allowed ? remaining : 'refused')),
    [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 'refused', 'refused'],
  )
  await Promise.all([take(1), take(2), take(1, { capacity: 20 })])
  assert.equal(trips.mock.callCount(), 2, 'different requests too')
})

test('a check takes nothing, and a free call does not wait', async (t) => {
  const { limiter, key, take } = await open(t)
  await take(4)
  assert.equal((await limiter.take(key, size, 1, false)).remaining, 5)
  assert.equal((await limiter.take(key, size, 7, false)).allowed, false)
  const allowance = limiter.take(key, size, 0, false)
  assert.ok(!(allowance instanceof Promise))
  assert.deepEqual([allowance.allowed, allowance.limit, allowance.remaining], [true, 10, 6])
})

test('while Redis is silent only the first call waits, the share is given out, and then reported', async (t) => {
  const { limiter, key, take, counted, isBack } = await open(t, { replicas: 2 })
  assert.equal((await take(2)).remaining, 8)
  proxy.set({ silent: true })
  const asking = Array.from({ length: 3 }, () => limiter.take(key, size, 1, true))
  assert.ok(
    asking.every((allowance) => allowance instanceof Promise),
    'Redis is not known to be away yet',
  )
  const first = await Promise.all(asking)
  assert.ok(first.every(({ allowed }) => allowed))
  assert.equal(limiter.health(), 'degraded')
  const next = limiter.take(key, size, 1, true)
  assert.ok(!(next instanceof Promise), 'nobody waits for a Redis that is known to be away')
  assert.deepEqual(
    [next.allowed, next.limit, next.remaining],
    [true, 5, 0],
    'half of the eight that were left',
  )
  assert.deepEqual([(await take()).allowed, counted.fallbacks], [false, 5])
  proxy.set({})
  await isBack()
  // Eight were left, three asked without an answer, four given out meanwhile: Redis may have received the three after
  // all.
  const { remaining, limit } = await take()
  assert.ok(limit === 10 && (remaining === 3 || remaining === 0), `${remaining}`)
})

test('a flushed Redis learns what was left, and what was used of the month', async (t) => {
  const { take, months, counted, key } = await open(t, { saved: 90 })
  const quota = { month_max: 100 }
  assert.deepEqual([(await take(7, quota)).remaining, counted.reads], [3, 1])
  assert.equal((await take(1, quota)).remaining, 2)
  assert.equal(months.known(key.tenant_id)?.used, 92)
  await redis.command('FLUSHALL')
  assert.deepEqual([(await take(1, quota)).remaining, counted.reads], [1, 2])
  assert.equal(months.known(key.tenant_id)?.used, 93)
  await redis.command('FLUSHALL')
  const over = await Promise.all(Array.from({ length: 9 }, () => take(1, { ...quota, capacity: 1_000 })))
  assert.equal(over.filter(({ allowed }) => allowed).length, 1, 'what was left in the bucket')
  assert.equal(counted.fallbacks, 0)
})

test('calls of the month that only this engine counted are added in Redis when it is back', async (t) => {
  const { take, months, key, isBack } = await open(t)
  const quota = { month_max: 100 }
  await take(1, quota)
  proxy.set({ refusing: true })
  proxy.cut('reset')
  await eventually(async () => assert.equal((await take(1, quota)).limit, 10))
  const local = months.known(key.tenant_id)!
  assert.ok(local.unsaved >= 1)
  proxy.set({})
  await isBack()
  await take(1, quota)
  assert.deepEqual(months.known(key.tenant_id), { ...local, used: local.used + 1, unsaved: 0 })
  const text = await redis.command(`GET svc:{${key.tenant_id}}:month`)
  assert.ok(text.endsWith(`:${local.used + 1}`), text)
})

test('the share of a month: all engines together give what is left of it', async (t) => {
  const { take, months, key, clock } = await open(t, {
    url: 'redis://127.0.0.1:1',
    usable: false,
    replicas: 4,
  })
  months.raise(key.tenant_id, monthOf(clock.now_ms()), 60)
  const size_left = { month_max: 100, capacity: 1_000, refill_per_s: 1_000 }
  const answers = []
  for (let i = 0; i < 20; i++) answers.push(await take(1, size_left))
  assert.equal(answers.filter(({ allowed }) => allowed).length, 10)
  assert.equal(answers[10]!.reason, 'monthly quota used')
})

test('a Redis that cannot be reached, refuses the password or takes no writes is not used', async (t) => {
  const unreachable = await open(t, { url: 'redis://127.0.0.1:1', usable: false })
  const secret = await startRedis()
  t.after(() => secret.close())
  await secret.command('CONFIG SET requirepass right')
  const wrong = await open(t, { url: secret.url.replace('//', '//:wrong@'), usable: false })
  await open(t, { url: secret.url.replace('//', '//:right@') })
  for (const { take, limiter } of [unreachable, wrong]) {
    assert.equal(limiter.health(), 'degraded')
    const answers = await Promise.all(Array.from({ length: 30 }, () => take()))
    assert.equal(answers.filter(({ allowed }) => allowed).length, 10)
  }
  await redis.command('CONFIG SET maxmemory 1')
  const full = await open(t, { usable: false })
  assert.equal(full.limiter.health(), 'degraded')
  await redis.command('CONFIG SET maxmemory 0')
  await full.isBack()
})
