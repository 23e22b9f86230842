import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { keepMap, publishedMap } from '../mantic/calibration-store.ts'
import { addScores, judgeTopic, sourceWeights } from './reliability-store.ts'
import { findScores, meanScores } from './score-history.ts'

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
const atDay = (days_ago: number) => new Date(Date.parse(now) - days_ago * 86_400_000).toISOString()
const idOf = (nth: number, group = 0) => `0000000${group}-0000-4000-8000-${String(nth).padStart(12, '0')}`
const question = (nth: number, group = 0) => ({
  question_id: idOf(nth, group),
  topic: 'weather',
  kind: 'binary' as const,
  outcome: 0,
  at: atDay(nth),
})
const scored = (source: string, brier: number, share = 1) => ({
  source,
  forecast: Math.sqrt(brier),
  share,
  score: { loss: brier, brier, log: 1 },
  excess: brier - 0.3,
})
const near = (value: number, expected: number) => assert.ok(Math.abs(value - expected) < 1e-9, `${value}`)

test('questions resolved at once are all counted, without deadlock, and old ones less', async () => {
  const [marc, mari] = ['protocol:MARC', 'protocol:MARI']
  await Promise.all(
    Array.from({ length: 60 }, (_, nth) => {
      const both = [scored(marc, (nth % 10) / 10), scored(mari, 0.25)]
      return as((here) => addScores(here, question(nth), nth % 2 ? both : both.toReversed()))
    }),
  )
  for (const [half_life, topic] of [
    [180, 'weather'],
    [180, '*'],
    [1, 'weather'],
  ] as const) {
    const { known, judged } = await as((here) => judgeTopic(here, topic, [marc], half_life))
    const { n, n_effective } = judged.get(marc)!
    const masses = Array.from({ length: 60 }, (_, nth) => 2 ** (-nth / half_life))
    assert.deepEqual([known, n], [true, 60])
    near(
      n_effective,
      masses.reduce((sum, mass) => sum + mass, 0),
    )
  }
  const means = await as((here) => meanScores(here, { source: marc, topic: 'weather' }))
  near(means.brier!, 0.45)
  assert.deepEqual([means.log_loss, means.crps], [1, null])
})

test('forecasters of one root count as one together, however many they are', async () => {
  const siblings = ['maven://a/1', 'maven://a/2', 'maven://a/3', 'maven://a/4']
  const group = siblings.map((source) => scored(source, 0, 1 / siblings.length))
  const here = { ...question(0, 1), topic: 'siblings' }
  assert.equal(await as((context) => addScores(context, here, [...group, scored('maven://b/1', 0)])), 5)
  const { judged } = await as((context) => judgeTopic(context, 'siblings', siblings))
  const together = siblings.reduce((sum, source) => sum + judged.get(source)!.n_effective, 0)
  near(together, judged.get('maven://b/1')!.n_effective)
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
  const period = { source: 'protocol:MARC', topic: '*', from: atDay(10), to: now }
  assert.equal((await as((here) => findScores(here, period, 100))).length, 10)
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
