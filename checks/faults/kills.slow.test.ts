// kill -9 of the engine, PostgreSQL and Redis at random moments under load: every answered call is in the
// audit log exactly once.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { freePorts, type RunningEngine } from '../engines/running-engine.ts'
import { startRedis, type TestRedis } from '../neighbours/test-redis.ts'
import { until } from '../suite/eventually.ts'
import { pace, stopwatch } from '../suite/real-time.ts'
import { assertKept, findFaults, readAuditLogsByCommand } from './scene/audit-log-check.ts'
import { type Answered, emit, entry, foreign, malformed, startCallers, stranger } from './scene/callers.ts'
import { announce, type Chance, is_long, openChance, quantile, report } from './scene/chance.ts'
import { openScene, postmasterOf, type Scene, signal } from './scene/scene.ts'

const kills = is_long ? 200 : 2
const callers_count = 16
const sorts = [emit, entry, foreign, malformed, stranger]
/** One in this many starts is killed before it completes. */
const hasty_share = 8
const start_ms_max = 1_200
const extra_ms_max = 25
/** Killed together with the engine, a moment before it. */
const victims = ['engine', 'database', 'redis', 'engine'] as const

interface Tally {
  readonly answered: Answered[]
  readonly ready_ms: number[]
  unanswered: number
  killed_starting: number
  killed_database: number
  killed_redis: number
}

interface Cluster {
  readonly scene: Scene
  readonly port: number
  readonly redis: TestRedis
  start(): Promise<RunningEngine>
}

test('kill -9 neither loses nor duplicates an answered decision', { timeout: 1_800_000 }, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, kills, chance)
  const cluster = await openCluster(t)
  const { scene } = cluster
  const counted = { unanswered: 0, killed_starting: 0, killed_database: 0, killed_redis: 0 }
  const tally: Tally = { answered: [], ready_ms: [], ...counted }
  for (let i = 0; i < kills; i++) {
    if (i > 0 && chance.below(hasty_share) === 0) await killStarting(cluster, chance, tally)
    else await killUnderLoad(cluster, victims[(i - tally.killed_starting) % victims.length]!, chance, tally)
  }
  const elapsed_ms = stopwatch()
  const engine = await cluster.start()
  tally.ready_ms.push(elapsed_ms())
  const audit_logs = await readAuditLogsByCommand(engine, { data_dir: scene.dataDir('engine') })
  assertKept(tally.answered, audit_logs)
  // Verify that the oracle itself can fail.
  for (const answer of tally.answered.slice(0, 20)) {
    assert.notDeepEqual(findFaults([{ ...answer, correlation_id: 'never recorded' }], audit_logs), [])
  }
  for (const sort of sorts)
    assert.ok(
      tally.answered.some((answer) => answer.sort === sort),
      sort.name,
    )
  assert.equal(await engine.stop(), 0)
  report(t, {
    kills,
    killed_starting: tally.killed_starting,
    killed_database: tally.killed_database,
    killed_redis: tally.killed_redis,
    answered: tally.answered.length,
    unanswered: tally.unanswered,
    records: audit_logs.records,
    lost: 0,
    duplicates: 0,
    forks: 0,
    ready_ms_p50: quantile(tally.ready_ms, 0.5),
    ready_ms_p99: quantile(tally.ready_ms, 0.99),
  })
})

async function openCluster(t: TestContext): Promise<Cluster> {
  const redis = await startRedis()
  t.after(() => redis.close())
  const scene = openScene(t)
  const port = await freePorts()
  const env = { SVC_RATE_LIMIT_BACKEND: 'redis', SVC_REDIS_URL: redis.url }
  return { scene, port, redis, start: () => scene.start('engine', { port, env }) }
}

async function killUnderLoad(
  { scene, redis, start }: Cluster,
  victim: (typeof victims)[number],
  chance: Chance,
  tally: Tally,
): Promise<void> {
  const elapsed_ms = stopwatch()
  const engine = await start()
  tally.ready_ms.push(elapsed_ms())
  const callers = startCallers(engine, callers_count, sorts, chance)
  // A number of answers, so that recent ones are at risk; then a delay, so that any step is hit.
  const target = 1 + chance.below(is_long ? 4_000 : 300)
  const isSeen = (sort: (typeof sorts)[number]) => callers.answered.some((answer) => answer.sort === sort)
  await until(
    'the callers have their answers, some of each sort',
    () => callers.answered.length >= target && sorts.every(isSeen),
  )
  await pace(chance.below(extra_ms_max))
  if (victim === 'database') {
    signal([(await postmasterOf(join(scene.dataDir('engine'), 'postgres')))!], 'SIGKILL')
    tally.killed_database++
    await pace(chance.below(extra_ms_max))
  } else if (victim === 'redis') {
    await redis.kill()
    tally.killed_redis++
    await pace(chance.below(extra_ms_max))
  }
  await engine.stop('SIGKILL')
  await callers.stop()
  if (victim === 'redis') await redis.start()
  for (const answer of callers.answered) tally.answered.push(answer)
  tally.unanswered += callers.unanswered
}

/** At that moment it recovers the journal of the previous run. */
async function killStarting({ scene, port }: Cluster, chance: Chance, tally: Tally): Promise<void> {
  const main = join(import.meta.dirname, '../../service/main.ts')
  const args = [main, 'up', '--json', '--port', String(port), '--data-dir', scene.dataDir('engine')]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await pace(chance.below(start_ms_max))
  child.kill('SIGKILL')
  assert.deepEqual(await exited, [null, 'SIGKILL'])
  tally.killed_starting++
}
