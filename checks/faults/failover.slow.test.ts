// The primary of PostgreSQL is killed, paused and cut off under load, and a standby takes over: nothing answered is lost or done twice,
// no chain forks, and calls resume without a restart.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listenForChanges } from '@svc/adapters/access/changes'
import { migrate } from '@svc/adapters/store/migrate'
import { asOwner } from '@svc/audit/test-audit-log'
import { storedRecords } from '@svc/audit/test-stored'
import { appendLeaf, type Frontier, leafHash, rootOf } from '@svc/audit/tree/merkle'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { StandbyReached } from '@svc/database/database-fault'
import { migrations } from '@svc/service/assembly/migrations'
import { Client } from 'pg'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { findProgramsMissing } from '../neighbours/debian-programs.ts'
import { startPatroni, type TestPatroni, type TestServer } from '../neighbours/test-patroni.ts'
import { storeAt } from '../rehearsal/test-store.ts'
import { eventually, until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { moment_ms } from './scene/callers.ts'
import { announce, is_long, openChance, report } from './scene/chance.ts'
import { readChain } from './scene/exported-chain.ts'
import { signal } from './scene/scene.ts'

/** SVC_TEST_FAILOVERS sets another number. */
const rounds = Number(process.env.SVC_TEST_FAILOVERS ?? (is_long ? 20 : 1))
const clients = 8
const tenant_id = 'retriers'
const engine_names = ['a', 'b']
const calls_between = 100
const between_calls_ms = 20
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const retry_pause_ms = 100
const observe_every_ms = 100

interface Fault {
  readonly name: string
  begin(primary: TestServer): Promise<void> | void
  end(primary: TestServer): void
}

const faults: readonly Fault[] = [
  { name: 'killed', begin: (primary) => primary.kill(), end: (primary) => primary.start() },
  {
    name: 'paused',
    begin: (primary) => signal(primary.pids(), 'SIGSTOP'),
    end: (primary) => signal(primary.pids(), 'SIGCONT'),
  },
  {
    name: 'cut off from all',
    begin: (primary) => primary.set(['votes', 'standbys', 'checks', 'clients'], { silent: true }),
    end: (primary) => primary.set(['votes', 'standbys', 'checks', 'clients'], {}),
  },
  {
    // The dangerous one: for a while it goes on as the primary of those who still reach it.
    name: 'cut off from votes and standbys',
    begin: (primary) => primary.set(['votes', 'standbys'], { silent: true }),
    end: (primary) => primary.set(['votes', 'standbys'], {}),
  },
]

interface Answer {
  readonly name: string
  readonly engine: string
  readonly output: string
  readonly head: string
  readonly correlation_id: string
  readonly replayed: boolean
  readonly sent_ms: number
  readonly took_ms: number
}

interface Run {
  readonly bench: Replicas
  readonly caller: Addresses
  readonly engines: ReadonlyMap<string, Replica>
  readonly answers: Answer[]
  readonly names: string[]
  readonly refused: Map<string, number>
  /** By size, as whoever asked at the time was shown them. */
  readonly roots: Map<number, string>
  unanswered: number
  is_over: boolean
}

test('a standby takes over from the primary', {
  skip: findProgramsMissing(),
  timeout: 7_200_000,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, rounds, chance)
  const cluster = await startPatroni()
  t.after(() => cluster.close())
  await migrate(cluster.url, migrations)
  const bench = await openReplicas({}, { url: cluster.url, close: async () => {} })
  t.after(() => bench.close())
  const run = await openRun(bench)
  t.after(() => {
    run.is_over = true
  })
  await assertRefused(await cluster.standbyUrl())
  const working = Promise.all([...Array.from({ length: clients }, (_, i) => work(run, i)), observe(run)])
  const first = chance.below(faults.length)
  for (let i = 0; i < rounds; i++) await goThrough(t, run, cluster, faults[(first + i) % faults.length]!)
  run.is_over = true
  await working
  const { records, effects } = await readEffects(run)
  assert.deepEqual(findFaults(run, effects), [])
  assert.deepEqual(findForks(run, records), [])
  assertJudges(run, effects, records)
  report(t, {
    failovers: rounds,
    answers: run.answers.length,
    checkpoints: run.roots.size,
    refused: [...run.refused].map(([code, times]) => `${code}:${times}`).join(',') || 0,
    unanswered: run.unanswered,
    longest_call_s: Math.max(...run.answers.map(({ took_ms }) => took_ms)) / 1000,
    lost: 0,
    forks: 0,
  })
})

