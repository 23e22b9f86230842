import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import type { Refusal } from '@svc/contract/refusal'
import type { Take } from '@svc/engine/call'
import { type FaultProxy, startFaultProxy } from '../../checks/neighbours/fault-proxy.ts'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { openRedisLink, type RedisLink } from '../redis/link.ts'
import { heardOf, keysOfReport, type Report, redis_clock, redisScript, wordsOf } from '../redis/script.ts'
import { counterKey, dead_after_ms } from './counter-script.ts'
import { redisCounters } from './redis.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const minute_ms = 60_000
const quantaOf = (micro_usd: bigint) => micro_usd * quanta_per_micro_usd
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

const take = (amount: bigint, limit = 100n, more: Partial<Take> = {}): Take => ({
  budget_counter: 'runway',
  limit,
  amount,
  counts: 'usd',
  ...more,
})

let opened = 0
/** One tenant's setup: a database with the committed spending, and engines with uncommitted records. */
function openWorld(t: TestContext, tenant = `tenant-${opened++}`) {
  const database = { quanta: 0n, calls: 0n, reads: 0, is_away: false }
  /** Milliseconds on the clock of Redis, if a test sets it. */
  const clock = { now_ms: 1_000_000_000 }
  const journals = new Map<string, bigint[]>()
  const engine = async ({
    port = redis.port,
    replicas = 2,
    clocked = false,
    journal_id = `j${opened++}`,
  } = {}) => {
    const journal = journals.get(journal_id) ?? []
    journals.set(journal_id, journal)
    const settled = async () => {
      if (database.is_away) throw new Error('PostgreSQL is away')
      for (const quanta of journal.splice(0)) database.quanta += quanta
    }
    const read = async () => {
      database.reads++
      return { ...database }
    }
    const script = redisScript(clocked ? '{ARGV[#ARGV - 1], ARGV[#ARGV]}' : redis_clock)
    const link: RedisLink = openRedisLink(`redis://127.0.0.1:${port}`, script, quiet, () =>
      budget_counters.returned(),
    )
    t.after(() => link.close())
    const time = () => [String(clock.now_ms / 1000), '0']
    const run: RedisLink['run'] = (keys, words, read) =>
      link.run(keys, clocked ? [...words, ...time()] : words, read)
    const counted = { fallbacks: 0 }
    const budget_counters = redisCounters({
      link: { run, isUp: () => link.isUp() },
      read,
      settled,
      replica_id: `r${opened++}`,
      journal_id,
      replicas: () => replicas,
      onFallback: () => counted.fallbacks++,
      log: quiet,
    })
    await link.tried
    const reserve = async (amount: bigint, limit = 100n) =>
      (await budget_counters.reserve(tenant, [take(amount, limit)], true)) === undefined
    const settle = (amount: bigint, quanta: bigint) => {
      journal.push(quanta)
      budget_counters.settle(tenant, [take(amount)], quanta)
      return budget_counters.quiet()
    }
    const state = async () => {
      const { spent_micro_usd, reserved_micro_usd } = await budget_counters.state(tenant, 'runway')
      return [spent_micro_usd, reserved_micro_usd]
    }
    return { budget_counters, link, reserve, settle, settled, state, counted }
  }
  return { tenant, database, clock, engine }
}

test('a thousand concurrent calls at the limit, on two engines: not one too many, not one too few', async (t) => {
  const { engine, database } = openWorld(t)
  const engines = [await engine(), await engine()]
  database.quanta = quantaOf(1_000n)
  const storm = async (limit: bigint) => {
    const callers = Array.from({ length: 1_000 }, (_, i) => engines[i % 2]!)
    const answers = await Promise.all(callers.map(({ reserve }) => reserve(100n, limit)))
    return callers.filter((_, place) => answers[place])
  }
  const first = await storm(31_050n)
  assert.equal(first.length, 300)
  assert.deepEqual(await engines[0]!.state(), [1_000n, 30_000n])
  for (const { settle } of first) void settle(100n, quantaOf(75n) / 2n)
  await Promise.all(engines.map(({ budget_counters }) => budget_counters.quiet()))
  const [spent, reserved] = await engines[1]!.state()
  assert.ok(spent! >= 12_250n && spent! <= 12_251n, 'half a micro-USD of each engine is rounded up to one')
  assert.deepEqual([reserved, (await storm(31_051n)).length], [0n, 188])
  assert.ok(database.reads <= 2, 'both may have found it missing at once')
  assert.deepEqual(engines.map(({ counted }) => counted.fallbacks), [0, 0]) // biome-ignore format: one thought
})

