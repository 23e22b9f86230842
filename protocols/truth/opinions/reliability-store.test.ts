import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { keepMap, publishedMap } from '../mantic/calibration-store.ts'
import { addOutcomes, findOutcomes, judgeTopic, type Resolved, sourceWeights } from './reliability-store.ts'

let store: TestStore
before(async () => {
  store = await openTestStore()
})
after(() => store.close())

const now = '2026-11-17T00:00:00.000Z'
const context = (db: Database, more: Partial<OperationContext> = {}) =>
  testContext({ db, tenant_id: 'dev', now, caller: { did: 'did:oas:dev:agent:0' }, ...more })
const as = <T>(work: (context: OperationContext) => Promise<T>, tenant_id = 'dev') =>
  store.as(tenant_id, (db) => work(context(db, { tenant_id })))
const outcome = (id: number, days_ago: number, brier: number): Resolved => ({
  id: `o${id}`,
  forecast: Math.sqrt(brier),
  outcome: false,
  at: new Date(Date.parse(now) - days_ago * 86_400_000).toISOString(),
  brier,
  log_loss: 1,
})
const place = { source: 'protocol:MARC', topic: 'weather' }

test('concurrent reports of the same outcomes count each once, without deadlock', async () => {
  const outcomes = Array.from({ length: 60 }, (_, id) => outcome(id, id, (id % 10) / 10))
  const turns = Array.from({ length: 6 }, (_, turn) => (turn % 2 ? outcomes : outcomes.toReversed()))
  const added = await Promise.all(turns.map((turn) => as((here) => addOutcomes(here, place, turn))))
  assert.equal(added.flat().length, 60)
  for (const topic of ['weather', '*']) {
    const { known, judged } = await as((here) => judgeTopic(here, topic, [place.source]))
    const { n, n_effective, brier } = judged.get(place.source)!
    const masses = outcomes.map((_, id) => 2 ** (-id / 180))
    const whole = masses.reduce((sum, mass) => sum + mass, 0)
    const lost = outcomes.reduce((sum, one, id) => sum + masses[id]! * one.brier, 0)
    assert.deepEqual([known, n], [true, 60])
    assert.ok(Math.abs(n_effective - whole) < 1e-9 && Math.abs(brier! - lost / whole) < 1e-9)
  }
})

test('another half-life is computed from the outcomes themselves', async () => {
  const { judged } = await as((here) => judgeTopic(here, 'weather', [place.source], 1))
  const masses = Array.from({ length: 60 }, (_, id) => 2 ** -id)
  const lost = masses.reduce((sum, mass, id) => sum + mass * ((id % 10) / 10), 0)
  const { n_effective, brier } = judged.get(place.source)!
  const whole = masses.reduce((sum, mass) => sum + mass, 0)
  assert.ok(Math.abs(n_effective - whole) < 1e-9 && Math.abs(brier! - lost / whole) < 1e-9)
})

test('of two outcomes with one id in one report the first counts', async () => {
  const other = { source: 'protocol:MARI', topic: 'weather' }
  const twice = [outcome(1, 0, 0.25), outcome(1, 0, 1)]
  const added = await as((here) => addOutcomes(here, other, twice))
  assert.deepEqual(added, [twice[0]])
  const [stored_outcome] = await as((here) => findOutcomes(here, other))
  assert.equal(stored_outcome!.brier, 0.25)
})

test('weights compare sources of a topic, are equal without history, and belong to one tenant', async () => {
  const sources = ['protocol:MARC', 'protocol:MARI', 'protocol:NEW']
  const weights = await as((here) => sourceWeights(here, 'weather', sources))
  assert.equal(new Set(Object.values(weights)).size, 3)
  const unknown = await as((here) => sourceWeights(here, 'weather', sources), 'other')
  assert.deepEqual(
    Object.values(unknown).map((weight) => Math.abs(weight - 1 / 3) < 1e-12),
    [true, true, true],
  )
  const period = { source: 'protocol:MARC', topic: '*', from: outcome(0, 10, 0).at, to: now }
  assert.equal((await as((here) => findOutcomes(here, period, 100))).length, 10)
})

test('the newest published map is in force, also an old one published again', async () => {
  const [first, second] = [{ method: 'none' }, { method: 'temperature', temperature: 2 }] as const
  const publish = (id: string, map: typeof first | typeof second, at: string) =>
    store.as('dev', (db) => keepMap(context(db, { now: at }), id, 'protocol:MARC', map, {}))
  const inForce = () => as((here) => publishedMap(here, 'protocol:MARC'))
  assert.equal(await inForce(), undefined)
  await publish('a', first, '2026-11-17T00:00:00Z')
  await publish('b', second, '2026-11-17T00:00:01Z')
  assert.deepEqual(await inForce(), second)
  await publish('a', first, '2026-11-17T00:00:02Z')
  assert.deepEqual(await inForce(), first)
  assert.equal(await as((here) => publishedMap(here, 'protocol:MARC'), 'other'), undefined)
})
