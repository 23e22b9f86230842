import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Signal } from '@svc/contract/needs/telemetry'
import fc from 'fast-check'
import { Registry } from 'prom-client'
import { tenantSeries } from './tenant-series.ts'

function open(series_max?: number) {
  const registry = new Registry()
  const series = tenantSeries(registry, series_max)
  const take = (tenant_id: string, signal: Partial<Signal>) =>
    series.take(tenant_id, {
      name: 'done',
      kind: 'counter',
      value: 1,
      labels: {},
      at: '2026-11-18T00:00:00Z',
      ...signal,
    })
  /** Samples as `name{labels} value`, without comments and unused metrics. */
  const samples = async () =>
    (await registry.metrics()).split('\n').filter((line) => line && !line.startsWith('#'))
  return { take, samples, registry, series }
}

test('each kind is exported under the tenant that emitted it', async () => {
  const { take, samples } = open()
  assert.deepEqual(take('acme', { labels: { queue: 'inbox' }, value: 3 }), { created: true })
  assert.deepEqual(take('acme', { labels: { queue: 'inbox' }, value: 5 }), { created: false })
  take('acme', { name: 'load', kind: 'gauge', value: -0.5 })
  take('acme', { name: 'wait', kind: 'histogram', value: 0.02 })
  const lines = await samples()
  assert.ok(lines.includes('svc_tenant_done{tenant="acme",queue="inbox"} 5'), lines.join('\n'))
  assert.ok(lines.includes('svc_tenant_load{tenant="acme"} -0.5'))
  assert.ok(lines.includes('svc_tenant_wait_count{tenant="acme"} 1'))
})

test('the tenant label cannot be forged', async () => {
  const { take, samples } = open()
  assert.equal(take('acme', { labels: { tenant: 'globex' } }).rejected, undefined)
  const lines = await samples()
  assert.equal(lines.filter((line) => line.includes('globex')).length, 0, lines.join('\n'))
  assert.ok(lines.includes('svc_tenant_done{tenant="acme"} 1'))
})

test('a counter is a running total and never decreases', async () => {
  const { take, samples } = open()
  take('acme', { value: 10 })
  assert.match(take('acme', { value: 9 }).rejected!, /must not decrease/)
  assert.match(take('acme', { name: 'fresh', value: -1 }).rejected!, /must not decrease/)
  assert.equal(take('acme', { value: 10 }).rejected, undefined)
  assert.equal(take('globex', { value: 1 }).rejected, undefined)
  const lines = await samples()
  assert.ok(lines.includes('svc_tenant_done{tenant="acme"} 10'))
  assert.ok(lines.includes('svc_tenant_done{tenant="globex"} 1'))
})

test('an exported counter only grows, whatever is sent', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 50 }), { maxLength: 30 }), async (values) => {
      const { take, samples } = open()
      let highest = 0
      for (const value of values) {
        const { rejected } = take('acme', { value })
        assert.equal(rejected === undefined, value >= highest)
        highest = Math.max(highest, value)
        const line = (await samples()).find((sample) => sample.startsWith('svc_tenant_done{'))
        assert.equal(Number(line?.split(' ')[1] ?? 0), highest)
      }
    }),
    { numRuns: 50 },
  )
})

test('a name keeps its kind within its tenant; other tenants are independent', async () => {
  const { take, samples } = open()
  take('acme', { labels: { a: '1' } })
  assert.match(take('acme', { kind: 'gauge', labels: { a: '2' } }).rejected!, /done is a counter already/)
  assert.equal(take('globex', { kind: 'gauge', value: 7, labels: { a: '1' } }).rejected, undefined)
  const globex = (await samples()).filter((line) => line.includes('tenant="globex"'))
  assert.equal(globex.length, 1)
  assert.match(globex[0]!, / 7$/)
})

test("one name with several label sets, and names like the engine's, are all exported", async () => {
  const { take, samples } = open()
  const rejected = [
    take('acme', { labels: { a: '1' } }),
    take('acme', { labels: { b: '1' } }),
    take('acme', { labels: { a: '1', b: '1' } }),
    take('acme', { name: 'done_2' }),
    take('acme', { name: 'done_3', labels: { c: '1' } }),
    take('acme', { labels: { d: '1' } }),
    take('acme', { name: 'other_total' }),
  ].filter((taken) => taken.rejected !== undefined)
  assert.deepEqual(rejected, [])
  assert.equal((await samples()).filter((line) => line.includes('tenant="acme"')).length, 7)
})