test('calls of one turn, and what was settled with them, are sent together', async (t) => {
  const { engine, tenant } = openWorld(t)
  const { budget_counters, link, reserve, settle } = await engine()
  await reserve(10n)
  const trips = t.mock.method(link, 'run')
  const settling = settle(10n, 1n)
  const answers = await Promise.all(Array.from({ length: 12 }, () => reserve(10n)))
  await settling
  assert.equal(answers.filter(Boolean).length, 9, 'a part of one was spent')
  assert.equal(trips.mock.callCount(), 1)
  const free = budget_counters.reserve(tenant, [take(0n)], true)
  assert.equal(free, undefined, 'a free call does not wait')
})

test('if spending cannot be read the call is refused, and nothing stays reserved', async (t) => {
  const { engine, database } = openWorld(t)
  const one = await engine()
  database.is_away = true
  await assert.rejects(one.reserve(1n), (thrown) => (thrown as Refusal).details.unavailable === 'budget')
  await one.settle(0n, quantaOf(3n))
  database.is_away = false
  await one.budget_counters.tell()
  assert.deepEqual(await one.state(), [3n, 0n], 'what was spent meanwhile counts')
})

test('a counter that Redis lost starts again, and every engine adds what only it knows', async (t) => {
  const { engine } = openWorld(t)
  const [one, other] = [await engine(), await engine()]
  assert.ok((await one.reserve(30n)) && (await other.reserve(20n)) && (await other.reserve(10n)))
  await other.settle(10n, quantaOf(7n))
  await redis.command('FLUSHALL')
  assert.deepEqual(await one.state(), [0n, 30n], 'only the other engine can report what it has not committed')
  await other.budget_counters.tell()
  await other.budget_counters.quiet()
  assert.deepEqual(await one.state(), [7n, 50n])
  assert.deepEqual([await one.reserve(44n), await one.reserve(43n)], [false, true])
})

test('what an engine reported twice before it was killed is corrected by the next process of its journal', async (t) => {
  const { engine } = openWorld(t)
  const [killed, other] = [await engine({ journal_id: 'same' }), await engine()]
  await killed.reserve(40n)
  await killed.settle(40n, quantaOf(36n))
  await killed.settled()
  await redis.command('FLUSHALL')
  assert.deepEqual(await other.state(), [36n, 0n])
  assert.ok(await killed.reserve(1n))
  killed.link.close()
  assert.deepEqual(await other.state(), [72n, 1n], 'it could not know that PostgreSQL had it')
  // The next one is killed as well, before it has compared anything.
  const brief = await engine({ journal_id: 'same' })
  await brief.budget_counters.tell()
  assert.deepEqual(await brief.state(), [72n, 0n])
  brief.link.close()
  const last = await engine({ journal_id: 'same' })
  await last.state()
  for (let seconds = 0; seconds < 3; seconds++) await last.budget_counters.tell()
  await last.budget_counters.quiet()
  assert.deepEqual(await other.state(), [36n, 0n])
})

test('a Redis that returns with old data starts again from the real spending', async (t) => {
  const old = await startRedis(['--appendonly', 'no'])
  t.after(() => old.close())
  const { engine } = openWorld(t)
  const { reserve, settle, state, link, budget_counters } = await engine({ port: old.port })
  await reserve(40n)
  await settle(40n, quantaOf(10n))
  await old.command('SAVE')
  await reserve(60n)
  await settle(60n, quantaOf(50n))
  for (let i = 0; i < 3; i++) await budget_counters.tell()
  await old.kill()
  await old.start()
  await eventually(() => assert.ok(link.isUp()))
  const late = await engine({ port: old.port })
  assert.deepEqual([await late.state(), await state()], [[60n, 0n], [60n, 0n]]) // biome-ignore format: one thought
})

test('what a killed engine had reserved ends; what a living one has does not', async (t) => {
  const { engine, clock } = openWorld(t)
  const [one, other] = [await engine({ clocked: true }), await engine({ clocked: true })]
  assert.ok(await one.reserve(60n))
  const pass = async (ms: number) => {
    clock.now_ms += ms
    return other.reserve(50n)
  }
  assert.equal(await pass(dead_after_ms - 1_000), false)
  await one.budget_counters.tell()
  await one.budget_counters.quiet()
  assert.equal(await pass(dead_after_ms), false)
  assert.equal(await pass(1_000), true)
  await one.budget_counters.tell()
  await one.budget_counters.quiet()
  assert.deepEqual(await other.state(), [0n, 110n], 'it is alive after all')
})

