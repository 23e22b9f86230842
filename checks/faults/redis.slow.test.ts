// F7: Redis killed and restarted empty, halted, slow, flushed, under several engines: limits stay within the
// bound of docs/limits.md.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { type TestContext, test } from 'node:test'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import { type Addresses, type Asking, dispatch } from '../engines/running-engine.ts'
import { startFaultProxy } from '../neighbours/fault-proxy.ts'
import { startRedis, type TestRedis } from '../neighbours/test-redis.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { type Answered, ask, moment_ms, type Sort } from './scene/callers.ts'
import { is_long, quantile, report } from './scene/chance.ts'

const capacity = 40
const refill_per_s = 40
const callers_per_engine = 4
const answers_min = 30
const phase_ms = is_long ? 3_000 : 250
const limits = {
  infrastructure: { capacity, refill_per_s },
  standard: { capacity, refill_per_s },
  heavy: { capacity, refill_per_s },
}
const look: Sort = {
  name: 'look',
  weight: 1,
  records: 1,
  audit_log: 'own',
  ask: ({ tenant_id }) => ({
    body: JSON.stringify({ protocol: 'EFFECTS', version: 'v1', operation: 'look', tenant_id, input: {} }),
  }),
}

interface Load {
  readonly answered: readonly Answered[]
  readonly failed: readonly unknown[]
  stop(): Promise<void>
}

/** Callers that call the engines in turn, pausing only when refused. */
function startLoad(caller: Addresses, engines: readonly Replica[]): Load {
  const agent = new Agent({ keepAlive: true })
  const answered: Answered[] = []
  const failed: unknown[] = []
  let stopped = false
  const call = async (_: unknown, first: number) => {
    for (let turn = first; !stopped; turn++) {
      const { api_url } = engines[turn % engines.length]!
      const answer = await ask({ ...caller, api_url }, look, agent).catch((error) => failed.push(error))
      if (typeof answer === 'object') answered.push(answer)
      if (typeof answer === 'object' && answer.status === 429) await pace(5)
    }
  }
  const calling = Promise.all(Array.from({ length: callers_per_engine * engines.length }, call))
  return {
    answered,
    failed,
    async stop() {
      stopped = true
      await calling
      agent.destroy()
    },
  }
}

interface Scene {
  readonly redis: TestRedis
  readonly proxy: Awaited<ReturnType<typeof startFaultProxy>>
  readonly bench: Replicas
  readonly engines: readonly Replica[]
  readonly caller: Addresses
}

async function openScene(t: TestContext, count: number): Promise<Scene> {
  const redis = await startRedis(['--appendonly', 'no', '--save', ''])
  t.after(() => redis.close())
  const proxy = await startFaultProxy(redis.port)
  t.after(() => proxy.close())
  const bench = await openReplicas({ redis_url: `redis://127.0.0.1:${proxy.port}`, limits })
  t.after(() => bench.close())
  const engines = await Promise.all(Array.from({ length: count }, (_, i) => bench.start(`engine-${i}`)))
  const caller = await bench.newCaller('loaded', 'charter')
  // Each engine has counted all the others before the first fault.
  const query = 'SELECT count(*)::integer AS n, min(seen_at) AS oldest, now() AS now FROM engine_replicas'
  const { now } = (await bench.store.engine_pool.query(query)).rows[0]
  await until('all have counted all', async () => {
    const { n, oldest } = (await bench.store.engine_pool.query(query)).rows[0]
    return n === count && oldest > now
  })
  return { redis, proxy, bench, engines, caller }
}

async function allReady(engines: readonly Replica[], rate_limit: boolean): Promise<boolean> {
  const answers = await Promise.all(
    engines.map(async ({ api_url }) => {
      const ready = await fetch(`${api_url}/ready`)
      const { checks } = (await ready.json()) as { checks: { rate_limit: boolean } }
      return checks.rate_limit === rate_limit && (ready.status === 200) === rate_limit
    }),
  )
  return answers.every(Boolean)
}

/** The faults, and how each is fixed; each counts as one interruption in the bound. */
const faults: readonly { name: string; begin(scene: Scene): unknown; end(scene: Scene): unknown }[] = [
  {
    name: 'killed, back empty',
    begin: ({ redis }) => redis.kill(),
    end: ({ redis }) => redis.start(),
  },
  {
    name: 'halted',
    begin: ({ redis }) => process.kill(redis.pid, 'SIGSTOP'),
    end: ({ redis }) => process.kill(redis.pid, 'SIGCONT'),
  },
  ...(is_long
    ? [
        {
          name: 'slow',
          begin: ({ proxy }: Scene) => proxy.set({ delay_ms: 250 }),
          end: ({ proxy }: Scene) => proxy.set({}),
        },
        {
          name: 'silent',
          begin: ({ proxy }: Scene) => proxy.set({ silent: true }),
          end: ({ proxy }: Scene) => proxy.set({}),
        },
        {
          name: 'cut off',
          begin({ proxy }: Scene) {
            proxy.set({ refusing: true })
            proxy.cut('reset')
          },
          end: ({ proxy }: Scene) => proxy.set({}),
        },
      ]
    : []),
]

function since(load: Load, from_ms: number): Answered[] {
  return load.answered.filter(({ sent_ms, took_ms }) => sent_ms + took_ms >= from_ms)
}

function admittedOf(answers: readonly Answered[]): number {
  return answers.filter(({ status }) => status === 200).length
}

