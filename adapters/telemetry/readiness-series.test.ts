import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { readinessSeries } from './readiness-series.ts'
import { type Measured, metricsPage } from './summed-metrics.ts'

test('each check of /ready is a metric; with several workers the worst value is shown', async () => {
  const measured: Measured[] = []
  for (const database of [true, false]) {
    const registry = new Registry()
    readinessSeries(registry, async () => ({ database, audit: true }))
    measured.push((await registry.getMetricsAsJSON()) as unknown as Measured)
  }
  const { text } = await metricsPage(measured)
  assert.match(text, /^svc_ready_check\{check="database"\} 0$/m)
  assert.match(text, /^svc_ready_check\{check="audit"\} 1$/m)
})
