// All calls with one key never spend more than its budget: random calls through two engines on one Redis and through one without,
// and over HTTP on an engine that starts later.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { memoryCounters } from '@svc/adapters/budget-counters/memory'
import { redisCounters } from '@svc/adapters/budget-counters/redis'
import { openRedisLink } from '@svc/adapters/redis/link'
import { redis_clock, redisScript } from '@svc/adapters/redis/script'
import { empty_books } from '@svc/contract/money/books'
import { keyWeek } from '@svc/contract/money/budget-counter'
import { microUsdAbove, quanta_per_micro_usd, usdText } from '@svc/contract/money/money'
import type { Authorised } from '@svc/engine/call'
import { takesOf } from '@svc/engine/limits/budget'
import type { BudgetCounters } from '@svc/engine/limits/budget-counters'
import { spentOf } from '@svc/protocols/economic/usage/spend-store'
import { ask, assertSuccess } from '../../conformance/dispatch/expectations.ts'
import { trialProtocol } from '../../conformance/execution/trial-protocol.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { announce, type Chance, is_long, openChance, report } from '../../faults/scene/chance.ts'
import { startRedis, type TestRedis } from '../../neighbours/test-redis.ts'
import { type DelegationScene, type Member, openDelegationScene } from '../../scenes/delegation-scene.ts'

const games = is_long ? 400 : 12
const rounds = 12
const calls_at_once = 16
const now_ms = Date.parse('2026-11-15T10:20:00.000Z')
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const master_key = randomBytes(32)
const more_protocols = [trialProtocol().protocol]
let redis: TestRedis
let scene: DelegationScene
before(async () => {
  redis = await startRedis(['--save', '', '--appendonly', 'no'])
  scene = await openDelegationScene({ config: { master_key }, more_protocols })
})
after(async () => {
  await scene.stop()
  await redis.close()
})

interface Key {
  readonly key_id: string
  readonly limit: bigint
  spent: bigint
}

function takesFor({ key_id, limit }: Key, cost: bigint, facts: object) {
  const budget = { key_name: 'any', weekly_usd: usdText(limit) }
  const call = {
    books: { ...empty_books, paid_in_micro_usd: 10n ** 12n },
    asked: { credential: { tier: 'charter', key_id, budget } },
    caller: { did: 'did' },
    timestamp: new Date(now_ms).toISOString(),
    now_ms,
    operation: { facts },
    grant: { name: 'svc.try.*', caveats: [], source: 'declared' },
  }
  return takesOf(call as unknown as Authorised, undefined, cost)
}

interface Engine {
  readonly budget_counters: BudgetCounters
  quiet(): Promise<void>
}

const nothing_spent = { read: async () => ({ quanta: 0n, calls: 0n }), settled: async () => {} }

async function openRedisEngine(t: TestContext, name: string): Promise<Engine> {
  const link = openRedisLink(redis.url, redisScript(redis_clock), quiet, () => {})
  t.after(() => link.close())
  const onFallback = () => assert.fail('Redis is there')
  const names = { replica_id: name, journal_id: name, replicas: () => 2 }
  const budget_counters = redisCounters({ ...nothing_spent, ...names, link, onFallback, log: quiet })
  await link.tried
  return { budget_counters, quiet: () => budget_counters.quiet() }
}

const counts = { admitted: 0, refused: 0 }