test('labels reserved by Prometheus are rejected without an exception', () => {
  const { take } = open()
  assert.match(take('acme', { kind: 'histogram', labels: { le: '1' } }).rejected!, /label le/)
  assert.match(take('acme', { labels: { __name__: 'x' } }).rejected!, /label __name__/)
  assert.equal(take('acme', { labels: { level: '1' } }).rejected, undefined)
})

test('a tenant has at most 2000 series; the excess is rejected and counted under other', async () => {
  const { take, samples } = open()
  for (let i = 0; i < 2000; i++) assert.equal(take('acme', { labels: { i: String(i) } }).rejected, undefined)
  for (let i = 2000; i < 2005; i++) {
    const { rejected, created } = take('acme', { labels: { i: String(i) } })
    assert.match(rejected!, /at most 2000 series/)
    assert.equal(created, false)
  }
  assert.equal(take('acme', { labels: { i: '7' }, value: 2 }).rejected, undefined, 'a series it has goes on')
  assert.equal(take('globex', { labels: { i: '2000' } }).rejected, undefined, 'other tenants have their own')
  const lines = await samples()
  assert.ok(lines.includes('svc_tenant_other_total{tenant="acme"} 5'))
  assert.equal(lines.filter((line) => line.startsWith('svc_tenant_done{tenant="acme"')).length, 2000)
})

test('a series without data for a day is evicted for another', async () => {
  const { take, samples } = open()
  for (let i = 0; i < 2000; i++) take('acme', { name: `n_${i % 3}`, labels: { i: String(i) } })
  const fed = '2026-11-18T20:00:00Z'
  take('acme', { name: 'n_1', labels: { i: '1' }, value: 5, at: fed })
  const later = { labels: { day: '2' }, kind: 'gauge' } as const
  assert.match(take('acme', { ...later, at: '2026-11-18T23:00:00Z' }).rejected!, /at most 2000 series/)
  const at = '2026-11-19T00:30:00Z'
  assert.deepEqual(take('acme', { ...later, at }), { created: true })
  assert.match(take('acme', { name: 'n_1', labels: { i: '1' }, value: 4, at }).rejected!, /must not decrease/)
  assert.deepEqual(take('acme', { name: 'n_0', kind: 'gauge', labels: { i: '0' }, at }), { created: true })
  const lines = (await samples()).filter((line) => line.includes('tenant="acme"') && !line.includes('other'))
  assert.deepEqual(lines.sort(), [
    'svc_tenant_done{tenant="acme",day="2"} 1',
    'svc_tenant_n_0{tenant="acme",i="0"} 1',
    'svc_tenant_n_1{tenant="acme",i="1"} 5',
  ])
})

test('names of some tenants do not exclude those of another', async () => {
  const { take, registry } = open()
  for (let i = 0; i < 12_000; i++)
    assert.equal(take(`t${i % 6}`, { name: `n_${i}` }).rejected, undefined, `${i}`)
  assert.deepEqual(take('acme', { name: 'fresh' }), { created: true })
  assert.match(take('acme', { name: 'fresh', value: 0 }).rejected!, /must not decrease/)
  assert.equal(registry.getMetricsAsArray().length, 10_001, 'the page is as long as it may be')
})

test("values that cannot be stored or summed are rejected, and so are the engine's names", () => {
  const { take } = open()
  assert.match(take('acme', { labels: { a: 'x\0y' } }).rejected!, /no text/)
  assert.match(take('acme', { labels: { a: '\ud800' } }).rejected!, /no text/)
  assert.match(take('acme', { kind: 'gauge', value: -1e101 }).rejected!, /within 1e\+100/)
  assert.match(take('acme', { name: 'svc_dispatch_total' }).rejected!, /engine's own/)
})

test('a rejected signal leaves no state', async () => {
  const { take, registry } = open()
  const before = registry.getMetricsAsArray().length
  for (let i = 0; i < 50; i++) take('acme', { name: `never_${i}`, value: -1 })
  assert.equal(registry.getMetricsAsArray().length, before)
})

test('the page holds a fixed number of series; the tenant silent for longest is evicted', async () => {
  const { take, samples, series } = open(100)
  for (let n = 0; n < 5_000; n++) {
    take(`tenant-${n}`, { name: `own_${n}` })
    take('steady', { value: n })
  }
  assert.equal(series.size, 100)
  const lines = await samples()
  assert.equal(lines.length, 100)
  assert.ok(lines.includes('svc_tenant_done{tenant="steady"} 4999'), 'who emits all the time stays')
  assert.ok(lines.some((line) => line.includes('tenant-4999')))
})