test('old reports are folded into the base, and not counted twice', async (t) => {
  const { engine, clock, tenant } = openWorld(t)
  const [one, other] = [await engine({ clocked: true }), await engine({ clocked: true })]
  const spend = async (by: typeof one, micro_usd: bigint) => {
    await by.reserve(micro_usd, 1_000n)
    await by.settle(micro_usd, quantaOf(micro_usd))
  }
  for (let round = 1; round <= 3; round++) {
    await spend(one, 20n)
    clock.now_ms += 11 * minute_ms
    await spend(other, 1n)
    assert.deepEqual(await one.state(), [BigInt(round) * 21n, 0n])
  }
  const fields = await redis.command(`HLEN ${counterKey(tenant, 'usd', 'runway')}`)
  assert.equal(fields, ':7', 'six of the counter itself, and that of the last engine to report')
})

test('while Redis is away each gives out its share; when it is back everybody knows', async (t) => {
  const { engine, database } = openWorld(t)
  database.quanta = quantaOf(20n)
  const cut = await engine({ port: proxy.port })
  assert.ok(await cut.reserve(10n))
  proxy.set({ refusing: true })
  proxy.cut('reset')
  await eventually(() => assert.ok(!cut.link.isUp()))
  const verdicts = await Promise.allSettled(Array.from({ length: 8 }, () => cut.reserve(10n)))
  const taken = verdicts.filter(({ status }) => status === 'fulfilled')
  assert.equal(taken.length, 3, 'half of eighty, and ten are reserved already')
  // The rest may be spent by the other engine, so this one must not claim that the budget is used up.
  for (const answer of verdicts)
    if (answer.status === 'rejected') assert.equal(answer.reason.details.unavailable, 'budget')
  assert.equal(database.reads, 2)
  assert.equal(await cut.reserve(41n), false, 'more than all that is left')
  assert.equal(cut.counted.fallbacks, 9)
  await cut.settle(10n, quantaOf(4n))
  assert.deepEqual(await cut.state(), [24n, 30n])
  proxy.set({})
  await eventually(() => assert.ok(cut.link.isUp()))
  const other = await engine()
  await eventually(async () => assert.deepEqual(await other.state(), [24n, 30n]))
})

test('calls counted in Redis and by an engine alone are one count', async (t) => {
  const { engine, tenant, database } = openWorld(t)
  const [one, other] = [await engine(), await engine()]
  const calls = take(1n, 5n, { budget_counter: 'hour/2026-11-15T10/did/cap', counts: 'calls' })
  const ask = async ({ budget_counters }: typeof one) =>
    (await budget_counters.reserve(tenant, [calls], true)) === undefined
  assert.deepEqual([await ask(one), await ask(other), await ask(one)], [true, true, true])
  one.budget_counters.settle(tenant, [calls], 0n)
  database.calls += 1n
  // As every second: what was reported before the loss is not added to what PostgreSQL has.
  await one.budget_counters.tell()
  await one.budget_counters.quiet()
  await redis.command('FLUSHALL')
  for (const { budget_counters } of [one, other]) budget_counters.returned()
  await Promise.all([one.budget_counters.quiet(), other.budget_counters.quiet()])
  const answers = [await ask(other), await ask(one), await ask(other)]
  assert.deepEqual(
    answers,
    [true, true, false],
    'calls in flight are counted by the engines that admitted them',
  )
})

test('a late report is rejected, and invalid values are ignored', async (t) => {
  const { engine, tenant } = openWorld(t)
  const { link, reserve, state } = await engine()
  const key = counterKey(tenant, 'usd', 'runway')
  await redis.command(`SET ${key} junk`)
  assert.equal(await reserve(60n), true)
  const field = { key, field: 'x', began: '', same: 0n, folded: 0n, other: 5n, truth: undefined }
  const amounts = { since_truth: 0n, reserved: 1n, committed: 0n }
  const word = { ...field, ...amounts, is_first: false, healed: undefined }
  const head = { number: 7, beginning: 'b', ended_fields: '', buckets: [], calls: [] }
  const send = (report: Report) =>
    link.run(keysOfReport(report), wordsOf(report), (reply) => heardOf(reply, report))
  await send({ ...head, budget_counters: [word] })
  assert.equal(await send({ ...head, budget_counters: [{ ...word, reserved: 9n }] }), undefined)
  assert.deepEqual(await state(), [5n, 61n])
  await redis.command(`HSET ${key} y junk`)
  assert.deepEqual(await state(), [5n, 61n])
  await redis.command(`HSET ${key} base junk`)
  assert.deepEqual(await state(), [0n, 60n])
})
