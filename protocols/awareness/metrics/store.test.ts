import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { MeasuredPoint } from '@svc/contract/needs/measurement'
import { sql } from '@svc/database/sql'
import fc from 'fast-check'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { windowValue } from './function.ts'
import { resolutions } from './range.ts'
import { findSeries, readWindows } from './read.ts'
import { forgetOldPoints, keepPoints } from './store.ts'

let test_store: TestStore
before(async () => {
  test_store = await openTestStore()
})
after(() => test_store.close())

const start_ms = Date.parse('2026-11-18T10:00:00Z')
const finest = resolutions[0]!
const day_ms = 86_400_000

function counted(value: number, second: number, other: Partial<MeasuredPoint> = {}): MeasuredPoint {
  const at_ms = start_ms + second * 1000
  return { tenant_id: 'acme', name: 'calls', labels: {}, kind: 'counter', own: false, at_ms, value, count: 1, min: null, max: null, last: 0, ...other } // biome-ignore format: kept on one line
}
const total = (last: number, second: number, name: string) => counted(0, second, { name, own: true, last })

let batches = 0
const engines = [randomUUID(), randomUUID()]
function tell(
  points: readonly MeasuredPoint[],
  engine = 0,
  number = ++batches,
  now_ms = start_ms,
): Promise<number> {
  return keepPoints(test_store.store.engine, { source: engines[engine]!, number, now_ms, points })
}

/** Windows of one series, as its tenant reads them. */
function read(
  name: string,
  from_s: number,
  to_s: number,
  step_s: number,
  resolution = finest,
  tenant_id = 'acme',
) {
  return test_store.as(tenant_id, async (db) => {
    const series = await findSeries(db, { metric: name, labels: {}, tenant_id: undefined }, 10)
    const range = { from_ms: start_ms + from_s * 1000, to_ms: start_ms + to_s * 1000 }
    return readWindows(db, series, { range, step_ms: step_s * 1000, resolution }, true)
  })
}
const grown = (windows: readonly { value: number }[]) => windows.reduce((sum, { value }) => sum + value, 0)

test('engines add to one series, and a repeated report counts once', async () => {
  await tell([counted(3, 1), counted(4, 12)], 0, 1)
  await tell([counted(3, 1), counted(4, 12)], 0, 1)
  await tell([counted(5, 3)], 1, 1)
  batches = 1
  assert.deepEqual(
    (await read('calls', 0, 60, 10)).map(({ slot, value, last }) => [slot, value, last]),
    [
      [0, 8, 12],
      [1, 4, 7],
    ],
  )
  for (const resolution of resolutions) {
    const [window] = await read('calls', 0, 3600, 3600, resolution)
    assert.equal(window!.value, 12, `${resolution.seconds}`)
  }
  assert.equal((await read('calls', 0, 3600, 3600, finest, 'globex')).length, 0, 'nobody else sees it')
})

test('nothing is stored of a tenant that lives in another database, or arrives from it', async () => {
  const enter = (tenant_id: string, state: string) => sql`
    INSERT INTO tenant_homes (tenant_id, move_id, state, other)
    VALUES (${tenant_id}, ${randomUUID()}, ${state}, 'db')`
  const name = 'calls_of_moving'
  const states = ['copying', 'arriving', 'moved', 'live']
  for (const state of states) await enter(`is-${state}`, state).execute(test_store.store.engine)
  const of = (state: string) => counted(1, 5, { name, tenant_id: `is-${state}` })
  assert.equal(await tell(states.map(of)), 0)
  const sums = await Promise.all(
    states.map(async (state) => grown(await read(name, 0, 60, 60, finest, `is-${state}`))),
  )
  assert.deepEqual(sums, [1, 0, 0, 1])
})

test('the running total of a tenant grows by what exceeds its maximum, on any engine', async () => {
  await tell([total(100, 0, 'done'), total(110, 15, 'done')])
  await tell([total(108, 16, 'done')], 1)
  await tell([total(125, 25, 'done')], 1)
  await tell([total(120, 26, 'done')])
  const windows = await read('done', 0, 60, 10)
  assert.deepEqual(windows.map(({ slot, value, last }) => [slot, value, last]), [
    [0, 0, 100],
    [1, 10, 110],
    [2, 15, 125],
  ]) // biome-ignore format: kept on one line
})