/** Calls at once, with any key through any engine; each is charged less than it reserved, or nothing. */
async function play(chance: Chance, tenant_id: string, engines: readonly Engine[]): Promise<void> {
  const keys = ['a', 'b', 'c', 'd'].map(
    (key_id): Key => ({ key_id, limit: BigInt(chance.below(120)), spent: 0n }),
  )
  for (let round = 0; round < rounds; round++) {
    const calls = Array.from({ length: calls_at_once }, () => {
      const [key, { budget_counters }] = [chance.pick(keys), chance.pick(engines)]
      const cost = BigInt(1 + chance.below(9))
      const takes = takesFor(key, cost, chance.pick([{}, { essential: true }, { exempt: true }]))
      return { key, budget_counters, takes, charge: BigInt(chance.below(Number(cost) + 1)) }
    })
    const lacking = await Promise.all(
      calls.map(({ budget_counters, takes }) => budget_counters.reserve(tenant_id, takes, true)),
    )
    for (const [place, { key, budget_counters, takes, charge }] of calls.entries()) {
      counts[lacking[place] ? 'refused' : 'admitted']++
      if (lacking[place]) continue
      budget_counters.settle(tenant_id, takes, charge * quanta_per_micro_usd)
      key.spent += charge
    }
    for (const engine of engines) await engine.quiet()
    for (const { key_id, limit, spent } of keys) assert.ok(spent <= limit, `${key_id}: ${spent} of ${limit}`)
    // With nothing in flight, a call fits where its key has room, and only there.
    for (const key of keys) {
      const cost = BigInt(1 + chance.below(30))
      for (const { budget_counters } of engines) {
        const full = await budget_counters.reserve(tenant_id, takesFor(key, cost, {}), false)
        assert.equal(full === undefined, key.spent + cost <= key.limit, `${key.key_id} at ${cost}`)
      }
    }
  }
}

async function playGames(t: TestContext, enginesFor: () => readonly Engine[]): Promise<void> {
  const chance = openChance()
  announce(t, import.meta.filename, games, chance)
  Object.assign(counts, { admitted: 0, refused: 0 })
  for (let game = 0; game < games; game++) await play(chance, `tenant-${game}`, enginesFor())
  report(t, counts)
  assert.ok(counts.admitted > games && counts.refused > games, 'it shows too little')
}

test('no key exceeds its budget through two engines on one Redis, and none is refused early', async (t) => {
  const engines = [await openRedisEngine(t, 'one'), await openRedisEngine(t, 'other')]
  await playGames(t, () => engines)
})

test('the same on one engine without Redis', async (t) => {
  await playGames(t, () => [{ budget_counters: memoryCounters(nothing_spent), quiet: async () => {} }])
})

const macs = (who: Member, operation: string, input: object) =>
  dispatch(who, { protocol: 'MACS', operation, input })

async function newKey(agent: Member, input: object): Promise<Member> {
  const { output } = assertSuccess(await macs(agent, 'create_key', input))
  const { api_key, key_id } = output as { api_key: string; key_id: string }
  return { ...agent, api_key, key_id }
}

test('a key stops at its budget, on an engine that starts later too, and its agent goes on', async () => {
  // The most a call of it may cost is 0.018 USD, so one in flight fits, and not what remains after it.
  const agent = await scene.newMember({ declares: ['svc.trial.*', 'svc.macs.*'] })
  const night = await newKey(agent, { label: 'night shift', weekly_budget_usd: '0.018' })
  assertSuccess(await ask(night, 'echo'))
  const { error } = (await ask(night, 'echo')).body
  assert.deepEqual(
    [error.code, error.reason, error.details.key_id],
    ['policy_denied', 'key budget reached', night.key_id],
  )
  assert.equal(
    error.message,
    'svc.trial.echo may cost up to 0.018000 USD, more than is left of the 0.018000 USD a week that the API key "night shift" may spend; wait for Monday, 00:00 UTC, or use another key.',
  )
  assertSuccess(await ask(agent, 'echo'))
  await scene.service.service.audit_log.flush()
  const week = keyWeek(night.key_id, scene.clock.now_ms())
  const { quanta, calls } = await spentOf(scene.service.service.store.engine, 'dev', week)
  assert.deepEqual([calls, microUsdAbove(quanta) > 0n], [1n, true])
  const { items } = assertSuccess(await macs(agent, 'list_keys', {})).output as {
    items: Record<string, string>[]
  }
  assert.deepEqual(
    items.map(({ label, weekly_budget_usd, spent_this_week_usd }) => [
      label,
      weekly_budget_usd,
      spent_this_week_usd,
    ]),
    [
      ['night shift', '0.018000', usdText(microUsdAbove(quanta))],
      [undefined, undefined, undefined],
    ],
  )
  const { db_url } = scene.service
  const identity = {
    resolve: (did: string) => ({ outcome: 'Resolved', identity: scene.known.get(did)! }) as const,
  }
  const later = await openDelegationScene({
    config: { master_key, db_url },
    clock: scene.clock,
    identity,
    more_protocols,
  })
  try {
    const there = { api_url: later.service.api_url }
    assert.equal((await ask({ ...night, ...there }, 'echo')).body.error.reason, 'key budget reached')
    assertSuccess(await ask({ ...agent, ...there }, 'echo'))
  } finally {
    await later.stop()
  }
})

