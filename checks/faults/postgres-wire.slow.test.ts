// PostgreSQL is slow, silent or disconnects: calls without tables stay fast, none hangs, and none is lost.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { type FaultProxy, startFaultProxy } from '../neighbours/fault-proxy.ts'
import { until } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'
import { assertKept } from './scene/audit-log-check.ts'
import {
  type Answered,
  ask,
  type Callers,
  effectSort,
  entry,
  type Sort,
  startCallers,
} from './scene/callers.ts'
import { announce, is_long, openChance, quantile, report } from './scene/chance.ts'
import { emptyChain, readChain } from './scene/exported-chain.ts'

const look = effectSort('look', () => ({}))
const occupy = effectSort('occupy', () => ({ for_ms: 1 }))
const calls_measured = is_long ? 5_000 : 300
const delays_ms = is_long ? [5, 50, 500] : [50]
const silent_callers = 4
const hang_ups = is_long ? 50 : 3

interface Stage {
  readonly replicas: Replicas
  readonly replica: Replica
  readonly proxy: FaultProxy
  readonly engine: Addresses
  readonly kept: Answered[]
}

async function openStage(t: TestContext): Promise<Stage> {
  const replicas = await openReplicas()
  t.after(() => replicas.close())
  const url = new URL(replicas.db_url)
  const proxy = await startFaultProxy(Number(url.port), url.hostname)
  t.after(() => proxy.close())
  url.host = `127.0.0.1:${proxy.port}`
  const replica = await replicas.start('engine', { db_url: url.href })
  const engine = { ...(await replicas.newCaller('acme')), api_url: replica.api_url }
  return { replicas, replica, proxy, engine, kept: [] }
}

/** The answers given during a fault; every call must have an answer. */
async function meanwhile(
  { engine, kept }: Stage,
  sort: Sort,
  count: number,
  happen: (callers: Callers) => Promise<unknown>,
): Promise<readonly Answered[]> {
  const callers = startCallers(engine, count, [sort], openChance(), 0)
  await happen(callers)
  await callers.stop()
  assert.equal(callers.unanswered, 0, `a call of ${sort.name} got no answer`)
  for (const answer of callers.answered) kept.push(answer)
  return callers.answered
}

async function measure(stage: Stage): Promise<{ p50_ms: number; p99_ms: number }> {
  const answered = await meanwhile(stage, look, 4, (callers) =>
    until('enough is measured', () => callers.answered.length >= calls_measured),
  )
  assertAll(200, answered)
  const took_ms = answered.map((answer) => answer.took_ms)
  return { p50_ms: quantile(took_ms, 0.5), p99_ms: quantile(took_ms, 0.99) }
}

function assertAll(status: number, answered: readonly Answered[]): void {
  const others = answered.filter((answer) => answer.status !== status)
  assert.deepEqual(
    others.map((answer) => `${answer.status} ${answer.code}`).slice(0, 3),
    [],
    `${others.length} of ${answered.length}`,
  )
}

async function isReady({ engine }: Stage): Promise<boolean> {
  return (await fetch(`${engine.api_url}/ready`)).status === 200
}

/** Also waits for a breaker to close. */
async function recover(stage: Stage): Promise<void> {
  await until('it is ready', () => isReady(stage))
  await until('tables are read again', async () => {
    const answer = await ask(stage.engine, occupy)
    stage.kept.push(answer)
    return answer.status === 200
  })
}

/** F6: the journal stands between answer and database, so database latency does not affect answers. */
async function slowDown(t: TestContext, stage: Stage): Promise<void> {
  await measure(stage)
  const near = await measure(stage)
  for (const delay_ms of delays_ms) {
    stage.proxy.set({ delay_ms, jitter_ms: delay_ms / 2 })
    const remote = await measure(stage)
    report(t, {
      N: calls_measured,
      delay_ms,
      near_ms_p50: near.p50_ms,
      far_ms_p50: remote.p50_ms,
      p99_added_ms: remote.p99_ms - near.p99_ms,
    })
  }
  stage.proxy.set({})
  await recover(stage)
}

