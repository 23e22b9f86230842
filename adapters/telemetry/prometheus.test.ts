import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Log } from '@svc/engine/ports'
import { prometheus } from './prometheus.ts'

function open() {
  const messages: { level: string; fields: object }[] = []
  const say = (level: string) => (fields: object) => void messages.push({ level, fields })
  const log: Log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  const meters = prometheus(log)
  const lines = async () => (await meters.registry.metrics()).split('\n')
  return { meters, lines, said: messages }
}

test('dispatches are counted by outcome, and timed by protocol', async () => {
  const { meters, lines } = open()
  meters.dispatched('MAX', 'audit_query', 'success', 'ok', 2, 'acme')
  meters.dispatched('MAX', 'audit_query', 'success', 'ok', 4, 'acme')
  meters.dispatched('MAX', 'audit_query', 'refused', 'rate_limited', 1, 'acme')
  const metric_lines = await lines()
  const total = 'svc_dispatch_total{protocol="MAX",operation="audit_query"'
  assert.ok(metric_lines.includes(`${total},outcome="success",code="ok"} 2`))
  assert.ok(metric_lines.includes(`${total},outcome="refused",code="rate_limited"} 1`))
  assert.ok(metric_lines.includes('svc_dispatch_seconds_count{protocol="MAX"} 3'))
  assert.ok(metric_lines.includes('svc_dispatch_seconds_bucket{le="0.0025",protocol="MAX"} 2'))
})

test("unknown events are counted under the spec's name", async () => {
  const { meters, lines } = open()
  meters.count('audit_unknown_event')
  assert.ok((await lines()).includes('audit_unknown_event 1'))
})

test('a gauge is read at scrape time', async () => {
  const { meters, lines } = open()
  let value = 1
  meters.gauge('svc_in_flight', 'Calls under way.', () => value)
  value = 7
  assert.ok((await lines()).includes('svc_in_flight 7'))
})

test("a tenant's signals are routed: metrics to the registry, logs and spans to the log", async () => {
  const { meters, lines, said } = open()
  meters.metric('acme', { name: 'done', kind: 'counter', value: 2, labels: {}, at: '2026-11-18T00:00:00Z' })
  meters.log('acme', { severity: 'info', body: 'hello' })
  meters.span('acme', { name: 'work' })
  assert.ok((await lines()).includes('svc_tenant_done{tenant="acme"} 2'))
  assert.deepEqual(said, [
    { level: 'info', fields: { tenant_id: 'acme', signal: { severity: 'info', body: 'hello' } } },
    { level: 'debug', fields: { tenant_id: 'acme', span: { name: 'work' } } },
  ])
})