test('calls at once do not pass a budget together', async () => {
  const agent = await scene.newMember({ declares: ['svc.trial.*', 'svc.macs.*'] })
  const key = await newKey(agent, { label: 'busy', weekly_budget_usd: '0.036' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(key, 'echo')))
  const reasons = answers.flatMap(({ body }) => body.error?.reason ?? [])
  // Two worst cases fit at once; the others wait until those have ended.
  for (const reason of reasons)
    assert.ok(['key budget reached', 'reserved by calls under way'].includes(reason), reason)
  assert.ok(reasons.length < answers.length)
  await scene.service.service.audit_log.flush()
  const week = keyWeek(key.key_id, scene.clock.now_ms())
  const { quanta } = await spentOf(scene.service.service.store.engine, 'dev', week)
  assert.ok(microUsdAbove(quanta) <= 36_000n)
})

test('a key with a budget gives nobody rights that would spend beside it, and says what it may spend', async () => {
  const names = ['svc.trial.*', 'svc.macs.*', 'svc.mana.*', 'svc.max.*']
  const agent = await scene.newMember({ declares: names, in_custody: true })
  const key = await newKey(agent, { label: 'bounded', weekly_budget_usd: '5' })
  const to = await scene.newMember()
  const requests = [
    { protocol: 'MACS', operation: 'create_key', input: { label: 'more' } },
    { protocol: 'MACS', operation: 'derive', input: { entity_kind: 'Agent', label: 'child' } },
    {
      protocol: 'AEGIS',
      operation: 'delegate',
      input: {
        to_did: to.agent_did,
        capabilities: ['svc.trial.echo'],
        expires_at: '2026-11-14T00:00:00Z',
      },
    },
    { protocol: 'MANA', operation: 'allocate', input: {} },
  ]
  for (const request of requests)
    assert.equal(
      (await dispatch(key, request)).body.error?.reason,
      'key with a budget',
      JSON.stringify(request),
    )
  const input = { capability: 'svc.trial.echo' }
  const explained = assertSuccess(await macs(key, 'explain_access', input)).output
  assert.deepEqual(
    [explained.allowed, (explained.key_budget as Record<string, string>).weekly_budget_usd],
    [true, '5.000000'],
  )
  assert.equal(assertSuccess(await macs(agent, 'explain_access', input)).output.key_budget, undefined)
})

test('an agent never has more live keys than allowed, however many are made at once', async () => {
  const agent = await scene.newMember({ declares: ['svc.macs.*'] })
  // Its own key is one of them.
  for (let made = 1; made < 48; made++) await newKey(agent, { label: `key ${made}` })
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, place) => macs(agent, 'create_key', { label: `late ${place}` })),
  )
  const reasons = answers.map(({ body }) => body.error?.reason)
  assert.equal(reasons.filter((reason) => reason === undefined).length, 2)
  assert.equal(reasons.filter((reason) => reason === 'too many keys').length, 4)
})
