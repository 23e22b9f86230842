// T21: two replicas, five surfaces, every spelling and an engine with a wrong clock draw from one bucket.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import type { Clock } from '@svc/engine/ports'
import { surfaces } from '../../clients/surfaces.ts'
import { trialProtocol } from '../../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { startRedis, type TestRedis } from '../../neighbours/test-redis.ts'
import { until } from '../../suite/eventually.ts'

const day_ms = 86_400_000
const capacity = 23
const limits = {
  infrastructure: { capacity, refill_per_s: 0.001 },
  standard: { capacity: 1000, refill_per_s: 1000 },
  heavy: { capacity: 10, refill_per_s: 1 },
}
const emitted = { signals: [{ name: 'load', kind: 'counter', value: 1 }] }
/** Far enough for another month, and for every bucket to refill. */
const wrong_clock: Clock = { ...system_clock, now_ms: () => system_clock.now_ms() + 40 * day_ms }
const master_key = randomBytes(32)
let redis: TestRedis
const engines: InProcessService[] = []

async function start(db_url?: string, clock: Clock = system_clock): Promise<InProcessService> {
  const config = { limits, redis_url: redis.url, master_key, mcp_port: 0, ...(db_url && { db_url }) }
  return await startInProcess({ clock, config, more_protocols: [trialProtocol().protocol] })
}

before(async () => {
  redis = await startRedis()
  engines.push(await start())
  engines.push(await start(engines[0]!.db_url, wrong_clock))
})
after(async () => {
  for (const engine of engines.toReversed()) await engine.stop()
  await redis.close()
})

/** The same caller at the other engine. */
function at(engine: InProcessService, caller: Addresses): Addresses {
  return { ...caller, api_url: engine.api_url }
}

test('over two engines, five surfaces and every spelling, the capacity of one bucket is admitted', async (t) => {
  const caller = await engines[0]!.newCaller({ tenant_id: 'evader', tier: 'charter' })
  const ways = await Promise.all(
    surfaces.map(({ connect }, index) => {
      const engine = engines[index % 2]!
      return connect(at(engine, caller), engine)
    }),
  )
  const spelled = [
    { protocol: 'MOTET', version: 'v1' },
    { protocol: 'motet', version: 'v1.0.0' },
    { protocol: 'Motet', version: 'latest' },
  ]
  const codes: (string | undefined)[] = []
  for (let round = 0; round < 5; round++) {
    for (const way of ways) codes.push((await way.call('MOTET', 'emit', emitted)).error?.code)
    for (const [index, spelling] of spelled.entries()) {
      const request = { ...spelling, operation: 'emit', input: emitted }
      codes.push((await dispatch(at(engines[index % 2]!, caller), request)).body.error?.code)
    }
  }
  for (const way of ways) await way.close()
  const refused = codes.filter((code) => code === 'rate_limited')
  assert.deepEqual(
    [codes.length - refused.length, codes.slice(0, capacity).filter(Boolean)],
    [capacity, []],
    codes.join(),
  )
  const answer = await dispatch(caller, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { outcome: 'refused' },
  })
  assert.equal(answer.status, 200, 'what is exempt is not limited')
  t.diagnostic(`${capacity} of ${codes.length} admitted`)
})

test('concurrently, from both engines: not one more', async () => {
  const caller = await engines[0]!.newCaller({ tenant_id: 'stormer', tier: 'charter' })
  const request = { protocol: 'MOTET', operation: 'emit', input: emitted }
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => dispatch(at(engines[i % 2]!, caller), request)),
  )
  assert.equal(answers.filter(({ status }) => status === 200).length, capacity)
  assert.ok(answers.every(({ status }) => status === 200 || status === 429))
})

test('the stored monthly count binds both engines, whatever month one of them assumes', async () => {
  const caller = await engines[0]!.newCaller({ tenant_id: 'saver', tier: 'sandbox' })
  const { engine_pool } = engines[0]!.service.store
  const now = new Date(system_clock.now_ms())
  const month = now.getUTCFullYear() * 12 + now.getUTCMonth()
  await engine_pool.query('INSERT INTO month_calls VALUES ($1, $2, 9995, 0)', [month, 'saver'])
  const request = { protocol: 'TRIAL', operation: 'echo', input: {} }
  const answers = []
  for (let i = 0; i < 10; i++) answers.push(await dispatch(at(engines[i % 2]!, caller), request))
  assert.deepEqual(
    answers.map(({ headers }) => headers.get('x-ratelimit-remaining')),
    ['4', '3', '2', '1', '0', '0', '0', '0', '0', '0'],
  )
  assert.equal(answers[5]!.body.error.reason, 'monthly quota used')
  assert.equal(answers.filter(({ status }) => status === 200).length, 5)
})

test('a tier change applies to the next call, and a smaller bucket is cut', async () => {
  const { store } = engines[0]!.service
  const caller = await engines[0]!.newCaller({ tenant_id: 'climber', tier: 'institution' })
  const ask = (engine: InProcessService) =>
    dispatch(at(engine, caller), { protocol: 'MOTET', operation: 'emit', input: emitted })
  assert.equal((await ask(engines[0]!)).headers.get('x-ratelimit-remaining'), String(capacity * 5 - 1))
  await store.engine_pool.query("UPDATE tenants SET tier = 'sandbox' WHERE tenant_id = 'climber'")
  assert.equal(await untilLimit(() => ask(engines[1]!), '2'), '1', 'of 114 left, two and a bit are kept')
  assert.equal(await untilLimit(() => ask(engines[0]!), '2'), '0')
})

/** Keys are cached; every engine is notified of the change, and the first call that shows it counts. */
function untilLimit(ask: () => ReturnType<typeof dispatch>, limit: string): Promise<string | null> {
  return until(`the limit is ${limit}`, async () => {
    const { headers } = await ask()
    return headers.get('x-ratelimit-limit') === limit && headers.get('x-ratelimit-remaining')
  })
}
