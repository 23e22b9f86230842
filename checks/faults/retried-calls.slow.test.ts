// Calls with a key, retried until answered, while replicas are killed (-9): each has its effect exactly once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { storedRecords } from '@svc/audit/test-stored'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { type FaultProxy, startFaultProxy } from '../neighbours/fault-proxy.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { announce, type Chance, is_long, openChance, report } from './scene/chance.ts'
import { readChain } from './scene/exported-chain.ts'

/** SVC_TEST_CALLS sets a size in between: 10000 takes minutes. */
const calls = Number(process.env.SVC_TEST_CALLS ?? (is_long ? 100_000 : 250))
/** Starting a replica is most of the short form's cost. */
const kills = calls > 1_000 ? Math.ceil(calls / 250) : 1
const commits_cut_off = Math.min(10, kills)
const clients = 16
const tenant_id = 'retriers'
const names = ['a', 'b'] as const
const asks_max = 5_000
const retry_pause_ms = 100
/** One in this many kills hits both replicas at once. */
const both_share = 5

interface Answer {
  readonly name: string
  readonly output: string
  readonly replayed: boolean
  readonly correlation_id: string
}

interface Run {
  readonly bench: Replicas
  readonly proxy: FaultProxy
  readonly caller: Addresses
  readonly chance: Chance
  readonly up: Map<string, Replica>
  readonly answers: Answer[]
  readonly refused: Map<string, number>
  unanswered: number
  killed: number
  /** The test has ended: callers stop. */
  is_over: boolean
}

/** By effect: the names of the calls that had it. */
type Effects = ReadonlyMap<string, readonly string[]>

test('retried calls have their effect once, whatever is killed', { timeout: 3_600_000 }, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, calls, chance)
  const bench = await openReplicas()
  t.after(() => bench.close())
  const proxy = await startFaultProxy(Number(new URL(bench.db_url).port))
  t.after(() => proxy.close())
  const run = await openRun(bench, proxy, chance)
  t.after(() => {
    run.is_over = true
  })
  const names = Array.from({ length: calls }, (_, i) => `call-${i}`)
  const queue = names.values()
  const clients_done = Promise.all(Array.from({ length: clients }, () => work(run, queue)))
  await Promise.all([clients_done, killNowAndThen(run)])
  for (let i = 0, cut_off = 0; cut_off < commits_cut_off; i++) {
    const name = `cut-off-${i}`
    names.push(name)
    if (i > 0) await start(run, 'a')
    if (await killAfterCommit(run, name)) cut_off++
  }
  const effects = await readEffects(run)
  assert.deepEqual(findFaults(names, run.answers, effects), [])
  // Verify that the oracle itself can fail.
  const [first, second] = names as [string, string]
  const doubled = new Map(effects).set(first, ['x', 'y']).set(second, [])
  assert.deepEqual(findFaults([first, second], [], doubled), [`${first}: 2 effects`, `${second}: 0 effects`])
  report(t, {
    calls: names.length,
    answers: run.answers.length,
    replayed: run.answers.filter(({ replayed }) => replayed).length,
    unanswered: run.unanswered,
    refused: [...run.refused].map(([code, times]) => `${code}:${times}`).join(',') || 0,
    kills: run.killed,
    killed_after_commit: commits_cut_off,
    doubled: 0,
    missing: 0,
  })
})

async function openRun(bench: Replicas, proxy: FaultProxy, chance: Chance): Promise<Run> {
  const caller = await bench.newCaller(tenant_id)
  const counts = { unanswered: 0, killed: 0, is_over: false }
  const run = { bench, proxy, caller, chance, up: new Map(), answers: [], refused: new Map(), ...counts }
  await Promise.all(names.map((name) => start(run, name)))
  return run
}

/** Replica a reaches its database through a proxy that can be slowed down. */
async function start({ bench, proxy, up }: Run, name: string): Promise<void> {
  const db_url = new URL(bench.db_url)
  if (name === 'a') {
    db_url.hostname = '127.0.0.1'
    db_url.port = String(proxy.port)
  }
  up.set(name, await bench.start(name, { db_url: db_url.href }))
}

/** One client: each call until answered; many are sent twice at once, many again after their answer. */
async function work(run: Run, queue: Iterable<string>): Promise<void> {
  for (const name of queue) {
    const at_once = run.chance.below(4) === 0 ? 2 : 1
    await Promise.all(Array.from({ length: at_once }, () => askUntilAnswered(run, name)))
    if (run.chance.below(4) > 0) continue
    const again = await askUntilAnswered(run, name)
    assert.equal(again.replayed, true, `${name} was done again after its answer`)
  }
}