test('increase over adjacent windows adds up for any split', async () => {
  let series = 0
  const step = fc.record({ second: fc.integer({ min: 0, max: 3599 }), value: fc.integer({ min: 0, max: 9 }), engine: fc.constantFrom(0, 1) }) // biome-ignore format: kept on one line
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 3599 }), { maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), cuts, async (steps, inner) => {
      const name = `added_${++series}`
      for (const { second, value, engine } of steps) await tell([counted(value, second, { name })], engine)
      const edges = [0, ...inner.sort((a, b) => a - b), 3600]
      let sum = 0
      for (const [i, from] of edges.slice(0, -1).entries())
        sum += grown(await read(name, from, edges[i + 1]!, 3600))
      assert.equal(
        sum,
        steps.reduce((all, { value }) => all + value, 0),
      )
      assert.equal(grown(await read(name, 0, 3600, 7)), sum, 'also by small windows')
    }),
    { numRuns: 5 },
  )
})

test('gauges store mean, maximum and newest; histograms the count of each bucket', async () => {
  const gauge = (value: number, second: number) =>
    counted(value, second, { name: 'load', kind: 'gauge', min: value, max: value, last: value })
  await tell([gauge(4, 2), gauge(2, 9), gauge(9, 5)])
  // An earlier time, reported later.
  await tell([gauge(1, 1)], 1)
  const [load] = await read('load', 0, 10, 10)
  assert.deepEqual([load!.value, load!.count, load!.min, load!.max, load!.last], [16, 4, 1, 9, 2])
  const timed = (buckets: number[], second: number) =>
    counted(1, second, { name: 'wait', kind: 'histogram', bounds: [1, 2], buckets, count: buckets.reduce((a, b) => a + b), max: 5 }) // biome-ignore format: kept on one line
  await tell([timed([1, 0, 1], 1), timed([0, 4, 0], 2)])
  await tell([timed([2, 0, 0], 3)], 1)
  const [wait] = await read('wait', 0, 10, 10)
  assert.deepEqual([wait!.count, wait!.buckets, wait!.last], [8, [3, 4, 1], 8])
  assert.equal(windowValue('p50', 'histogram', wait!, 10_000, [1, 2]), 1.25)
})

test('a tenant is limited to 2000 series; the engine is not, and old ones give up their slots', async () => {
  const own = (from: number, length: number) =>
    Array.from({ length }, (_, i) => counted(1, 0, { tenant_id: 'many', name: 'n', labels: { i: `${from + i}` }, own: true })) // biome-ignore format: kept on one line
  assert.equal(await tell(own(0, 1_990)), 0)
  const lost = await Promise.all([tell(own(1_985, 15), 0), tell(own(3_000, 10), 1)])
  assert.equal(lost[0]! + lost[1]!, 10)
  assert.equal(await tell([counted(1, 0, { tenant_id: 'many', name: 'svc_x' })]), 0)
  const later_ms = start_ms + 2 * day_ms
  assert.equal(await tell(own(5_000, 3), 0, ++batches, later_ms), 0)
  const row = await sql<{ count: string }>`
    SELECT count(*) FROM metric_series WHERE tenant_id = 'many' AND own`.first(test_store.store.engine)
  assert.equal(Number(row!.count), 2_003)
})

test('each resolution is deleted after its own retention', async () => {
  await tell([counted(1, 0, { name: 'old' })])
  const left = async (after_ms: number) => {
    await forgetOldPoints(test_store.store.engine, start_ms + after_ms)
    const rows = await sql<{ resolution: number }>`
      SELECT resolution FROM metric_point p JOIN metric_series s USING (tenant_id, series_id)
      WHERE s.name = 'old' ORDER BY resolution`.all(test_store.store.engine)
    return rows.map(({ resolution }) => resolution)
  }
  assert.deepEqual(await left(day_ms - 1000), [10, 300, 3600])
  assert.deepEqual(await left(day_ms + 11_000), [300, 3600])
  assert.deepEqual(await left(31 * day_ms), [3600])
  assert.deepEqual(await left(401 * day_ms), [])
})

test('one sweep deletes all points past their retention', async () => {
  const { engine } = test_store.store
  // More than one batch: a hundred busy organizations write this many in half a minute.
  await sql`INSERT INTO metric_point (tenant_id, series_id, resolution, at, value, count, last, last_at)
    SELECT 'busy', i, 10, ${new Date(start_ms)}, 1, 1, 1, ${new Date(start_ms)}
    FROM generate_series(1, 45000) AS i`.execute(engine)
  await forgetOldPoints(engine, start_ms + day_ms + 11_000)
  const row = await sql<{ left: string }>`
    SELECT count(*) AS left FROM metric_point WHERE tenant_id = 'busy'`.first(engine)
  assert.equal(Number(row!.left), 0)
})
