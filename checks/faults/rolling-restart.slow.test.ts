// Workers are replaced under callers with keep-alive connections and no retries: no call fails, and no answer
// is lost.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { Agent } from 'node:http'
import { type TestContext, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import { findOrphaned } from '@svc/service/workers/journal-folders'
import { takeUp } from '@svc/service/workers/orphaned-journals'
import { newSigner, openGateway } from '../conformance/gateway/gateway-scene.ts'
import { startInProcess } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { testDatabase } from '../rehearsal/test-database.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { assertKept, findFaults, readMetric } from './scene/audit-log-check.ts'
import { type Answered, ask, emit, startCallers } from './scene/callers.ts'
import { announce, type Chance, is_long, openChance, report } from './scene/chance.ts'
import { emptyChain, readChain } from './scene/exported-chain.ts'
import { openProduction, type Production, type Serving, workersOf } from './scene/production-scene.ts'

const workers = is_long ? 2 : 1
const rolls = is_long ? 5 : 1
const requests_min = is_long ? 20_000 : 200
const kill_rounds = is_long ? 5 : 1
const restarts = is_long ? 20 : 1
/** Each takes half a core, which starting workers need: the short form has none. */
const eager_callers = is_long ? 2 : 0
const patient_callers = 6
const thinking_ms_max = is_long ? 50 : 150

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

interface Tally {
  readonly answered: Answered[]
  failed: string[]
}

/** Callers without pause, and callers with pauses, so that connections are idle when a worker goes. */
function startAll(t: TestContext, { caller }: { readonly caller: Addresses }, chance: Chance) {
  const eager = startCallers(caller, eager_callers, [emit], chance)
  const patient: Tally = { answered: [], failed: [] }
  const agent = new Agent({ keepAlive: true })
  let stopped = false
  const think = async () => {
    while (!stopped) {
      await ask(caller, emit, agent).then(
        (answer) => patient.answered.push(answer),
        (error) => patient.failed.push((error as Error).message),
      )
      await pace(chance.below(thinking_ms_max))
    }
  }
  const thinking = Promise.all(Array.from({ length: patient_callers }, think))
  // Also if the test ends early: running callers would keep it from ending.
  t.after(async () => {
    stopped = true
    await eager.stop()
    agent.destroy()
  })
  return {
    count: () => eager.answered.length + patient.answered.length,
    async stop(): Promise<Tally> {
      stopped = true
      await Promise.all([eager.stop(), thinking])
      agent.destroy()
      const failed = [...patient.failed, ...Array<string>(eager.unanswered).fill('an eager caller')]
      return { answered: [...eager.answered, ...patient.answered], failed }
    },
  }
}

/** Every current worker is replaced by another. */
async function roll(family: Serving): Promise<void> {
  const before = workersOf(family)
  family.process.kill('SIGHUP')
  for (const [i, pid] of before.entries())
    await until(`worker ${i + 1} of ${before.length} was replaced`, () => !isAlive(pid))
  await until('as many are there as before', () => workersOf(family).length === before.length)
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}

async function tracing(caller: Addresses, settings?: object): Promise<{ sample_rate: number }> {
  const headers = {
    authorization: `Bearer ${caller.api_key}`,
    'x-agent-did': caller.agent_did,
    'content-type': 'application/json',
    connection: 'close',
  }
  const change = settings && { method: 'PUT', body: JSON.stringify(settings) }
  const answer = await fetch(`${caller.api_url}/admin/trace`, { headers, ...change })
  return (await answer.json()) as { sample_rate: number }
}

async function speaksMcp({ port }: Production): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${port + 2}/mcp`, { method: 'POST', body: '{}' }).catch(
    () => undefined,
  )
  return answer?.status === 401
}

test('two engines behind a gateway are stopped and started in turn, and no call fails', {
  timeout: is_long ? 1_200_000 : 240_000,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, restarts, chance)
  const pair = await openPair(t)
  const callers = startAll(t, pair, chance)
  for (let i = 0; i < restarts; i++) {
    const before = callers.count()
    await until('calls are answered', () => callers.count() > before + 30)
    await pair.restart(i % 2)
  }
  const before = callers.count()
  await until('calls are answered', () => callers.count() > before + 30)
  const { answered, failed } = await callers.stop()
  assert.deepEqual(failed, [])
  assert.deepEqual([...new Set(answered.map(({ status }) => status))], [200])
  report(t, { N: answered.length, restarts, failed: 0, resets: 0 })
})

test('who asks for metrics while workers start is shown all of them afterwards', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const production = await openProduction()
  t.after(() => production.close())
  const { metrics_url } = production.caller
  let is_up = false
  let answers = 0
  const asking = (async () => {
    for (; !is_up; await pace(20)) {
      const answer = await fetch(metrics_url).catch(() => undefined)
      if (answer?.ok) answers++
    }
  })()
  await production.start({ args: ['--workers', '2'] })
  is_up = true
  await asking
  assert.ok(answers > 0, 'nothing was asked while they started')
  assert.equal(await readMetric(production.caller, 'svc_in_flight'), 0)
})

test('a parent with workers', {
  timeout: is_long ? 1_200_000 : 240_000,
  skip: process.platform !== 'linux',
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, requests_min, chance)
  const production = await openProduction()
  t.after(() => production.close())
  const answered: Answered[] = []
  const family = await production.start({ args: ['--workers', String(workers)] })
  assert.deepEqual([family.said.workers, workersOf(family).length], [workers, workers])

  assert.equal((await tracing(production.caller, { sample_rate: 0.25 })).sample_rate, 0.25)

  await t.test('replaced one by one, they answer every request', async (t) => {
    answered.push(...(await rollUnderLoad(t, production, family, chance)))
  })
  await t.test('what was set at one worker applies at later ones', async () => {
    await until('every worker was told', async () => {
      const requests = Array.from({ length: 2 * workers }, () => tracing(production.caller))
      return (await Promise.all(requests)).every(({ sample_rate }) => sample_rate === 0.25)
    })
  })
  await t.test('the parent sums the counters of all workers, also of those that exited', async () => {
    const { caller } = production
    const page = await (await fetch(caller.metrics_url)).text()
    const counted = /^svc_dispatch_total\{.*outcome="success".*\} (\d+)$/m.exec(page)?.[1]
    assert.equal(Number(counted), answered.length)
    assert.deepEqual(
      [await readMetric(caller, 'svc_workers'), await readMetric(caller, 'svc_in_flight')],
      [workers, 0],
    )
  })
  await t.test('a killed worker is replaced, and MCP stays available whichever it was', async (t) => {
    answered.push(...(await killWorkers(t, production, family, chance)))
  })
  let doomed = family
  for (let round = 0; round < kill_rounds; round++) {
    if (is_long) {
      await t.test('a second SIGTERM ends the parent and its workers at once', async () => {
        answered.push(await endAtOnce(production, doomed))
      })
      doomed = await production.start({ args: ['--workers', String(1 + chance.below(4))] })
    }
    await t.test('killed with all its workers, it leaves no orphan', async (t) => {
      answered.push(...(await killFamily(t, production, doomed, chance)))
    })
    if (round < kill_rounds - 1) doomed = await production.start({ args: ['--workers', '2'] })
  }
  await t.test('their journals are recovered: every answer is in the audit log once', async (t) => {
    const records = await takeUpLeft(production, answered)
    report(t, { answered: answered.length, records, lost: 0, duplicates: 0, kill_rounds })
  })
})

interface Pair {
  /** Through the gateway. */
  readonly caller: Addresses
  /** As SIGTERM and a new start would. */
  restart(which: number): Promise<void>
}

async function openPair(t: TestContext): Promise<Pair> {
  const database = await testDatabase()
  const signer = newSigner()
  const { did: agent_did } = newIdentity('operator', 'service')
  const shared = { db_url: database.url, agent_did, agent_key: undefined, master_key: randomBytes(32) }
  const config = { ...shared, trusted_gateways: [signer.did], require_gateway: true }
  const start = (port = 0) => startInProcess({ config: { ...config, port }, drain_ms_max: 3_000 })
  const engines = [await start(), await start()]
  const api_urls = engines.map(({ api_url }) => new URL(api_url))
  const behind = { db_url: database.url, api_url: engines[0]!.api_url, engine_did: agent_did }
  const gateway = await openGateway(behind, { api_urls, signer, plain: true })
  t.after(async () => {
    await gateway.stop()
    for (const engine of engines) await engine.stop()
    await database.close()
  })
  return {
    caller: { ...engines[0]!, api_url: gateway.url },
    async restart(which) {
      const { service, stop } = engines[which]!
      await stop()
      engines[which] = await start(service.port)
    },
  }
}

async function rollUnderLoad(
  t: TestContext,
  production: Production,
  family: Serving,
  chance: Chance,
): Promise<Answered[]> {
  const callers = startAll(t, production, chance)
  await until('calls are answered', () => callers.count() > 100)
  for (let i = 0; i < rolls; i++) {
    await roll(family)
    assert.ok(await speaksMcp(production), 'MCP is away')
    await until('so many calls are answered', () => callers.count() >= ((i + 1) * requests_min) / rolls)
  }
  const { answered, failed } = await callers.stop()
  assert.deepEqual(failed, [])
  assert.deepEqual([...new Set(answered.map(({ status }) => status))], [200])
  report(t, { N: answered.length, rolls, failed: 0 })
  return answered
}

async function killFamily(
  t: TestContext,
  production: Production,
  family: Serving,
  chance: Chance,
): Promise<Answered[]> {
  const pids = workersOf(family)
  const callers = startAll(t, production, chance)
  await until('calls are answered', () => callers.count() > 50)
  await family.stop('SIGKILL')
  await until('no worker is left', () => !pids.some(isAlive))
  const { answered } = await callers.stop()
  assert.equal((await dispatch(production.caller, {}).catch(() => undefined)) === undefined, true)
  return answered
}

async function killWorkers(
  t: TestContext,
  production: Production,
  family: Serving,
  chance: Chance,
): Promise<Answered[]> {
  const callers = startAll(t, production, chance)
  const doomed = workersOf(family)
  for (const pid of doomed) {
    await until('calls are answered', () => callers.count() > 50)
    process.kill(pid, 'SIGKILL')
    await until('another takes its place', () => !isAlive(pid) && workersOf(family).length === workers)
    await until('MCP is there', () => speaksMcp(production))
  }
  const { answered } = await callers.stop()
  assert.equal(await readMetric(production.caller, 'svc_worker_deaths_total'), doomed.length)
  return answered
}

async function endAtOnce(production: Production, family: Serving): Promise<Answered> {
  const workers = workersOf(family)
  // A silent keep-alive connection: without the second signal the engine would wait for it.
  const agent = new Agent({ keepAlive: true })
  try {
    const answer = await ask(production.caller, emit, agent)
    family.process.kill('SIGTERM')
    await until('it drains', async () => (await fetch(`${production.caller.api_url}/ready`)).status === 503)
    assert.equal(await family.stop(), 143)
    await until('no worker is left', () => !workers.some(isAlive))
    return answer
  } finally {
    agent.destroy()
  }
}

async function takeUpHere(db_url: string, master_key: Buffer, left: readonly string[]): Promise<void> {
  const store = await storeAt(db_url)
  const root_keys = await openRootKeys(store.engine, master_key)
  const engine = { db: store.engine, root_keys }
  await takeUp({ db_url, tenant_id: 'operator', kafka: undefined }, engine, left, quiet)
  await store.close()
}

async function takeUpLeft(production: Production, answered: readonly Answered[]): Promise<number> {
  const { audit_dir, db_url, caller, master_key } = production
  const left = findOrphaned(audit_dir, new Set())
  assert.notDeepEqual(left, [])
  if (is_long) await takeUpAlone(production)
  else await takeUpHere(db_url, master_key, left)
  assert.deepEqual(
    findOrphaned(audit_dir, new Set()).filter((folder) => folder !== audit_dir),
    [],
  )
  const own = await readChain({ data_dir: '', db_url }, caller.tenant_id)
  const audit_logs = { own, operator: emptyChain(), records: own.hashes.length }
  assertKept(answered, audit_logs)
  assert.notDeepEqual(findFaults([{ ...answered[0]!, correlation_id: 'never recorded' }], audit_logs), [])
  return audit_logs.records
}

/** A single-process engine recovers what a parent and its workers left. */
async function takeUpAlone(production: Production): Promise<void> {
  const alone = await production.start()
  const in_use = new Set([production.audit_dir])
  await until('no journal is orphaned', () => findOrphaned(production.audit_dir, in_use).length === 0)
  assert.equal(await alone.stop(), 0, alone.stderr())
}