/** While roles change, an address may lead to a standby: no connection to it is kept, for reading or listening. */
async function assertRefused(standby: string): Promise<void> {
  await assert.rejects(storeAt(standby), StandbyReached)
  await assert.rejects(migrate(standby, migrations), StandbyReached)
  const deaf = () => {}
  await assert.rejects(listenForChanges(standby, deaf, deaf, quiet), StandbyReached)
  const look = new Client({ connectionString: standby })
  look.on('error', () => {})
  await look.connect()
  await until('no connection is left', async () => {
    const { rows } = await look.query(
      "SELECT application_name FROM pg_stat_activity WHERE application_name ~ '^svc' AND datname = 'svc'",
    )
    return rows.length === 0
  })
  await look.end()
}

async function openRun(bench: Replicas): Promise<Run> {
  const caller = await bench.newCaller(tenant_id)
  const started = engine_names.map(async (name) => [name, await bench.start(name)] as const)
  const engines = new Map(await Promise.all(started))
  const results = { answers: [], names: [], refused: new Map(), roots: new Map() }
  return { bench, caller, engines, ...results, unanswered: 0, is_over: false }
}

async function goThrough(t: TestContext, run: Run, cluster: TestPatroni, fault: Fault): Promise<void> {
  await cluster.whole()
  const { answers } = run
  const before = answers.length
  await until('calls flow', () => answers.length > before + calls_between)
  const primary = await cluster.primary()
  const begun_ms = moment_ms()
  await fault.begin(primary)
  const next = await until('another is the primary', async () => {
    const now = await cluster.primary()
    return now.name !== primary.name && now
  }).catch((cause) => {
    throw new Error(`no standby took over: ${cluster.logs()}`, { cause })
  })
  const led_ms = moment_ms()
  for (const engine of engine_names)
    await until(`engine ${engine} answers calls again`, () =>
      answers.some((answer) => answer.engine === engine && answer.sent_ms > led_ms),
    )
  fault.end(primary)
  await cluster.whole()
  await until('calls flow', () => answers.at(-1)!.sent_ms > led_ms)
  report(t, {
    primary: `${primary.name}_${fault.name.replaceAll(' ', '_')}`,
    next: next.name,
    without_answers_s: longestGap(answers, begun_ms) / 1000,
  })
}

/** Between two answers, from the fault on. */
function longestGap(answers: readonly Answer[], from_ms: number): number {
  const ends = answers.map(({ sent_ms, took_ms }) => sent_ms + took_ms).filter((end_ms) => end_ms > from_ms)
  const sorted = [from_ms, ...ends.sort((a, b) => a - b)]
  return Math.max(...sorted.slice(1).map((end_ms, i) => end_ms - sorted[i]!))
}

async function work(run: Run, client: number): Promise<void> {
  for (let i = 0; !run.is_over; i++) {
    await askUntilAnswered(run, `call-${client}-${i}`, i)
    await pace(between_calls_ms)
  }
}

/** As a careful client does: again with the same key, at the other engine. */
async function askUntilAnswered(run: Run, name: string, turn: number): Promise<void> {
  const { caller, engines, answers, refused } = run
  run.names.push(name)
  const request = { protocol: 'EFFECTS', operation: 'happen', input: { name } }
  const sent_ms = moment_ms()
  for (let asks = turn; ; asks++) {
    const engine = engine_names[asks % engine_names.length]!
    const { api_url } = engines.get(engine)!
    const asked_ms = moment_ms()
    try {
      const { status, body } = await dispatch({ ...caller, api_url }, request, { 'idempotency-key': name })
      if (status === 200) {
        const { replayed, correlation_id, audit_head: head } = body.metadata
        const output = JSON.stringify(body.output)
        const took_ms = moment_ms() - asked_ms
        answers.push({ name, engine, output, head, replayed, correlation_id, sent_ms: asked_ms, took_ms })
        return
      }
      assert.ok(body.error.retryable, `${name} was refused for good: ${JSON.stringify(body)}`)
      refused.set(body.error.code, (refused.get(body.error.code) ?? 0) + 1)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      run.unanswered++
    }
    assert.ok(moment_ms() - sent_ms < 600_000, `${name} was never answered`)
    await pace(retry_pause_ms)
  }
}

