import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@redis/client'
import type { Allowance } from '@svc/engine/call'
import type { BucketSize } from '@svc/engine/limits/limits'
import fc from 'fast-check'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { heardOf, keysOfReport, type Report, redis_clock, redisScript, wordsOf } from '../redis/script.ts'
import { type Answer, argumentsOf, keysOf, type ScriptArguments } from './limit-script.ts'
import { memoryLimiter } from './memory.ts'
import { allowanceOf, monthOf } from './token-bucket.ts'

const day_ms = 86_400_000
/** The same script with a clock that the test controls. */
const clocked = redisScript('{ARGV[#ARGV - 1], ARGV[#ARGV]}')
let redis: TestRedis
let client: ReturnType<typeof createClient>

before(async () => {
  redis = await startRedis(['--save', '', '--appendonly', 'no'])
  client = createClient({ url: redis.url })
  client.on('error', () => {})
  await client.connect()
})
after(async () => {
  client.destroy()
  await redis.close()
})

const nothing_known = {
  start_at_ms: undefined,
  debt: 0,
  month: 0,
  month_used: 0,
  month_debt: 0,
  month_is_read: true,
} as const

let tenants = 0
const freshTenant = () => `t${tenants++}`

function run(
  tenant_id: string,
  protocol: string,
  now_ms: number,
  script_arguments: ScriptArguments,
): Promise<Answer> {
  const clock = [String(Math.floor(now_ms / 1000)), String((now_ms % 1000) * 1000)]
  return send(clocked, tenant_id, protocol, script_arguments, clock)
}

async function send(
  script: string,
  tenant_id: string,
  protocol: string,
  script_arguments: ScriptArguments,
  clock: readonly string[] = [],
): Promise<Answer> {
  const bucket = { keys: keysOf(tenant_id, protocol), words: argumentsOf(script_arguments) }
  const head = { number: 1, beginning: 'b', ended_fields: '', budget_counters: [], calls: [] }
  const report: Report = { ...head, buckets: [bucket] }
  const words = ['2', ...keysOfReport(report), ...wordsOf(report), ...clock]
  return heardOf(await client.sendCommand(['EVAL', script, ...words]), report)!.buckets[0]!
}

interface Step {
  readonly protocol: string
  readonly advance_ms: number
  readonly cost: number
  readonly take: boolean
}

const step: fc.Arbitrary<Step> = fc.record({
  protocol: fc.constantFrom('MAX', 'MIM'),
  // Eighths of a second and such refills add up exactly, so that the answers can be compared exactly.
  advance_ms: fc.oneof({ weight: 8, arbitrary: fc.nat(16) }, fc.nat(160 * 86_400)).map((n) => n * 125),
  cost: fc.integer({ min: 1, max: 4 }),
  take: fc.boolean(),
})
const size_of: fc.Arbitrary<BucketSize> = fc.record({
  capacity: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constant(6.5)),
  refill_per_s: fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constant(0.25)),
  month_max: fc.option(fc.integer({ min: 1, max: 20 })),
})

test('the script and the buckets in memory give the same answers', async () => {
  await fc.assert(
    fc.asyncProperty(size_of, fc.array(step, { maxLength: 40 }), async (size, steps) => {
      const clock = manualClock('2026-11-25T10:00:00.000Z')
      const limiter = memoryLimiter(clock)
      const tenant_id = freshTenant()
      const expected: Allowance[] = []
      const answers = steps.map(({ protocol, advance_ms, cost, take }) => {
        clock.advance(advance_ms)
        const now_ms = clock.now_ms()
        expected.push(limiter.take({ tenant_id, protocol }, size, cost, take) as Allowance)
        const script_arguments = {
          ...size,
          cost,
          takes: take ? 1 : 0,
          start: size.capacity,
          ...nothing_known,
        }
        return run(tenant_id, protocol, now_ms, script_arguments).then((answer) =>
          allowanceFrom(answer, size, cost),
        )
      })
      assert.deepEqual(await Promise.all(answers), expected)
    }),
    { numRuns: 60 },
  )
})

function allowanceFrom([outcome, tokens, _month, used, now_ms]: Answer, size: BucketSize, cost: number) {
  const quota_left = size.month_max === null ? Infinity : size.month_max - used
  const verdict = { allowed: outcome === 1, by_quota: outcome === 2, tokens: Number(tokens), quota_left }
  return allowanceOf(verdict, size, cost, Number(now_ms))
}

const plain = {
  capacity: 10,
  refill_per_s: 1,
  cost: 1,
  takes: 1,
  month_max: null,
  start: 10,
  ...nothing_known,
}
const noon_ms = Date.parse('2026-11-15T12:00:00.000Z')

test('the month of the script is that of the calendar', async () => {
  const times = [0, ...Array.from({ length: 300 }, (_, i) => i * 1_000_003 * 997 * 40)]
  const edges = [2027, 2028, 2100].flatMap((year) =>
    [0, 1, 2, 11].flatMap((month) => [Date.UTC(year, month, 1), Date.UTC(year, month, 1) - 1000]),
  )
  const months = await Promise.all(
    [...times, ...edges].map((now_ms) => run(freshTenant(), 'MAX', now_ms, { ...plain, month_max: 5 })),
  )
  assert.deepEqual(
    months.map(([, , month]) => month),
    [...times, ...edges].map(monthOf),
  )
})

test('a bucket that shrank is cut, and one that grew refills to its new size', async () => {
  const tenant = freshTenant()
  const tokensAt = async (now_ms: number, capacity: number) =>
    Number((await run(tenant, 'MAX', now_ms, { ...plain, capacity, start: capacity }))[1])
  assert.equal(await tokensAt(noon_ms, 100), 99)
  assert.equal(await tokensAt(noon_ms, 3), 2)
  assert.equal(await tokensAt(noon_ms + 5_000, 100), 6)
})

