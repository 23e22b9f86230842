// PostgreSQL goes away under load: calls without tables go on, their records wait in the journal, and none is
// lost.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { EmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { waitForExit } from '@svc/adapters/store/os-process'
import type { RunningEngine } from '../engines/running-engine.ts'
import { hang_ms_max, until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { assertKept, drained, readAuditLogs, readMetric } from './scene/audit-log-check.ts'
import {
  type Answered,
  ask,
  emit,
  foreign,
  list,
  malformed,
  moment_ms,
  query,
  startCallers,
} from './scene/callers.ts'
import { announce, is_long, openChance, quantile, report } from './scene/chance.ts'
import { familyOf, openScene, type Scene, signal } from './scene/scene.ts'

const calls_during = is_long ? 1_000 : 100
/** A longer outage only adds to what waits. */
const outage_ms = is_long ? 10_000 : 0
/** For a minute an engine goes on with the keys and identities that it knows; a busy machine may take longer than that. */
const known_ms = 50_000
const callers_count = 8
const strangers_count = 2
/** Enough to wear out the circuits of what they ask, if a database that is away counted against it. */
const readers_count = 12
const kill_every_ms = 50

interface Fault {
  readonly name: string
  readonly long_only: boolean
  begin(database: EmbeddedPostgres): Promise<void>
  end(database: EmbeddedPostgres, scene: Scene): Promise<unknown>
}

async function shutDown({ pid }: EmbeddedPostgres, how: NodeJS.Signals): Promise<void> {
  signal([pid], how)
  assert.ok(await waitForExit(pid, hang_ms_max), 'PostgreSQL did not go down')
}

async function startAgain({ url }: EmbeddedPostgres, scene: Scene): Promise<void> {
  assert.equal((await scene.startDatabase('database')).url, url)
}

let killing = false

async function killBackends(pid: number): Promise<void> {
  for (; killing; await pace(kill_every_ms)) signal(backendsOf(pid).slice(-1), 'SIGKILL')
}

/** Client backends: a server that loses one ends all, and replays its log before it goes on. */
function backendsOf(pid: number): number[] {
  return familyOf(pid).filter((child) => {
    try {
      return /^postgres: .*(127\.0\.0\.1|\[local\])/.test(readFileSync(`/proc/${child}/cmdline`, 'utf8'))
    } catch {
      return false
    }
  })
}

const faults: readonly Fault[] = [
  {
    name: 'an immediate shutdown of PostgreSQL',
    long_only: false,
    begin: (database) => shutDown(database, 'SIGQUIT'),
    end: startAgain,
  },
  {
    name: 'kill -9 of PostgreSQL',
    long_only: true,
    begin: (database) => shutDown(database, 'SIGKILL'),
    end: startAgain,
  },
  {
    name: 'kill -9 of one backend after another',
    long_only: true,
    begin: async ({ pid }) => {
      killing = true
      void killBackends(pid)
    },
    end: async () => {
      killing = false
    },
  },
  {
    name: 'a halt of all processes of PostgreSQL',
    long_only: true,
    begin: async ({ pid }) => signal(familyOf(pid), 'SIGSTOP'),
    end: async ({ pid }) => signal(familyOf(pid), 'SIGCONT'),
  },
]

for (const fault of faults) {
  const skip = fault.long_only && !is_long && 'only in npm run assurance'
  test(`calls go on through ${fault.name}`, { skip, timeout: 300_000 }, (t) => goThrough(t, fault))
}

async function goThrough(t: TestContext, fault: Fault): Promise<void> {
  const chance = openChance()
  announce(t, import.meta.filename, 1, chance)
  const scene = openScene(t)
  const database = await scene.startDatabase('database')
  const engine = await scene.start('engine', { env: { SVC_DB_URL: database.url, SVC_LOG: 'error' } })
  const tableless = startCallers(engine, callers_count, [emit], chance)
  // An unknown key is looked up, which takes seconds at a halted server: apart, so that it holds up no others.
  const strangers = startCallers(engine, strangers_count, [foreign, malformed], chance)
  const reading = startCallers(engine, readers_count, [query, list], chance)
  await until('calls flow', () => tableless.answered.length > 200 && reading.answered.length > 2)
  const isReady = async () => (await readiness(engine)).status === 200
  await until('it is ready', isReady)

  const begun_ms = moment_ms()
  await fault.begin(database)
  await until('/ready tells of it', async () => (await readiness(engine)).status === 503)
  assert.deepEqual(await readiness(engine), { status: 503, database: false })
  const callsSince = (from_ms: number) => tableless.answered.filter(({ sent_ms }) => sent_ms >= from_ms)
  await until('calls go on', () => callsSince(begun_ms).length > calls_during)
  await until('records wait', async () => (await readMetric(engine, 'svc_audit_pending_bytes')) > 0)
  await pace(outage_ms)
  const ended_ms = moment_ms()
  await fault.end(database, scene)
  await until('it is ready again', isReady)
  const isReadSince = ({ status, sent_ms }: Answered) => status === 200 && sent_ms >= ended_ms
  for (const sort of [query, list])
    await until(`${sort.name} works again`, () =>
      reading.answered.some((answer) => answer.sort === sort && isReadSince(answer)),
    )
  await Promise.all([tableless.stop(), strangers.stop(), reading.stop()])
  assert.equal(await readMetric(engine, 'svc_circuit_transitions_total{to="OPEN"}'), 0)
  await drained(engine)
  const drained_ms = moment_ms()

  const during = tableless.answered.filter(({ sent_ms }) => sent_ms >= begun_ms && sent_ms < ended_ms)
  const judged_until_ms = Math.min(ended_ms, begun_ms + known_ms)
  const calls = callsSince(begun_ms).filter(({ sent_ms }) => sent_ms < judged_until_ms)
  assert.ok(calls.length > 0)
  const failed = calls.filter(({ status }) => status !== 200)
  assertNone(failed, engine)
  assert.deepEqual([tableless.unanswered, strangers.unanswered, reading.unanswered], [0, 0, 0])
  const audit_logs = await readAuditLogs(engine, { data_dir: scene.dataDir('engine'), db_url: database.url })
  assertKept([...tableless.answered, ...strangers.answered, ...reading.answered], audit_logs)
  assert.equal((await ask(engine, query)).status, 200)
  report(t, {
    outage_ms: ended_ms - begun_ms,
    answered_during: during.length,
    availability: `${(100 * (1 - failed.length / calls.length)).toFixed(2)}%`,
    p99_ms_before: latency(tableless.answered, 0, begun_ms),
    p99_ms_during: latency(tableless.answered, begun_ms, ended_ms),
    reads_back_after_ms: firstRead(reading.answered.filter(isReadSince)) - ended_ms,
    drain_ms: drained_ms - ended_ms,
    drained_per_s: during.length / ((drained_ms - ended_ms) / 1000),
    records: audit_logs.records,
    lost: 0,
  })
}

function firstRead(answered: readonly Answered[]): number {
  return Math.min(...answered.map(({ sent_ms, took_ms }) => sent_ms + took_ms))
}

function latency(answered: readonly Answered[], from_ms: number, to_ms: number): number {
  const within = answered.filter(({ sent_ms }) => sent_ms >= from_ms && sent_ms < to_ms)
  return quantile(
    within.map(({ took_ms }) => took_ms),
    0.99,
  )
}

function assertNone(failed: readonly Answered[], engine: RunningEngine): void {
  const failures = failed.map(({ status, code, took_ms }) => `${status} ${code} after ${took_ms} ms`)
  assert.deepEqual(
    failures.slice(0, 3),
    [],
    `${failed.length} calls failed; the engine said: ${engine.stderr().slice(-2_000)}`,
  )
}

async function readiness(engine: RunningEngine): Promise<{ status: number; database: boolean }> {
  const response = await fetch(`${engine.api_url}/ready`)
  const { checks } = (await response.json()) as { checks: { database: boolean } }
  return { status: response.status, database: checks.database }
}