/** Notes every checkpoint that can be read, like a witness that misses none; reading fails while no primary answers. */
async function observe(run: Run): Promise<void> {
  const newest = 'SELECT size, root FROM audit_checkpoints WHERE tenant_id = $1 ORDER BY size DESC LIMIT 20'
  for (; !run.is_over; await pace(observe_every_ms)) {
    const answer = await run.bench.store.engine_pool.query(newest, [tenant_id]).catch(() => undefined)
    for (const { size, root } of answer?.rows ?? []) noteRoot(run.roots, Number(size), root.toString('hex'))
  }
}

function noteRoot(roots: Map<number, string>, size: number, root: string): void {
  const earlier = roots.get(size) ?? root
  assert.equal(root, earlier, `two checkpoints of size ${size}: the chain forked`)
  roots.set(size, root)
}

type Effects = ReadonlyMap<string, readonly string[]>

interface Stored {
  readonly records: { readonly hashes: readonly string[]; readonly heads: ReadonlySet<string> }
  readonly effects: Effects
}

async function readEffects({ bench, engines }: Run): Promise<Stored> {
  await until('the outbox is empty', async () => {
    const { rows } = await bench.store.engine_pool.query('SELECT FROM audit_outbox LIMIT 1')
    return rows.length === 0
  })
  for (const engine of engines.values()) assert.equal(await engine.stop(), 0)
  // On a busy machine another standby may take over while the log is read.
  const records = await eventually(() => readChain({ data_dir: '', db_url: bench.db_url }, tenant_id))
  const stored = await eventually(() => asOwner(bench.db_url, (client) => storedRecords(client, tenant_id)))
  const effects = stored
    .map(({ body }) => JSON.parse(body!) as AuditBody)
    .filter(({ event_type }) => event_type === 'custom.effect')
  const by_name = Map.groupBy(effects, ({ meta }) => String(meta.name))
  const entries = [...by_name].map(
    ([name, of_name]) => [name, of_name.map((one) => one.correlation_id)] as const,
  )
  return { records, effects: new Map(entries) }
}

/** Each answered call has one effect, which is its own unless it was answered from the stored answer. */
function findFaults({ names, answers }: Pick<Run, 'names' | 'answers'>, effects: Effects): string[] {
  const of_names = names.flatMap((name) => {
    const times = effects.get(name)?.length ?? 0
    return times === 1 ? [] : [`${name}: ${times} effects`]
  })
  const foreign = answers.filter(
    ({ name, replayed, correlation_id }) => !replayed && effects.get(name)?.[0] !== correlation_id,
  )
  return [...of_names, ...foreign.map(({ name }) => `${name}: not its own effect`)]
}

/** What was shown before a failover is part of the log after it: heads in answers, and signed checkpoints. */
function findForks({ answers, roots }: Pick<Run, 'answers' | 'roots'>, records: Stored['records']): string[] {
  const lost = answers.filter(({ head }) => head !== null && !records.heads.has(head))
  const frontier: Frontier = []
  const forked: string[] = []
  for (const [i, hash] of records.hashes.entries()) {
    appendLeaf(frontier, i, leafHash(Buffer.from(hash, 'hex')), () => {})
    const shown = roots.get(i + 1)
    if (shown !== undefined && shown !== rootOf(frontier).toString('hex')) forked.push(`checkpoint ${i + 1}`)
  }
  const past = [...roots.keys()].filter((size) => size > records.hashes.length)
  return [
    ...lost.map(({ name }) => `the head of ${name}`),
    ...forked,
    ...past.map((size) => `checkpoint ${size}`),
  ]
}

/** Verify that the judges themselves can fail. */
function assertJudges(run: Run, effects: Effects, records: Stored['records']): void {
  const [name] = run.names as [string]
  const doubled = new Map(effects).set(name, [...effects.get(name)!, 'x'])
  assert.deepEqual(findFaults({ names: [name], answers: [] }, doubled), [`${name}: 2 effects`])
  assert.deepEqual(findFaults({ names: ['never'], answers: [] }, effects), ['never: 0 effects'])
  const wrong = new Map([[1, 'ff']])
  assert.deepEqual(findForks({ answers: [], roots: wrong }, records), ['checkpoint 1'])
  const head = 'of another chain'
  assert.deepEqual(
    findForks({ answers: [{ ...run.answers[0]!, head }], roots: new Map() }, records).length,
    1,
  )
}
