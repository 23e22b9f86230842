import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { manualClock } from '../../checks/rehearsal/manual-clock.ts'
import { gatheredMetrics } from './gathered-metrics.ts'
import { metricFeed, type PointBatch } from './metric-feed.ts'
import type { Measured } from './summed-metrics.ts'

function open(own_points_max?: number) {
  const clock = manualClock('2026-11-18T10:00:05.000Z')
  const gathered = gatheredMetrics(own_points_max)
  const registry = new Registry()
  const registers = [registry]
  const point_batches: PointBatch[] = []
  let fault: Error | undefined
  const feed = metricFeed({
    gathered,
    clock,
    operator_tenant_id: 'operator',
    measure: async () => (await registry.getMetricsAsJSON()) as unknown as Measured,
    async keep(batch) {
      point_batches.push(batch)
      if (fault) throw fault
    },
  })
  const call = (code = 'ok', latency_ms = 3) =>
    gathered.called(
      'acme',
      { protocol: 'MAX', operation: 'audit_query', outcome: 'success', code },
      latency_ms,
    )
  const emit = (
    value: number,
    at_ms = clock.now_ms(),
    kind: 'counter' | 'gauge' | 'histogram' = 'gauge',
    tenant_id = 'acme',
  ) =>
    gathered.emitted(tenant_id, { name: 'load', kind, value, labels: { tenant: 'x', host: 'a' }, at: '' }, at_ms) // biome-ignore format: one thought
  const points = () => point_batches.flatMap((batch) => batch.points)
  const fail = (error?: Error) => {
    fault = error
  }
  return { clock, gathered, registers, kept: point_batches, feed, call, emit, points, fail }
}

test('calls are counted and timed by tenant, and read once', async () => {
  const { feed, call, points, kept } = open()
  call()
  call()
  call('timeout', 31_000)
  await feed.settled()
  await feed.scrape()
  assert.equal(kept.length, 1)
  const counted = points().filter(({ name }) => name === 'svc_dispatch_total')
  assert.deepEqual(counted.map(({ labels, value }) => [labels.code, value]), [['ok', 2], ['timeout', 1]]) // biome-ignore format: one thought
  const timed = points().filter(({ name }) => name === 'svc_dispatch_seconds')
  assert.deepEqual(timed.map(({ labels, count }) => [labels.kept, count]), [['yes', 2], ['no', 1]]) // biome-ignore format: one thought
  assert.equal(
    timed[0]!.buckets!.reduce((sum, count) => sum + count),
    2,
  )
})

test('signals are grouped by the ten seconds they were measured in', async () => {
  const { feed, emit, points, clock } = open()
  emit(1)
  emit(5)
  emit(3)
  emit(9, clock.now_ms() - 3_600_000)
  await feed.settled()
  assert.deepEqual(points().map(({ labels, value, count, max, last }) => [labels, value, count, max, last]), [
    [{ host: 'a' }, 9, 3, 5, 3],
    [{ host: 'a' }, 9, 1, 9, 9],
  ]) // biome-ignore format: one thought
  emit(4, clock.now_ms(), 'counter')
  emit(2, clock.now_ms(), 'counter')
  await feed.settled()
  assert.equal(points().at(-1)!.last, 4, 'a running total is the highest that was seen')
})

test("the engine's own figures go to its operator; of totals only the growth", async () => {
  const { feed, points, registers, kept } = open()
  const counter = new Counter({ name: 'shed_total', help: 'x', registers })
  const wait = new Histogram({ name: 'gc', help: 'x', buckets: [1, 2], labelNames: ['kind'], registers })
  new Gauge({ name: 'in_flight', help: 'x', registers }).set(7)
  new Gauge({ name: 'svc_tenant_x', help: 'x', registers }).set(7)
  const taken = () => points().map(({ tenant_id, name, value, buckets }) => [tenant_id, name, value, buckets])
  counter.inc(5)
  wait.observe({ kind: 'minor' }, 1.5)
  await feed.scrape()
  assert.deepEqual(taken(), [
    ['operator', 'shed_total', 5, undefined],
    ['operator', 'gc', 1.5, [0, 1, 0]],
    ['operator', 'in_flight', 7, undefined],
  ])
  kept.length = 0
  counter.inc(2)
  wait.observe({ kind: 'minor' }, 9)
  await feed.scrape()
  assert.deepEqual(taken().slice(0, 2), [
    ['operator', 'shed_total', 2, undefined],
    ['operator', 'gc', 9, [0, 0, 1]],
  ])
  kept.length = 0
  counter.reset()
  counter.inc(1)
  await feed.scrape()
  assert.equal(points()[0]!.value, 1, 'what began again counts from nothing')
})

test('a batch that may not have arrived is sent again under its number, and nothing is taken meanwhile', async () => {
  const { feed, call, fail, kept, points } = open()
  call()
  fail(new Error('the connection broke'))
  await assert.rejects(feed.settled(), /broke/)
  call()
  await assert.rejects(feed.settled(), /broke/)
  fail()
  await feed.settled()
  const [first, again, arrived] = kept
  assert.ok(first === again && again === arrived)
  await feed.scrape()
  assert.deepEqual(
    kept.map(({ number }) => number),
    [1, 1, 1, 2],
  )
  assert.equal(points().at(-2)!.value, 1)
  assert.equal(new Set(kept.map(({ source }) => source)).size, 1)
})

test('many points are split into batches, and concurrent readers share one flush', async () => {
  const { feed, emit, kept, clock } = open()
  for (let i = 0; i < 5_001; i++) emit(i, clock.now_ms() + i * 10_000)
  await Promise.all([feed.settled(), feed.settled(), feed.settled()])
  assert.deepEqual(
    kept.map(({ points }) => points.length),
    [5_000, 1],
  )
})

test('when the buffer is full nothing is taken, so nothing is lost; one tenant cannot fill it', () => {
  const { gathered, emit, clock } = open(1_000)
  const fill = (tenant_id: string) => {
    let points = 0
    for (; gathered.hasRoom(tenant_id); points++)
      emit(1, clock.now_ms() + points * 10_000, 'gauge', tenant_id)
    return points
  }
  assert.deepEqual(['acme', 'acme', 'globex', 'third'].map(fill), [200, 0, 200, 200])
  emit(1, clock.now_ms(), 'gauge', 'acme')
  assert.deepEqual(['fourth', 'fifth', 'sixth'].map(fill), [200, 200, 0], 'the same moment is the same point')
  assert.equal(gathered.take(clock.now_ms()).length, 1_000)
  assert.ok(gathered.hasRoom('acme'))
})
