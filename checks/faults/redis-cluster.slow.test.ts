// A Redis cluster that loses a node, and a master whose sentinels promote its replica, under load: budgets and limits
// stay within their bounds, and everything is counted together again afterwards.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { microUsdAbove } from '@svc/contract/money/money'
import { startCluster, startSentinels } from '../neighbours/test-redis-sets.ts'
import { eventually, until } from '../suite/eventually.ts'
import { pace, stopwatch } from '../suite/real-time.ts'
import { is_long, report } from './scene/chance.ts'
import { type Counted, type CountingEngine, openCountingEngine, size } from './scene/counting-engine.ts'

const engines_count = 3
const phase_ms = is_long ? 5_000 : 700
/** Enough that every node of a cluster has some. */
/** Every other budget is spent while things break. */
const limitOf = (tenant_id: string) => (Number(tenant_id.slice(1)) % 2 === 0 ? 120n : 2_000n)
const tenants = Array.from({ length: 12 }, (_, i) => `t${i}`)

function openEngines(t: TestContext, urls: readonly string[], counted: Counted): CountingEngine[] {
  const engines = engines_count
  return Array.from({ length: engines }, (_, place) =>
    openCountingEngine(t, { url: urls[place % urls.length]!, place, engines, counted, limitOf }),
  )
}

const newCounts = (): Counted => ({ known: new Map(), spent: new Map(), admitted: new Map() })

/** Each engine is asked for every tenant in turn, faster than the limits allow. */
function startLoad(engines: readonly CountingEngine[], amount: bigint) {
  let is_over = false
  const calls = engines.map(async (engine, place) => {
    for (let turn = place; !is_over; turn++) {
      await Promise.all(tenants.map((tenant_id) => engine.call(tenant_id, amount)))
      if (turn % 10 === 0) await engine.budget_counters.tell()
      await pace(5)
    }
  })
  return {
    async stop() {
      is_over = true
      await Promise.all(calls)
    },
  }
}

const isUp = (engines: readonly CountingEngine[]) => engines.every(({ limiter }) => limiter.health() === 'ok')

/** In a cluster two entries of one engine may be with different nodes, so it is asked for all of them. */
async function allCounted(engines: readonly CountingEngine[]): Promise<void> {
  await eventually(() => assert.ok(isUp(engines)))
}

const admittedOf = ({ admitted }: Counted) =>
  Math.max(...tenants.map((tenant_id) => admitted.get(tenant_id) ?? 0))

/** Per interruption an engine may grant its share anew, and one call more; see docs/limits.md. */
function assertLimits(counted: Counted, took_ms: number, interruptions: number): void {
  const without_faults = size.capacity + (size.refill_per_s * took_ms) / 1_000
  const bound = without_faults + interruptions * (size.capacity + engines_count)
  assert.ok(admittedOf(counted) <= bound, `${admittedOf(counted)} admitted, ${bound} declared`)
}

/**
 * Engines that are away grant their shares in addition (docs/economy.md), and no two are away for the same time: of
 * each budget at most the share of the others is spent twice.
 */
function assertBudgets({ spent }: Counted): number {
  let overspent_max = 0
  for (const [tenant_id, quanta] of spent) {
    const over = Number(microUsdAbove(quanta) - limitOf(tenant_id))
    overspent_max = Math.max(overspent_max, over)
    const bound = (Number(limitOf(tenant_id)) * (engines_count - 1)) / engines_count
    assert.ok(over <= bound, `${tenant_id} spent ${over} more than ${limitOf(tenant_id)}`)
  }
  return overspent_max
}

/** The rest of every budget can be spent, and no more than that: then the counters agree with what happened. */
async function assertExact(engines: readonly CountingEngine[], counted: Counted): Promise<void> {
  for (const tenant_id of tenants) {
    await until(`${tenant_id} is spent`, async () => {
      for (const engine of engines) {
        await engine.budget_counters.tell()
        await engine.budget_counters.quiet()
        await engine.call(tenant_id, 20n)
      }
      return microUsdAbove(counted.spent.get(tenant_id) ?? 0n) > limitOf(tenant_id) - 25n
    })
  }
  assertBudgets(counted)
}

test('a cluster of three: one node is killed and comes back, and all are flushed', {
  timeout: 300_000,
}, async (t) => {
  const nodes = await startCluster(t, 3)
  const counted = newCounts()
  const engines = openEngines(
    t,
    nodes.map(({ url }) => url),
    counted,
  )
  await allCounted(engines)
  const elapsed_ms = stopwatch()
  const load = startLoad(engines, 1n)
  const figures: Record<string, number> = {}
  try {
    await pace(phase_ms)
    for (const [place, node] of (is_long ? nodes : nodes.slice(1, 2)).entries()) {
      const broken_before = brokenOf(engines)
      await node.kill()
      await until('somebody has noticed', async () => brokenOf(engines) > broken_before)
      const before = [...counted.admitted.values()].reduce((sum, n) => sum + n, 0)
      await pace(phase_ms)
      await until(
        'calls are let in all the same',
        async () => [...counted.admitted.values()].reduce((sum, n) => sum + n, 0) > before,
      )
      figures[`broken_${place}`] = brokenOf(engines) - broken_before
      await node.start()
      await until('the cluster is whole', async () =>
        (await nodes[0]!.command('CLUSTER INFO')).includes('cluster_slots_ok:16384'),
      )
      await allCounted(engines)
      await pace(phase_ms)
    }
    for (const node of nodes) await node.command('FLUSHALL')
    await pace(phase_ms)
  } finally {
    await load.stop()
  }
  const overspent_max = assertBudgets(counted)
  report(t, { overspent_max, admitted: admittedOf(counted), took_ms: elapsed_ms(), ...figures })
  assertLimits(counted, elapsed_ms(), is_long ? 4 : 2)
  await allCounted(engines)
  await assertExact(engines, counted)
})

const brokenOf = (engines: readonly CountingEngine[]) =>
  engines.reduce((sum, { faults }) => sum + faults.links, 0)

test('sentinels: the master is killed, its replica is promoted, and the engines follow', {
  timeout: 300_000,
}, async (t) => {
  const { url, master, replica } = await startSentinels(t)
  const counted = newCounts()
  const [lost] = openEngines(t, [url.replace('/shared', '/other')], newCounts())
  await lost!.link.tried
  assert.equal(lost!.link.isUp(), false)
  assert.equal(await lost!.call('t0', 1n), true, 'it counts its share')
  const engines = openEngines(t, [url], counted)
  await allCounted(engines)
  const elapsed_ms = stopwatch()
  const load = startLoad(engines, 1n)
  let away_ms = 0
  try {
    await pace(phase_ms)
    assert.match(await replica.command('INFO keyspace'), /keys=[1-9]/)
    const killed_ms = elapsed_ms()
    await master.kill()
    await until('the replica is the master', async () => (await replica.command('ROLE')).includes('master'))
    await allCounted(engines)
    away_ms = elapsed_ms() - killed_ms
    await pace(phase_ms)
    // The old one comes back as a replica, and nobody counts there.
    await master.start()
    await until('the old master follows', async () => (await master.command('ROLE')).includes('slave'))
    await pace(phase_ms)
    assert.ok(isUp(engines))
  } finally {
    await load.stop()
  }
  report(t, { overspent_max: assertBudgets(counted), away_ms })
  assertLimits(counted, elapsed_ms(), 1)
  await assertExact(engines, counted)
})
