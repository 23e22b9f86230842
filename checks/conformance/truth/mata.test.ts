// MATA, MANTIC and MARE over HTTP: a team of forecasters answers questions, is weighed, pooled and calibrated, and risks are scored.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { giveRecords } from '../../scenes/track-record.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const clock = manualClock('2026-11-17T10:00:00.000Z')
let service: InProcessService
let stranger: Addresses

before(async () => {
  service = await startInProcess({ clock })
  stranger = await service.newCaller({ tenant_id: 'other' })
  const { tenant_id } = service
  const team = [await service.newCaller({ tenant_id }), await service.newCaller({ tenant_id })] as const
  resolver = await service.newCaller({ tenant_id })
  sources = [service.agent_did, team[0].agent_did, team[1].agent_did]
  parties = new Map([service, ...team, resolver].map((party) => [party.agent_did, party]))
})
after(() => service.stop())

const ask = (protocol: string, operation: string, input: unknown, who: Addresses = service) =>
  dispatch(who, { protocol, operation, input })
const done = async (protocol: string, operation: string, input: unknown, who?: Addresses): Promise<Fields> =>
  assertSuccess(await ask(protocol, operation, input, who)).output
const refused = async (protocol: string, operation: string, input: unknown, reason: string) =>
  assertRefusal(await ask(protocol, operation, input), { code: 'invalid_payload', stage: 7, reason })

/** Evenly spread, without a pattern that outcomes could follow. */
const spread = (at: number, step: number) => (at * step) % 1
const logit = (p: number) => Math.log(p / (1 - p))
const logistic = (x: number) => 1 / (1 + Math.exp(-x))
/** The forecasters, by their DIDs. */
let sources: readonly [string, string, string]
let resolver: Addresses
let parties: ReadonlyMap<string, Addresses>

interface Question {
  readonly said: readonly [number, number, number]
  readonly hit: boolean
}

/** The published forecaster knows the probabilities; one adds noise, one doubles its confidence. */
const questions: readonly Question[] = Array.from({ length: 250 }, (_, at) => {
  const chance = 0.05 + 0.9 * spread(at + 1, 0.618_033_988_75)
  const noise = 3 * (spread(at + 1, 0.324_717_957_2) - 0.5)
  const forecasts = [chance, logistic(logit(chance) + noise), logistic(2.5 * logit(chance))] as const
  return { said: forecasts, hit: spread(at + 1, 0.754_877_666_2) < chance }
})
const past = questions.slice(0, 200)
const brier = (forecasts: readonly number[], hits: readonly boolean[]) =>
  forecasts.reduce((sum, p, at) => sum + (p - Number(hits[at])) ** 2, 0) / forecasts.length

test('a team of three is weighed by 200 resolved questions; its log pool is as good as the best of them', async () => {
  const run = async (operation: string, input: unknown, as: { did: string }) => {
    const [protocol, name] = operation.split('.') as [string, string]
    return done(protocol, name, input, parties.get(as.did))
  }
  await giveRecords(run, {
    resolver: { did: resolver.agent_did, tenant_id: resolver.tenant_id },
    topic: 'team',
    outcomes: past.map(({ hit }) => hit),
    locks_at: '2026-12-01T00:00:00Z',
    sources: sources.map((did, place) => ({ did, probabilities: past.map(({ said }) => said[place]!) })),
  })
  const judged = await Promise.all(sources.map((source) => done('MATA', 'weight', { source, topic: 'team' })))
  for (const [place, { n, history, brier: mean }] of judged.entries()) {
    const expected = brier(
      past.map(({ said }) => said[place]!),
      past.map(({ hit }) => hit),
    )
    assert.deepEqual([n, history.length], [200, 50])
    assert.ok(Math.abs(mean - expected) < 1e-9)
  }
  assert.deepEqual(
    judged.map(({ rank, sources }) => [rank === 1, sources]),
    [
      [true, 3],
      [false, 3],
      [false, 3],
    ],
  )
  const next = questions.slice(200)
  const pooled = await Promise.all(
    next.map(async ({ said }) => {
      const opinions = sources.map((source, place) => ({ source, probability: said[place] }))
      const pool = await done('MATA', 'pool', { topic: 'team', opinions })
      assert.equal(pool.weighting, 'learned')
      return pool.probability as number
    }),
  )
  const hits = next.map(({ hit }) => hit)
  const single = sources.map((_, place) =>
    brier(
      next.map(({ said }) => said[place]!),
      hits,
    ),
  )
  assert.ok(brier(pooled, hits) <= Math.min(...single) + 0.005, `${brier(pooled, hits)} ${single}`)
})

