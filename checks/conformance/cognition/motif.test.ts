// MOTET, MOTIF and MOMENT over HTTP: anomalies, SLOs and verified snapshots. Rules: motif.test.ts.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { refuse } from '@svc/contract/refusal'
import { verifyProof } from '@svc/contract/signing/data-integrity'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { tryProtocol } from '../../rehearsal/test-ports.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-18T06:00:00.000Z')
const hour_ms = 3_600_000
const start_ms = clock.now_ms()
const timeAt = (minute: number) => new Date(start_ms + minute * 60_000).toISOString()
const now = () => new Date(clock.now_ms()).toISOString()

let service: InProcessService
before(async () => {
  const trial = tryProtocol((input) => {
    if (input.break) throw new Error('broken on purpose')
    if (input.refuse) throw refuse('policy_denied', 'The rule of this test says no.', { reason: 'test' })
    return {}
  })
  service = await startInProcess({ clock, more_protocols: [trial] })
})
after(() => service.stop())

const ask = (
  protocol: string,
  operation: string,
  input: unknown,
  who: Addresses = service,
): Promise<Answer> => dispatch(who, { protocol, operation, input })
const done = async (protocol: string, operation: string, input: unknown, who?: Addresses): Promise<Fields> =>
  assertSuccess(await ask(protocol, operation, input, who)).output

/** A peak each hour with reproducible noise; at one labelled minute there is an anomaly. */
const anomaly_minute = 217
function cpuAt(minute: number): number {
  const noise = createHash('sha256').update(`${minute}`).digest().readUInt32BE() / 2 ** 32 - 0.5
  const busy = 30 + 20 * Math.sin((2 * Math.PI * minute) / 60)
  return busy + 2 * noise + (minute === anomaly_minute ? 45 : 0)
}
const emitCpu = (from: number, until: number) => {
  const signals = Array.from({ length: until - from }, (_, i) => {
    const minute = from + i
    return {
      name: 'cpu_percent',
      kind: 'gauge',
      value: cpuAt(minute),
      labels: { host: 'a' },
      at: timeAt(minute),
    }
  })
  return done('MOTET', 'emit', { signals })
}

test('a CPU series through MOTET.emit shows the labelled anomaly in MOTIF.detect', async () => {
  // Signals may be an hour off, so the clock advances with them.
  for (let minute = 0; minute < 360; minute += 120) {
    const { accepted, rejected } = await emitCpu(minute, minute + 60)
    assert.deepEqual([accepted, rejected], [60, []])
    clock.advance(2 * hour_ms)
    assert.equal((await emitCpu(minute + 60, minute + 120)).accepted, 60)
  }
  const answer = await done('MOTIF', 'detect', { metric: 'cpu_percent', labels: { host: 'a' }, window: 30 })
  assert.deepEqual([answer.points, answer.step_ms, answer.series], [360, 60_000, 1])
  assert.equal(answer.anomalies[0].at, timeAt(anomaly_minute))
  assert.ok(
    answer.anomalies[0].score > 6 && Math.abs(answer.anomalies[0].expected - cpuAt(anomaly_minute) + 45) < 5,
  )
  assert.equal(answer.anomalies.length, 1, JSON.stringify(answer.anomalies))
  assert.ok(Math.abs(answer.period_ms - hour_ms) <= 60_000, `${answer.period_ms}`)
  const off_minutes = (Date.parse(answer.discord.at) - Date.parse(timeAt(anomaly_minute))) / 60_000
  assert.ok(off_minutes <= 0 && off_minutes > -30, 'the strangest window holds it')
  const [{ a, b }] = answer.motifs
  assert.equal((Date.parse(b) - Date.parse(a)) % hour_ms, 0, 'what repeats does so by the hour')
  assert.deepEqual(answer.changepoints, [])
})

test('the counters of an engine add up over adjacent windows, and are separate for each tenant', async () => {
  const metric = 'svc_dispatch_total'
  const labels = { protocol: 'MOTET', operation: 'emit' }
  const [from, to] = [timeAt(-60), now()]
  const increase = async (step_ms: number, who?: Addresses) => {
    const question = { metric, labels, from, to, step_ms, function: 'increase' }
    const { series } = await done('MOTIF', 'query', question, who)
    return series
      .flatMap(({ points }: Fields) => points)
      .reduce((sum: number, [, value]: number[]) => sum + value!, 0)
  }
  assert.deepEqual(
    [await increase(24 * hour_ms), await increase(10_000), await increase(7_000_000)],
    [6, 6, 6],
  )
  assert.equal(await increase(hour_ms, await service.newCaller({ tenant_id: 'globex' })), 0)
  const observer = { tenant_id: service.operator.tenant_id, capabilities: ['svc.*.*'] }
  const everybody = { metric, labels, from, to, all_tenants: true }
  const { series } = await done('MOTIF', 'query', everybody, await service.newCaller(observer))
  assert.deepEqual(
    series.map(({ labels: shown }: Fields) => shown.tenant),
    [service.tenant_id],
  )
})

