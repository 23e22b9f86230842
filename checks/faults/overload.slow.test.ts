// Ten times the capacity: the excess is refused at once, and all of it is in the audit log. Throughput at
// that load is only reported, by `npm run assurance`.
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { type TestContext, test } from 'node:test'
import type { LimitTable } from '@svc/engine/limits/limits'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { assertKept } from './scene/audit-log-check.ts'
import { type Answered, ask, effectSort, type Sort, startCallers } from './scene/callers.ts'
import { announce, is_long, openChance, quantile, report } from './scene/chance.ts'
import { emptyChain, readChain } from './scene/exported-chain.ts'
import { sendOpenLoop } from './scene/open-loop.ts'

const chance = openChance()
/** Bound by waiting and not by CPU, so that the peak is the same on a busy machine: ten connections. */
const use_ms = 200
const occupy = effectSort('occupy', () => ({ for_ms: use_ms / 2 + chance.below(use_ms + 1) }))
const look = effectSort('look', () => ({}))
const times = 10
const burst_calls = 600
const window_ms = 20_000
/** How long the load runs before counting begins: by then every connection is in use. */
const ramp_ms = 2_000
/** One more in an hour: however long the test takes, a full bucket is all that is admitted. */
const limit = { capacity: 50, refill_per_s: 1 / 3_600 }
const many_calls = 1_000
const bounds = { timeout: 600_000 }

interface Stage {
  readonly replicas: Replicas
  readonly replica: Replica
  readonly kept: Map<string, Answered[]>
  caller(tenant_id: string, tier: 'charter' | 'sovereign'): Promise<Addresses>
}

async function openStage(t: TestContext, calls_max: number, limits: LimitTable): Promise<Stage> {
  const replicas = await openReplicas({ limits, calls_max })
  t.after(() => replicas.close())
  const replica = await replicas.start('engine')
  const answers = new Map<string, Answered[]>()
  const caller = async (tenant_id: string, tier: 'charter' | 'sovereign') => {
    answers.set(tenant_id, [])
    return { ...(await replicas.newCaller(tenant_id, tier)), api_url: replica.api_url }
  }
  return { replicas, replica, kept: answers, caller }
}

/** A clean stop writes everything that was answered; it is read without the engine. */
async function assertInAuditLog({ replicas, replica, kept }: Stage): Promise<void> {
  assert.equal(await replica.stop(), 0)
  for (const [tenant_id, answered] of kept) {
    const own = await readChain({ data_dir: '', db_url: replicas.db_url }, tenant_id)
    assertKept(answered, { own, operator: emptyChain(), records: own.hashes.length })
  }
}

function unlike(status: number, answered: readonly Answered[]): string[] {
  const others = answered.filter((answer) => answer.status !== status)
  return [...new Set(others.map((answer) => `${answer.status} ${answer.code}`))]
}

function latency(answered: readonly Answered[]): number {
  return quantile(
    answered.map(({ took_ms }) => took_ms),
    0.99,
  )
}

/** Far more at once than ten connections can serve: some are served, the others are refused at once. */
async function overload(t: TestContext, stage: Stage): Promise<void> {
  const engine = await stage.caller('acme', 'sovereign')
  const answers = stage.kept.get('acme')!
  if (is_long) await measureGoodput(t, engine, answers)
  const sending = sendAtOnce(engine, occupy, burst_calls)
  assert.equal((await fetch(`${engine.api_url}/health`)).status, 200, 'an operator is always answered')
  const answered = await sending
  answers.push(...answered)
  assertShed(answered)
  const shed = answered.filter(({ status }) => status !== 200)
  report(t, { N: answered.length, shed: shed.length, shed_ms_p99: latency(shed) })
}

async function sendAtOnce(engine: Addresses, sort: Sort, count: number): Promise<Answered[]> {
  const agent = new Agent({ keepAlive: true })
  try {
    return await Promise.all(Array.from({ length: count }, () => ask(engine, sort, agent)))
  } finally {
    agent.destroy()
  }
}

/** Refused only for lack of capacity. */
function assertShed(answered: readonly Answered[]): void {
  const shed = answered.filter(({ status }) => status !== 200)
  assert.deepEqual(unlike(503, shed), [])
  assert.ok(shed.length > 0, 'it was no overload')
  assert.ok(shed.length < answered.length, 'nobody was served')
}

/** Successes per second at their peak, and at ten times that load. */
async function measureGoodput(t: TestContext, engine: Addresses, answers: Answered[]): Promise<void> {
  const callers = startCallers(engine, 20, [occupy], chance, 0)
  await until('all connections are busy', () => callers.answered.length >= 20)
  const before = callers.answered.length
  await pace(window_ms)
  const peak = ((callers.answered.length - before) * 1000) / window_ms
  await callers.stop()
  assert.deepEqual([callers.unanswered, unlike(200, callers.answered)], [0, []])
  const sent = await sendOpenLoop(engine, occupy, { per_s: peak * times, ramp_ms, for_ms: window_ms })
  for (const answer of [...callers.answered, ...sent.answered]) answers.push(answer)
  assert.equal(sent.unanswered, 0)
  assertShed(sent.answered)
  report(t, {
    N: sent.answered.length,
    peak_per_s: peak,
    offered_per_s: sent.offered_per_s,
    good_per_s: sent.good_per_s,
    goodput: `${((100 * sent.good_per_s) / peak).toFixed(1)}%`,
  })
}

/** A tenant far past its limit gets exactly its limit, and another tenant is not affected. */
async function greed(t: TestContext, stage: Stage): Promise<void> {
  const greedy = await stage.caller('greedy', 'charter')
  const modest = await stage.caller('modest', 'sovereign')
  const alone = await sendAtOnce(modest, look, limit.capacity)
  const [many, few] = await Promise.all([
    sendAtOnce(greedy, look, times * limit.capacity),
    sendAtOnce(modest, look, limit.capacity),
  ])
  stage.kept.get('greedy')!.push(...many)
  stage.kept.get('modest')!.push(...alone, ...few)
  report(t, {
    N: many.length,
    other_ms_p99_alone: latency(alone),
    other_ms_p99_beside: latency(few),
  })
  const refused = many.filter(({ status }) => status !== 200)
  assert.deepEqual(unlike(429, refused), [])
  assert.equal(many.length - refused.length, limit.capacity)
  assert.deepEqual(unlike(200, few), [], 'the other tenant was refused')
}

test('at ten times the load the excess is refused, and every answer is recorded', bounds, async (t) => {
  announce(t, import.meta.filename, times, chance)
  await t.test(
    'a tenant past its limit gets what the limit allows, and another is not affected',
    async (t) => {
      const stage = await openStage(t, many_calls, { infrastructure: limit, standard: limit, heavy: limit })
      await greed(t, stage)
      await assertInAuditLog(stage)
    },
  )
  await t.test('an operation beyond what its connections can serve', async (t) => {
    const stage = await openStage(t, many_calls, 'off')
    await overload(t, stage)
    await assertInAuditLog(stage)
  })
})

/** Smaller than the database queue, so that the dispatch endpoint sheds load. */
const few_calls = 40

test('no capacity at the dispatch endpoint', {
  ...bounds,
  skip: !is_long && 'only in npm run assurance',
}, async (t) => {
  const stage = await openStage(t, few_calls, 'off')
  await overload(t, stage)
  await assertInAuditLog(stage)
})
