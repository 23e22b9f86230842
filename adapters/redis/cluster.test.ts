import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Allowance, Take } from '@svc/engine/call'
import { is_long } from '../../checks/faults/scene/chance.ts'
import { startRedis, type TestRedis } from '../../checks/neighbours/test-redis.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { redisCounters } from '../budget-counters/redis.ts'
import { system_clock } from '../clock/system.ts'
import { keysOf } from '../rate-limit/limit-script.ts'
import { localShare } from '../rate-limit/local-share.ts'
import { monthCalls } from '../rate-limit/month-calls.ts'
import { redisLimiter } from '../rate-limit/redis.ts'
import { openRedisLink, type RedisLink } from './link.ts'
import { redis_clock, redisScript } from './script.ts'

const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const clustered = ['--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'no']

async function startNode(t: TestContext): Promise<TestRedis> {
  const node = await startRedis(clustered)
  t.after(() => node.close())
  return node
}

test('both keys of a tenant are in one slot, and tenants in different ones', async (t) => {
  const node = await startNode(t)
  const slotOf = (key: string) => node.command(`CLUSTER KEYSLOT ${key}`)
  for (const tenant of ['acme', 'a', '0-0']) {
    const [bucket, month] = await Promise.all(keysOf(tenant, 'MAX').map(slotOf))
    assert.match(bucket!, /^:\d+$/)
    assert.deepEqual([month, await slotOf(keysOf(tenant, 'MIM')[0])], [bucket, bucket])
  }
  assert.notEqual(await slotOf(keysOf('acme', 'MAX')[0]), await slotOf(keysOf('other', 'MAX')[0]))
})

/** A node waits two seconds before it serves: too long for every run. */
test('a cluster of two nodes counts like one Redis, addressed by any of its nodes', {
  skip: !is_long,
}, async (t) => {
  const nodes = [await startNode(t), await startNode(t)]
  await nodes[0]!.command('CLUSTER ADDSLOTSRANGE 0 8191')
  await nodes[1]!.command('CLUSTER ADDSLOTSRANGE 8192 16383')
  await nodes[0]!.command(`CLUSTER MEET 127.0.0.1 ${nodes[1]!.port} ${nodes[1]!.bus_port}`)
  await eventually(async () => {
    const replies = await Promise.all(nodes.map((node) => node.command('CLUSTER INFO')))
    for (const info of replies) assert.match(info, /cluster_state:ok.*cluster_slots_ok:16384/s)
  })
  let fallbacks = 0
  const engines = nodes.map(({ url }, place) => openEngine(t, url, `r${place}`, () => fallbacks++))
  await eventually(() => assert.ok(engines.every(({ limiter }) => limiter.health() === 'ok')))
  const size = { capacity: 10, refill_per_s: 0.001, month_max: 100 }
  const take: Take = { budget_counter: 'runway', limit: 60n, amount: 10n, counts: 'usd' }
  for (let tenant = 0; tenant < 20; tenant++) {
    const key = { tenant_id: `t${tenant}`, protocol: 'MAX' }
    for (const { budget_counters } of engines) await budget_counters.state(key.tenant_id, 'runway')
    const takes = Array.from({ length: 30 }, async (_, i) =>
      engines[i % 2]!.limiter.take(key, size, 1, true, () => [take]),
    )
    const answers: Allowance[] = await Promise.all(takes)
    const admitted = answers.filter(({ allowed }) => allowed)
    assert.equal(admitted.length, 10)
    assert.equal(admitted.filter(({ reservation }) => reservation && !reservation.lacking).length, 6)
  }
  assert.equal(fallbacks, 0)
})

function openEngine(t: TestContext, url: string, replica_id: string, onFallback: () => void) {
  const link: RedisLink = openRedisLink(url, redisScript(redis_clock), quiet, () =>
    budget_counters.returned(),
  )
  t.after(() => link.close())
  const budget_counters = redisCounters({
    link,
    log: quiet,
    read: async () => ({ quanta: 0n, calls: 0n }),
    settled: async () => {},
    replica_id,
    journal_id: replica_id,
    replicas: () => 2,
    onFallback,
  })
  const months = monthCalls()
  const limiter = redisLimiter({
    lines: budget_counters.lines,
    isUp: () => link.isUp(),
    reserving: (tenant_id, takes) => budget_counters.reserving(tenant_id, takes),
    share: localShare(system_clock, () => 1, months),
    months,
    saved: { read: async () => {} },
    onFallback,
  })
  return { limiter, budget_counters }
}
