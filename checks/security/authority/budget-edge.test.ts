// At the edge of a runway, two engines and all surfaces together spend the remaining amount, and not a
// micro-USD more.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { microUsdAbove } from '@svc/contract/money/money'
import { setCreditLine } from '@svc/protocols/economic/meal/billing-store'
import { spentOf } from '@svc/protocols/economic/usage/spend-store'
import { type Surface, surfaces } from '../../clients/surfaces.ts'
import { type Trial, trialProtocol } from '../../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { startRedis, type TestRedis } from '../../neighbours/test-redis.ts'
import { eventually } from '../../suite/eventually.ts'

/** The most an operation that meters no tokens may cost is one second: 0.018 USD. */
const worst = 18_000n
/** The rounding of each engine. */
const rounded_max = 2n
const calls_at_once = is_long ? 1_000 : 200
const master_key = randomBytes(32)
let redis: TestRedis
const engines: InProcessService[] = []
const trials: Trial[] = []

async function start(config: object): Promise<void> {
  const trial = trialProtocol()
  trials.push(trial)
  const common = { master_key, mcp_port: 0, limits: 'off' as const }
  engines.push(await startInProcess({ config: { ...common, ...config }, more_protocols: [trial.protocol] }))
}

before(async () => {
  redis = await startRedis(['--save', '', '--appendonly', 'no'])
  await start({ redis_url: redis.url })
  await start({ redis_url: redis.url, db_url: engines[0]!.db_url })
  await start({ db_url: engines[0]!.db_url })
})
after(async () => {
  for (const engine of engines.toReversed()) await engine.stop()
  await redis.close()
})

/** A tenant with this limit that has spent nothing. */
async function newSpender(tenant_id: string, micro_usd: bigint): Promise<Addresses> {
  const { store } = engines[0]!.service
  const caller = await engines[0]!.newCaller({ tenant_id, capabilities: ['svc.trial.*'] })
  await setCreditLine(store.engine, tenant_id, micro_usd)
  return caller
}

async function spentBy(tenant_id: string): Promise<bigint> {
  for (const { service } of engines) await service.audit_log.flush()
  return microUsdAbove((await spentOf(engines[0]!.service.store.engine, tenant_id, runway_counter)).quanta)
}

function at(engine: InProcessService, caller: Addresses): Addresses {
  return { ...caller, api_url: engine.api_url }
}

type Call = (operation: string) => Promise<string | undefined>

/** The refusal the caller gets; undefined if the call succeeded. */
const overHttp =
  (caller: Addresses): Call =>
  async (operation) =>
    (await dispatch(caller, { protocol: 'TRIAL', operation, input: {} })).body.error?.reason

const overStream =
  (caller: Addresses): Call =>
  async (operation) => {
    const request = { protocol: 'TRIAL', operation, input: {} }
    const { body } = await dispatch(caller, request, { accept: 'text/event-stream' })
    const last = (body as string).split('\n\n').findLast((block) => /^event: (result|error)\n/.test(block))
    const data = JSON.parse(last!.slice(last!.indexOf('data: ') + 'data: '.length))
    return data.error?.reason
  }

const overSurface =
  (surface: Surface): Call =>
  async (operation) =>
    (await surface.call('TRIAL', operation, {})).error?.reason ?? undefined

/** A caller may run 32 tools at once on an engine, so MCP is one way in eighteen. */
async function callsOf(t: TestContext, caller: Addresses, on: readonly InProcessService[]): Promise<Call[]> {
  const hosted = surfaces.find(({ name }) => name === 'mcp-hosted')!
  const calls: Call[] = []
  for (const engine of on) {
    const there = at(engine, caller)
    const surface = await hosted.connect(there, engine)
    t.after(() => surface.close())
    const others = Array.from({ length: 17 }, (_, i) => (i % 3 === 0 ? overStream : overHttp)(there))
    calls.push(overSurface(surface), ...others)
  }
  return calls
}

/** Calls whose budget an engine judged alone because Redis did not answer in time. */
async function judgedAlone(): Promise<number> {
  let sum = 0
  for (const { metrics_url } of engines) {
    const page = await (await fetch(metrics_url)).text()
    sum += Number(/^svc_budget_fallback_total (\d+)/m.exec(page)?.[1] ?? 0)
  }
  return sum
}

/** Admitted calls stay in their modules until every other was refused: exactly this many at once. */
async function storm(t: TestContext, calls: readonly Call[], count: number, fitting: number): Promise<void> {
  const alone_before = await judgedAlone()
  const refused: string[] = []
  const done = Array.from({ length: count }, async (_, place) => {
    const reason = await calls[place % calls.length]!('hold')
    if (reason !== undefined) refused.push(reason)
  })
  const heldNow = () => trials.reduce((sum, trial) => sum + trial.held, 0)
  const areAllDecided = () => assert.equal(refused.length + heldNow(), count)
  await eventually(areAllDecided)
  const reserved = heldNow()
  for (const trial of trials) trial.release()
  await Promise.all(done)
  const reason = fitting > 0 ? 'reserved by calls under way' : 'tenant runway exhausted'
  assert.deepEqual([...new Set(refused)], [reason])
  const alone = (await judgedAlone()) - alone_before
  t.diagnostic(`${reserved} of ${count} were let in; ${alone} were judged without Redis`)
  if (alone === 0) assert.equal(reserved, fitting)
  // If the machine keeps Redis from answering, an engine gives out its share on top, see docs/economy.md.
  else assert.ok(reserved <= 2 * fitting, `${reserved} of ${fitting}`)
}

/** One after the other, until the worst case no longer fits. */
async function useUp(calls: readonly Call[], tenant_id: string, limit: bigint): Promise<void> {
  const calls_max = 3_000
  for (let n = 0; (await calls[n % calls.length]!('echo')) !== 'tenant runway exhausted'; n++)
    assert.ok(n < calls_max, 'it is never used up')
  const spent = await spentBy(tenant_id)
  assert.ok(spent <= limit, `${spent} of ${limit} were spent`)
  assert.ok(spent + worst + rounded_max > limit, `refused with ${limit - spent} left`)
}

test('hundreds at once, on two engines, over HTTP, SSE and MCP: as many as fit, and no more', async (t) => {
  const limit = 40n * worst + worst / 2n
  const caller = await newSpender('edge', limit)
  const calls = await callsOf(t, caller, engines.slice(0, 2))
  await storm(t, calls, calls_at_once, 40)
  const spent = await spentBy('edge')
  assert.ok(spent > 0n)
  if ((await judgedAlone()) > 0) return
  assert.ok(spent <= limit, `${spent}`)
  const [fitting, over] = [(limit - spent - rounded_max) / worst, (limit - spent) % worst]
  t.diagnostic(`40 of ${calls_at_once} cost ${spent} micro-USD; ${fitting} more fit, ${over} are left over`)
  if (over > rounded_max) await storm(t, calls, 100, Number((limit - spent) / worst))
  if ((await judgedAlone()) === 0) assert.ok((await spentBy('edge')) <= limit)
})

test("in one engine's memory: a hundred at once, as many as fit", async (t) => {
  const caller = await newSpender('edge-of-one', 7n * worst + 1n)
  await storm(t, await callsOf(t, caller, engines.slice(2)), 100, 7)
})

test('nobody is refused while the worst case fits', async (t) => {
  const limit = worst + 300n
  const caller = await newSpender('thrifty', limit)
  await useUp(await callsOf(t, caller, engines.slice(0, 2)), 'thrifty', limit)
})