async function askUntilAnswered(run: Run, name: string, among = [...names]): Promise<Answer> {
  const { caller, chance, up, answers, refused } = run
  const request = { protocol: 'EFFECTS', operation: 'happen', input: { name, after_ms: name.length % 3 } }
  for (let asks = 0; asks < asks_max && !run.is_over; asks++) {
    const { api_url } = up.get(chance.pick(among))!
    try {
      const { status, body } = await dispatch({ ...caller, api_url }, request, { 'idempotency-key': name })
      if (status === 200) {
        const { replayed, correlation_id } = body.metadata
        const answer = { name, output: JSON.stringify(body.output), replayed, correlation_id }
        answers.push(answer)
        return answer
      }
      const { code, retryable } = body.error
      // After a failure the outcome is unknown; the key makes a retry safe.
      assert.ok(retryable, `${name} was refused for good: ${JSON.stringify(body)}`)
      refused.set(code, (refused.get(code) ?? 0) + 1)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      run.unanswered++
    }
    await pace(retry_pause_ms)
  }
  throw new Error(`${name} was never answered`)
}

/** After a number of answers and a delay, so that any step of a call is hit. */
async function killNowAndThen(run: Run): Promise<void> {
  const { chance, up, answers } = run
  const apart = Math.floor(calls / kills)
  for (let i = 0; i < kills; i++) {
    const target = answers.length + 1 + chance.below(apart)
    await until('the clients have their answers', () => answers.length >= Math.min(target, calls))
    await pace(chance.below(25))
    const victims = kills > 1 && chance.below(both_share) === 0 ? names : [chance.pick(names)]
    await Promise.all(victims.map((name) => up.get(name)!.stop('SIGKILL')))
    run.killed += victims.length
    await Promise.all(victims.map((name) => start(run, name)))
  }
}

/**
 * The commit is in the database, its confirmation on the slow wire: the replica dies before answering. False if
 * it had answered already.
 */
async function killAfterCommit(run: Run, name: string): Promise<boolean> {
  const { bench, proxy, up, unanswered } = run
  proxy.set({ delay_ms: 50 })
  const answering = askUntilAnswered(run, name, ['a'])
  await until('the effect is committed', async () => {
    const query = 'SELECT FROM idempotency_keys WHERE tenant_id = $1 AND key = $2 AND output_text IS NOT NULL'
    const { rows } = await bench.store.engine_pool.query(query, [tenant_id, name])
    return rows.length === 1
  })
  await up.get('a')!.stop('SIGKILL')
  run.killed++
  proxy.set({})
  // The next calls go to the other replica.
  up.set('a', up.get('b')!)
  const { replayed } = await answering
  assert.equal(run.unanswered > unanswered, replayed)
  return replayed
}

async function readEffects({ bench, up }: Run): Promise<Effects> {
  const { engine_pool } = bench.store
  await until('the outbox is empty', async () => {
    const { rows } = await engine_pool.query('SELECT FROM audit_outbox LIMIT 1')
    return rows.length === 0
  })
  for (const replica of up.values()) assert.equal(await replica.stop(), 0)
  await readChain({ data_dir: '', db_url: bench.db_url }, tenant_id)
  const records = await asOwner(bench.db_url, (client) => storedRecords(client, tenant_id))
  const effects = records
    .map(({ body }) => JSON.parse(body!) as AuditBody)
    .filter(({ event_type }) => event_type === 'custom.effect')
  const by_name = Map.groupBy(effects, ({ meta }) => String(meta.name))
  return new Map(
    [...by_name].map(([name, of_name]) => [name, of_name.map((record) => record.correlation_id)]),
  )
}

/** Each call has one effect and equal answers, all but one of them replays; there are no other effects. */
function findFaults(names: readonly string[], answers: readonly Answer[], effects: Effects): string[] {
  const sent = new Set(names)
  const outputs = new Map<string, string>()
  return [
    ...names.flatMap((name) => {
      const times = effects.get(name)?.length ?? 0
      return times === 1 ? [] : [`${name}: ${times} effects`]
    }),
    ...answers.flatMap(({ name, output, replayed, correlation_id }) => {
      const first = outputs.get(name) ?? output
      outputs.set(name, first)
      if (!sent.has(name) || output !== first) return [`${name}: answered ${output} and ${first}`]
      return replayed || effects.get(name)?.[0] === correlation_id ? [] : [`${name}: not its own effect`]
    }),
  ]
}