/** F4: backends that end one by one or all at once, and connections that are cut. */
async function hangUp(t: TestContext, stage: Stage): Promise<void> {
  let ended = 0
  const tables: Answered[] = []
  const answered = await meanwhile(stage, look, 1, async () => {
    const read = await meanwhile(stage, occupy, 4, async (callers) => {
      for (let n = 0; n < hang_ups; n++) {
        const before = callers.answered.length
        if (n % 3 === 2) stage.proxy.cut('reset')
        else ended += await endBackends(stage.replicas.db_url, n % 3 === 0 ? 1 : 100)
        await until('calls go on', () => callers.answered.length > before + 8)
      }
    })
    tables.push(...read)
  })
  assertAll(200, answered)
  await recover(stage)
  report(t, {
    N: hang_ups,
    backends_ended: ended,
    answered: answered.length,
    table_calls: tables.length,
    table_calls_failed: tables.filter(({ status }) => status !== 200).length,
    failed_as: [...new Set(tables.flatMap(({ code }) => code ?? []))].join(),
  })
}

async function endBackends(db_url: string, most: number): Promise<number> {
  return await asOwner(db_url, async (client) => {
    const { rowCount } = await client.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> ''
       ORDER BY random() LIMIT ${most}`,
    )
    return rowCount ?? 0
  })
}

/** F5: connections stay open but silent, which is worse than a refused connection. */
async function fallSilent(t: TestContext, stage: Stage): Promise<void> {
  const near = await measure(stage)
  let noticed_ms = 0
  let silent_ms = 0
  const tables: Answered[] = []
  const answered = await meanwhile(stage, look, 1, async () => {
    const read = await meanwhile(stage, occupy, silent_callers, async (callers) => {
      await until('tables are read', () => callers.answered.length > 4)
      stage.proxy.set({ silent: true })
      const silent_for_ms = stopwatch()
      const before = callers.answered.length
      await until('/ready tells of it', async () => !(await isReady(stage)))
      noticed_ms = silent_for_ms()
      // The long form waits for the statement timeout: each caller's call ends although nothing answers.
      if (is_long) await until('no call hangs', () => callers.answered.length >= before + silent_callers)
      silent_ms = silent_for_ms()
      stage.proxy.set({})
    })
    tables.push(...read)
  })
  assertAll(200, answered)
  const p99_ms = quantile(
    answered.map(({ took_ms }) => took_ms),
    0.99,
  )
  const longest_ms = Math.max(...tables.map(({ took_ms }) => took_ms))
  await recover(stage)
  report(t, {
    N: answered.length,
    silent_ms,
    noticed_ms,
    near_ms_p99: near.p99_ms,
    p99_ms,
    longest_table_call_ms: longest_ms,
    hung: 0,
  })
}

test('PostgreSQL behind a faulty network', { timeout: 600_000 }, async (t) => {
  announce(t, import.meta.filename, calls_measured, openChance())
  const stage = await openStage(t)
  await recover(stage)
  await t.test('slow', (t) => slowDown(t, stage))
  await t.test('disconnecting', (t) => hangUp(t, stage))
  await t.test('silent', (t) => fallSilent(t, stage))
  await t.test('nothing that was answered is missing', async (t) => {
    // Stopping waits only for a limited time for a full journal; this entry is behind all of it.
    await until('the journal is drained', async () => (await ask(stage.engine, entry)).status === 200)
    assert.equal(await stage.replica.stop(), 0)
    const own = await readChain({ data_dir: '', db_url: stage.replicas.db_url }, 'acme')
    assertKept(stage.kept, { own, operator: emptyChain(), records: own.hashes.length })
    report(t, { answered: stage.kept.length, lost: 0 })
  })
})