test('the report of MANTIC on stored forecasts matches an independent computation, and its map is published', async () => {
  const request = {
    forecaster: sources[2],
    stored: { topic: 'team' },
    apply: [0.05, 0.5, 0.95],
    persist: true,
  }
  const answer = await done('MANTIC', 'calibrate', request)
  const expected = independentReport(past.map(({ said, hit }) => [said[2], Number(hit)]))
  for (const [name, value] of Object.entries(expected))
    assert.ok(Math.abs(answer[name] - value) < 1e-6, `${name}: ${answer[name]} is not ${value}`)
  const { reliability, resolution, uncertainty } = answer.decomposition
  assert.ok(Math.abs(reliability - resolution + uncertainty - answer.brier) < 1e-12)
  assert.notEqual(answer.chosen, 'none', 'who doubles its confidence needs a map')
  const [low, , high] = answer.calibrated
  assert.ok(low > 0.05 && high < 0.95)
  assert.match(answer.map_ref, /^mantic:\/\/map\/[0-9a-f]{64}$/)
  assert.equal((await done('MANTIC', 'calibrate', request)).map_ref, answer.map_ref)
  await refused(
    'MANTIC',
    'calibrate',
    { forecaster: sources[2], stored: { topic: 'none' } },
    'too_few_forecasts',
  )
  assertRefusal(await ask('MANTIC', 'calibrate', request, stranger), {
    code: 'invalid_payload',
    stage: 7,
    reason: 'too_few_forecasts',
  })
  const events = await service.records(service.tenant_id, { event_types: ['CalibrationPublished'] })
  assert.equal(events[0]!.meta.map_ref, answer.map_ref)
})

/** Ten bins of the sorted forecasts: 200 distinct ones give twenty each. */
function independentReport(rows: readonly (readonly [number, number])[]): Record<string, number> {
  const sorted = [...rows].sort(([a], [b]) => a - b)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const gaps = Array.from({ length: 10 }, (_, bin) => {
    const members = sorted.slice(bin * 20, bin * 20 + 20)
    return Math.abs(mean(members.map(([p]) => p)) - mean(members.map(([, hit]) => hit)))
  })
  const centre = mean(rows.map(([p]) => p))
  return {
    n: rows.length,
    base_rate: mean(rows.map(([, hit]) => hit)),
    brier: mean(rows.map(([p, hit]) => (p - hit) ** 2)),
    log_score: -mean(rows.map(([p, hit]) => hit * Math.log(p) + (1 - hit) * Math.log(1 - p))),
    ece: mean(gaps),
    mce: Math.max(...gaps),
    sharpness: mean(rows.map(([p]) => (p - centre) ** 2)),
  }
}

test('risks: factors in money, vectors and history; an uncertain band is settled by more iterations', async () => {
  const factors = [{ id: 'outage', frequency: 1, loss_usd: { p5: 100, p95: 1000 } }]
  const appetite = { expected_loss_usd: 5000, var95_usd: 100_000 }
  const request = { subject: 'the move', factors, appetite }
  const calm = await done('MARE', 'score', request)
  assert.deepEqual([calm.band, calm.recommendation, calm.iterations], ['low', 'proceed', 10_000])
  assert.deepEqual(calm.contributions, { outage: 1 })
  assert.ok(Math.abs(calm.score - 100 * (1 - 2 ** (-calm.cvar_95 / 100_000))) < 1e-9)
  assert.equal((await done('MARE', 'score', request)).risk_ref, calm.risk_ref)
  const edge = { ...appetite, var95_usd: calm.cvar_95 }
  const answer = await ask('MARE', 'score', { ...request, appetite: edge, persist: true })
  const { output, metadata } = assertSuccess(answer)
  assert.equal(output.iterations, 200_000)
  const [record] = await service.records(service.tenant_id, {
    correlation_ids: [metadata.correlation_id],
    event_types: ['ProtocolInvocation'],
  })
  assert.equal((record!.meta.module as Fields).path, 'agent')
  const worse = await done('MARE', 'score', { ...request, appetite: { ...edge, var95_usd: 10 } })
  assert.deepEqual([worse.band, worse.recommendation], ['critical', 'refuse'])
  const cvss_vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'
  const hole = await done('MARE', 'score', { subject: 'a hole', cvss_vector })
  assert.deepEqual([hole.score, hole.band, hole.appetite.from], [98, 'critical', 'default'])
  await refused('MARE', 'score', { subject: 'a hole', cvss_vector: 'CVSS:3.1/AV:N' }, 'bad_vector')
  await refused('MARE', 'score', { subject: 'both', cvss_vector, factors }, 'one_of')
  const from_history = { protocol: 'MATA', operation: 'pool', window_days: 30 }
  const history = await done('MARE', 'score', { subject: 'pooling', from_history })
  assert.ok(history.failure_rate.calls >= 50 && history.failure_rate.failures === 0)
  const priced = { ...from_history, loss_usd: 10 }
  assert.ok((await done('MARE', 'score', { subject: 'pooling', from_history: priced })).expected_loss_usd > 0)
  const never = { ...from_history, operation: 'never' }
  await refused('MARE', 'score', { subject: 'pooling', from_history: never }, 'no_history')
})
