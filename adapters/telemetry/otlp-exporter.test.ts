import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { otlpExporter } from './otlp-exporter.ts'
import type { Measured } from './summed-metrics.ts'

const registry = new Registry()
const registers = [registry]
new Counter({ name: 'done_total', help: 'What was done.', labelNames: ['queue'], registers }).inc(
  { queue: 'in' },
  3,
)
new Gauge({ name: 'load', help: 'Load.', registers }).set(0.5)
const wait = new Histogram({ name: 'wait', help: 'Waiting.', buckets: [1, 2], registers })
for (const seconds of [0.5, 1.5, 1.7, 9]) wait.observe(seconds)

const measure = async () => (await registry.getMetricsAsJSON()) as unknown as Measured
const parts = { clock: { now_ms: () => 1_794_000_000_000 }, measure, instance: 'one', engine_did: 'did:x' }

async function collector(t: TestContext, answers: number[]) {
  const got: { path: string | undefined; who: string | undefined; body: string }[] = []
  const server = createServer(async (request, response) => {
    const { url: path, headers } = request
    got.push({ path, who: headers.authorization, body: await text(request) })
    response.writeHead(answers.shift() ?? 500).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => new Promise((resolve) => server.close(resolve)))
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

test('a collector gets every kind under its OTLP name, with totals since the start', async (t) => {
  const { got, url } = await collector(t, [200, 503])
  const send = otlpExporter({ url }, parts)
  await send()
  assert.equal(got[0]!.path, '/v1/metrics')
  const [{ resource, scopeMetrics }] = JSON.parse(got[0]!.body).resourceMetrics
  assert.ok(resource.attributes.some(({ key }: { key: string }) => key === 'service.instance.id'))
  const [counter, gauge, histogram] = scopeMetrics[0].metrics
  assert.deepEqual([counter.name, counter.sum.isMonotonic, counter.sum.aggregationTemporality], ['done_total', true, 2]) // biome-ignore format: one thought
  assert.deepEqual(counter.sum.dataPoints, [
    {
      startTimeUnixNano: '1794000000000000000',
      timeUnixNano: '1794000000000000000',
      asDouble: 3,
      attributes: [{ key: 'queue', value: { stringValue: 'in' } }],
    },
  ])
  assert.equal(gauge.gauge.dataPoints[0].asDouble, 0.5)
  const [point] = histogram.histogram.dataPoints
  assert.deepEqual([point.count, point.sum, point.bucketCounts, point.explicitBounds], ['4', 12.7, ['1', '2', '1'], [1, 2]]) // biome-ignore format: one thought
  await assert.rejects(send(), /the collector answered 503/)
})

test('no request exceeds its maximum of points, even if a single metric does', async (t) => {
  const { got, url } = await collector(t, [200, 200, 200])
  const tenants = new Registry()
  const load = new Gauge({ name: 'load', help: 'x', labelNames: ['i'], registers: [tenants] })
  for (let i = 0; i < 12_000; i++) load.set({ i: `${i}` }, i)
  const measured = async () => (await tenants.getMetricsAsJSON()) as unknown as Measured
  await otlpExporter({ url }, { ...parts, measure: measured })()
  const sent = got.map(({ body }) => JSON.parse(body).resourceMetrics[0].scopeMetrics[0].metrics)
  assert.deepEqual(
    sent.map((metrics) => metrics.map(({ name, gauge }: Sent) => [name, gauge.dataPoints.length])),
    [[['load', 5_000]], [['load', 5_000]], [['load', 2_000]]],
  )
  const values = sent.flat().flatMap(({ gauge }: Sent) => gauge.dataPoints.map(({ asDouble }) => asDouble))
  assert.equal(new Set(values).size, 12_000)
})

test('a password in the address reaches the collector, but no error message', async (t) => {
  const { got, url } = await collector(t, [200, 503])
  const send = otlpExporter({ url: url.replace('//', '//me:s%3Acret@') }, parts)
  await send()
  assert.equal(got[0]!.who, `Basic ${Buffer.from('me:s:cret').toString('base64')}`)
  await assert.rejects(send(), (error: Error) => !`${error.stack}`.includes('cret'))
  await otlpExporter({ url }, parts)().catch(() => {})
  assert.equal(got[2]!.who, undefined)
})

interface Sent {
  readonly name: string
  readonly gauge: { readonly dataPoints: { readonly asDouble: number }[] }
}