function usual(answers: readonly Answered[]): number {
  return quantile(
    answers.map(({ took_ms }) => took_ms),
    0.5,
  )
}

for (const count of is_long ? [2, 4] : [2]) {
  test(`${count} engines: limits hold while Redis is away, slow, flushed or empty`, {
    timeout: 300_000,
  }, async (t) => {
    t.diagnostic(`N=${count} seed none: nothing here is drawn`)
    const scene = await openScene(t, count)
    const { engines, caller } = scene
    const once = {
      protocol: 'EFFECTS',
      operation: 'happen',
      input: { name: 'once' },
      idempotency_key: 'flushed',
    }
    assert.equal((await dispatch({ ...caller, api_url: engines[0]!.api_url }, once)).status, 200)
    const begun_ms = moment_ms()
    const load = startLoad(caller, engines)
    const figures = await goThrough(scene, load, once).finally(() => load.stop())
    assertWithinBound(t, load, scene, moment_ms() - begun_ms, figures)
    await assertMonthKept(scene, load)
  })
}

const allowedBy = (ms: number) => capacity + (refill_per_s * ms) / 1000

/** Every fault in turn, under load. */
async function goThrough(scene: Scene, load: Load, once: Asking): Promise<Record<string, number>> {
  const { engines, caller, redis } = scene
  const begun_ms = moment_ms()
  await until('calls are answered', () => load.answered.length >= answers_min)
  await pace(phase_ms)
  const steady = admittedOf(load.answered)
  assert.ok(steady <= allowedBy(moment_ms() - begun_ms), `${steady} admitted with Redis well`)
  const figures: Record<string, number> = { steady, usual_ms: usual(load.answered), returning_ms: 0 }
  for (const { name, begin, end } of faults) {
    const from_ms = moment_ms()
    await begin(scene)
    await until(`${name}: every engine says so`, () => allReady(engines, false))
    const noticed_ms = moment_ms()
    await until(`${name}: somebody is let in all the same`, () => admittedOf(since(load, from_ms)) > 0)
    await pace(phase_ms)
    const later = () => since(load, from_ms).filter(({ sent_ms }) => sent_ms >= noticed_ms)
    await until(`${name}: somebody is answered who came later`, () => later().length > 0)
    const admitted = admittedOf(since(load, from_ms))
    const outage_ms = moment_ms() - from_ms
    assert.ok(admitted <= allowedBy(outage_ms) + engines.length, `${name}: ${admitted} in ${outage_ms} ms`)
    figures[`${name.replaceAll(/\W+/g, '_')}_later_ms`] = usual(later())
    const fixed_ms = moment_ms()
    await end(scene)
    await until(`${name}: every engine is back`, () => allReady(engines, true))
    figures.returning_ms! += moment_ms() - fixed_ms
    figures[`${name.replaceAll(/\W+/g, '_')}_admitted_of`] = admitted / allowedBy(outage_ms)
  }
  const flushed_ms = moment_ms()
  await redis.command('FLUSHALL')
  await redis.command('SCRIPT FLUSH')
  await pace(phase_ms)
  figures.flushed = admittedOf(since(load, flushed_ms))
  const replay = await until('a place in the bucket', async () => {
    const answer = await dispatch({ ...caller, api_url: engines[1]!.api_url }, once)
    return answer.status === 200 && answer
  })
  assert.equal(replay.body.metadata.replayed, true, 'what Redis forgot is not done twice')
  return figures
}

function assertWithinBound(
  t: TestContext,
  { answered, failed }: Load,
  { engines }: Scene,
  whole_ms: number,
  figures: Record<string, number>,
): void {
  const admitted = admittedOf(answered)
  const without_faults = capacity + (refill_per_s * whole_ms) / 1000
  // Documented bound: per interruption one extra capacity and one call per engine, and the refill while not
  // all are back.
  const returning = (refill_per_s * figures.returning_ms!) / 1000
  const bound = without_faults + (faults.length + 1) * (capacity + engines.length) + returning
  report(t, {
    engines: engines.length,
    asked: answered.length,
    admitted,
    over_admission_percent: Math.max(0, (admitted / without_faults - 1) * 100),
    took_ms_p99: quantile(
      answered.map(({ took_ms }) => took_ms),
      0.99,
    ),
    took_ms_max: Math.max(...answered.map(({ took_ms }) => took_ms)),
    ...figures,
  })
  assert.deepEqual(failed, [])
  assert.ok(answered.every(({ status }) => status === 200 || status === 429))
  assert.ok(admitted <= bound, `${admitted} admitted, ${bound} declared`)
}

/** Neither the flush nor the empty Redis reset the month's count. */
async function assertMonthKept({ bench, engines, caller }: Scene, { answered }: Load): Promise<void> {
  for (const engine of engines) assert.equal(await engine.stop(), 0)
  const { rows } = await bench.store.engine_pool.query(
    'SELECT used::integer FROM month_calls WHERE tenant_id = $1',
    [caller.tenant_id],
  )
  const admitted = admittedOf(answered)
  const forgotten_max = (faults.length + 1) * (capacity + 2 * refill_per_s)
  assert.ok(rows[0].used >= admitted - forgotten_max, `${rows[0].used} of ${admitted} are kept`)
  const left = await bench.store.engine_pool.query('SELECT 1 FROM engine_replicas')
  assert.equal(left.rows.length, 0, 'who ends counts for nobody any more')
}