test('a caller that may not see all tenants is told why', async () => {
  const denied = { code: 'policy_denied', stage: 7, reason: 'operator only' } as const
  assertRefusal(await ask('MOMENT', 'snapshot', { all_tenants: true }), denied)
  const objective = { kind: 'availability', target: 0.99 }
  assertRefusal(await ask('MOMENT', 'slo', { objective, all_tenants: true }), denied)
})

test('a name reserved for the engine is rejected', async () => {
  const emitted = await done('MOTET', 'emit', {
    signals: [{ name: 'svc_dispatch_total', kind: 'counter', value: 1 }],
  })
  assert.match(emitted.rejected[0].reason, /engine's own/)
})

test('the SLO burn alert pages when calls fail, and a refusal by rule counts as good', async () => {
  const objective = { protocol: 'try', kind: 'availability', target: 0.99 }
  const run = (input: Fields, times: number) =>
    Promise.all(Array.from({ length: times }, () => ask('TRY', 'run', input)))
  await run({}, 10)
  await run({ refuse: true }, 10)
  clock.advance(2_000)
  const calm = await done('MOMENT', 'slo', { objective })
  assert.deepEqual([calm.good, calm.total, calm.sli, calm.alert], [20, 20, 1, 'none'])
  await run({ break: true }, 5)
  clock.advance(2_000)
  const burning = await done('MOMENT', 'slo', { objective })
  assert.deepEqual([burning.good, burning.total, burning.alert], [20, 25, 'page'])
  assert.ok(Math.abs(burning.burn_rate['5m'] - 20) < 1e-9 && burning.error_budget_left < 0)
  assert.deepEqual(Object.keys(burning.burn_rate).sort(), ['1h', '3d', '5m', '6h'])
  const soon = { ...objective, kind: 'latency', threshold_ms: 100_000 }
  assert.equal(
    (await done('MOMENT', 'slo', { objective: soon })).good,
    20,
    'what failed was not answered in time',
  )
  // An hour later it has stopped: no page, but a ticket for the budget used.
  clock.advance(hour_ms)
  assert.equal((await done('MOMENT', 'slo', { objective, windows: ['30d'] })).alert, 'ticket')
  assertRefusal(await ask('MOMENT', 'slo', { objective: { ...objective, threshold_ms: 5 } }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'threshold',
  })
  for (const place of [{ protocol: 'trie' }, { protocol: 'try', operation: 'runn' }, { operation: 'run' }])
    assertRefusal(
      await ask('MOMENT', 'slo', { objective: { ...objective, protocol: undefined, ...place } }),
      {
        code: 'invalid_payload',
        stage: 7,
        reason: 'invalid objective',
      },
    )
})

test('the history of calls compares with the period before, by any name, and across tenants for the operator', async () => {
  const caller = await service.newCaller({ tenant_id: 'charts', capabilities: ['svc.*.*'] })
  const run = (input: Fields, times: number) =>
    Promise.all(Array.from({ length: times }, () => ask('TRY', 'run', input, caller)))
  clock.advance(hour_ms - (clock.now_ms() % hour_ms))
  await run({}, 3)
  clock.advance(hour_ms)
  const from = now()
  await run({}, 4)
  await run({ refuse: true }, 2)
  clock.advance(hour_ms / 2)
  await run({ break: true }, 1)
  clock.advance(hour_ms / 2)
  const history = async (more: Fields, who: Addresses = caller) => {
    await service.service.audit_log.flush()
    return done('MOTIF', 'history', { from, to: now(), protocol: 'TRY', ...more }, who)
  }
  const answer = await history({ step_ms: 1_800_000, by: 'reason' })
  const counts = ({ calls, refused, failed }: Fields) => [calls, refused, failed]
  assert.deepEqual([answer.total, answer.before].map(counts), [[7, 2, 1], [3, 0, 0]]) // biome-ignore format: kept on one line
  assert.deepEqual(answer.points.map(counts), [[6, 2, 0], [1, 0, 1]]) // biome-ignore format: kept on one line
  assert.deepEqual(answer.groups.map(({ name, total }: Fields) => [name, total.calls]), [['ok', 4], ['test', 2], ['internal', 1]]) // biome-ignore format: kept on one line
  assert.ok(answer.total.p50_ms > 0 && answer.total.p50_ms <= answer.total.p99_ms)
  assert.ok(Number(answer.total.spend_usd) > 0)
  assert.deepEqual([answer.step_ms, answer.resolution_ms, answer.partial], [1_800_000, 300_000, false])
  const [agent] = (await history({ by: 'agent', outcome: 'refused' })).groups
  assert.deepEqual([agent.name, agent.total.refused, agent.total.p50_ms], [caller.agent_did, 2, null])
  assert.equal((await history({}, service)).total.calls, 0, 'another organization sees nothing of it')
  const observer = { tenant_id: service.operator.tenant_id, capabilities: ['svc.*.*'] }
  const everybody = { all_tenants: true, by: 'tenant' }
  const { groups } = await history(everybody, await service.newCaller(observer))
  assert.deepEqual(groups.map(({ name, total }: Fields) => [name, total.calls]), [['charts', 7]]) // biome-ignore format: kept on one line
  const refused = (
    more: Fields,
    reason: string,
    code: 'invalid_payload' | 'policy_denied' = 'invalid_payload',
  ) =>
    ask('MOTIF', 'history', { from, to: now(), ...more }, caller).then((answered) =>
      assertRefusal(answered, { code, stage: 7, reason }),
    )
  await refused({ by: 'tenant' }, 'wrong_group')
  await refused({ department: 'sales', all_tenants: true }, 'wrong_group')
  await refused({ all_tenants: true }, 'operator only', 'policy_denied')
  await refused({ to: from }, 'empty_period')
  await refused({ from: timeAt(-2 * 24 * 60), step_ms: 300_000, by: 'agent', top: 50 }, 'too_large')
})

test('a snapshot can be verified by anybody, and says which sections have no history', async () => {
  const picture = await done('MOMENT', 'snapshot', {})
  assert.deepEqual(picture.unavailable, [])
  assert.deepEqual(Object.keys(picture.sections).sort(), ['audit', 'breakers', 'devices', 'dispatch', 'latency', 'mailboxes', 'runway', 'workflows']) // biome-ignore format: kept on one line
  const { proof, ...document } = picture
  const key = verifyProof(document, proof)
  assert.equal(verifyProof({ ...document, tree_size: picture.tree_size + 1 }, proof), undefined)
  const evidence = { from: now(), include_checkpoints: true }
  const { keys } = await done('MAX', 'audit_query', evidence)
  assert.ok(
    keys.some(({ public_key }: Fields) => public_key === key),
    'the key of the audit log',
  )
  assert.equal(picture.checkpoint.split('\n')[1], String(picture.tree_size))
  const then = timeAt(200)
  const past = await done('MOMENT', 'snapshot', { at: then })
  assert.deepEqual(past.unavailable.map(({ section }: Fields) => section), ['breakers', 'runway', 'workflows', 'mailboxes', 'devices']) // biome-ignore format: kept on one line
  assert.ok(past.tree_size > 0 && past.tree_size < picture.tree_size)
  const { proof: old_proof, ...old } = past
  assert.equal(verifyProof(old, old_proof), key)
  assertRefusal(await ask('MOMENT', 'snapshot', { at: '2999-01-01T00:00:00Z' }), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'no_such_moment',
  })
})