test('a Redis clock that goes back refills nothing and stops nothing', async () => {
  const tenant = freshTenant()
  const at = async (now_ms: number, more = {}) => run(tenant, 'MAX', now_ms, { ...plain, cost: 10, ...more })
  assert.equal((await at(noon_ms))[0], 1)
  assert.equal((await at(noon_ms - 3_600_000, { cost: 1 }))[0], 0)
  assert.equal(
    (await at(noon_ms - 3_600_000, { cost: 1, debt: 1 }))[0],
    0,
    'stored at the time that counts now',
  )
  assert.equal((await at(noon_ms - 3_600_000 + 2_000, { cost: 1 }))[0], 1)
  const month = { month_max: 1, cost: 1, start: 10 }
  const other = freshTenant()
  const first_ms = Date.UTC(2026, 11, 1)
  assert.equal((await run(other, 'MAX', first_ms, { ...plain, ...month }))[0], 1)
  assert.equal((await run(other, 'MAX', first_ms - day_ms, { ...plain, ...month }))[0], 2)
})

test("a replica's knowledge replaces what Redis lost", async () => {
  const tenant = freshTenant()
  const month = monthOf(noon_ms)
  const script_arguments = { ...plain, month_max: 100, month_is_read: false }
  const [outcome, , reply_month] = await run(tenant, 'MAX', noon_ms, script_arguments)
  assert.deepEqual([outcome, reply_month], [3, month], 'nothing is given before the saved count was read')
  assert.equal(await client.exists(keysOf(tenant, 'MAX')), 0)
  const replica_state = {
    month,
    month_used: 90,
    month_debt: 4,
    month_is_read: true,
    start: 2,
    start_at_ms: noon_ms - 1_000,
  }
  const [, tokens, , used] = await run(tenant, 'MAX', noon_ms, { ...script_arguments, ...replica_state })
  assert.deepEqual([tokens, used], ['2', 95], 'two seen, one earned since, one taken; four owed, one more')
  const later = { ...script_arguments, start: 10, month, month_used: 50, debt: 1 }
  assert.deepEqual((await run(tenant, 'MAX', noon_ms, later)).slice(0, 4), [1, '0', month, 96])
  const elsewhen = { ...later, debt: 0, month: month + 1, month_used: 99, cost: 2 }
  const [, , , unmoved] = await run(tenant, 'MAX', noon_ms, elsewhen)
  assert.equal(unmoved, 96, "an engine's count of another month does not matter")
})

test('concurrent calls are judged as if they had come in sequence', async () => {
  const takes_of = fc.integer({ min: 1, max: 12 })
  await fc.assert(
    fc.asyncProperty(size_of, fc.integer({ min: 1, max: 4 }), takes_of, async (size, cost, takes) => {
      const script_arguments = { ...size, cost, start: size.capacity, ...nothing_known }
      const [together, apart] = [freshTenant(), freshTenant()]
      const at_once = await run(together, 'MAX', noon_ms, { ...script_arguments, takes })
      const singles: Answer[] = []
      for (let i = 0; i < takes; i++)
        singles.push(await run(apart, 'MAX', noon_ms, { ...script_arguments, takes: 1 }))
      const [outcome, tokens, month, used, , allowed] = at_once
      const last = singles.at(-1)!
      // Without a monthly quota it is only a number of this answer.
      const used_then = size.month_max === null ? used : last[3]
      assert.deepEqual([outcome, tokens, month, used], [last[0], last[1], last[2], used_then])
      assert.equal(allowed, singles.filter((single) => single[0] === 1).length)
      const [one, other] = [keysOf(together, 'MAX'), keysOf(apart, 'MAX')]
      assert.deepEqual(await client.mGet(one), await client.mGet(other))
    }),
    { numRuns: 60 },
  )
})

test('invalid values are ignored, and keys without information are deleted', async () => {
  const tenant = freshTenant()
  const [bucket, month] = keysOf(tenant, 'MAX')
  for (const junk of ['x', '1', ':', 'a:b', '']) {
    await client.set(bucket, junk)
    await client.set(month, junk)
    assert.equal((await run(tenant, 'MAX', noon_ms, { ...plain, month_max: 5 }))[0], 1, junk)
  }
  await client.del([bucket, month])
  await client.rPush(bucket, 'a list')
  assert.equal((await run(tenant, 'MAX', noon_ms, { ...plain, cost: 4, month_max: 5 }))[0], 1)
  const [bucket_ms, month_ms] = [await client.pTTL(bucket), await client.pTTL(month)]
  assert.ok(bucket_ms > 3_000 && bucket_ms <= 5_000, `${bucket_ms}`)
  assert.ok(month_ms > 31 * day_ms && month_ms <= 32 * day_ms)
  await run(tenant, 'MIM', noon_ms, { ...plain, takes: 0 })
  assert.equal(await client.exists(keysOf(tenant, 'MIM')[0]), 0, 'a check stores nothing')
})

test("the clock is Redis' own", async () => {
  const [before_s] = await client.sendCommand<[string, string]>(['TIME'])
  const answer = await send(redisScript(redis_clock), freshTenant(), 'MAX', plain)
  const [after_s] = await client.sendCommand<[string, string]>(['TIME'])
  const said_s = Number(answer[4]) / 1000
  assert.ok(said_s >= Number(before_s) && said_s <= Number(after_s) + 1)
})