test('10,000 signals with a time and labels are taken in one request', async () => {
  const signals = Array.from({ length: 10_000 }, (_, i) => ({
    name: 'jobs_running',
    kind: 'gauge',
    value: i,
    at: timeAt(-i / 600),
    labels: { host: `host-${i % 10}`, queue: 'inbox' },
  }))
  const { accepted, rejected } = await done('MOTET', 'emit', { signals })
  assert.deepEqual([accepted, rejected], [10_000, []])
})

test('signals that do not fit are listed in rejected, and the others are there', async () => {
  const good = { name: 'jobs_done', kind: 'counter', value: 1 }
  const bad = [{ ...good, name: 'Bad-Name' }, { value: null }, { ...good, labels: { a: 'x'.repeat(129) } }]
  const { accepted, rejected } = await done('MOTET', 'emit', { signals: [good, ...bad] })
  assert.deepEqual([accepted, rejected.map(({ index }: Fields) => index)], [1, [1, 2, 3]])
  assert.match(rejected[0].reason, /^\/name must be lower-case letters/)
  assert.match(JSON.stringify(await done('MOTIF', 'list_metrics', {})), /"jobs_done"/)
  const answer = await ask('MOTET', 'emit', { signals: [good], extra: 1 })
  assertRefusal(answer, { code: 'invalid_payload', stage: 7, reason: 'schema' })
})
