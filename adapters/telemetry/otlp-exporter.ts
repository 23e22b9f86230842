// Sends this process's metrics to an OpenTelemetry collector: OTLP over HTTP, JSON. Where none is named nothing leaves.
import type { Clock } from '@svc/engine/ports'
import type { Measured } from './summed-metrics.ts'

const answer_ms_max = 5_000
/** A collector takes few megabytes at a time; what a process measures is split into so many points. */
const points_a_request_max = 5_000

export interface OtlpSettings {
  /** The collector's base address; `/v1/metrics` is put behind it. */
  readonly url: string
}

export interface OtlpIdentity {
  /** `service.instance.id`: this process alone. */
  readonly instance: string
  readonly engine_did: string
}

interface Parts extends OtlpIdentity {
  readonly clock: Pick<Clock, 'now_ms'>
  measure(): Promise<Measured>
}

/** Sends everything as it stands; refused or unreachable it throws, and the next time tells the same totals and more. */
export function otlpExporter(
  { url }: OtlpSettings,
  { clock, measure, ...identity }: Parts,
): () => Promise<void> {
  const started_ms = clock.now_ms()
  const { target, headers } = addressOf(url)
  return async () => {
    const metrics = otlpMetrics(await measure(), started_ms, clock.now_ms())
    for (const part of inParts(metrics)) {
      const response = await fetch(target, {
        method: 'POST',
        headers,
        body: JSON.stringify(requestOf(part, identity)),
        redirect: 'error',
        signal: AbortSignal.timeout(answer_ms_max),
      })
      await response.body?.cancel()
      if (!response.ok) throw new Error(`the collector answered ${response.status}`)
    }
  }
}

/** A name and password within the address go into a header: fetch refuses such an address, and says it in full. */
function addressOf(url: string): { target: string; headers: Record<string, string> } {
  const target = new URL('v1/metrics', url.endsWith('/') ? url : `${url}/`)
  const who = [target.username, target.password].map(decodeURIComponent).join(':')
  target.username = ''
  target.password = ''
  const basic = { authorization: `Basic ${Buffer.from(who).toString('base64')}` }
  const headers = { 'content-type': 'application/json', ...(who === ':' ? {} : basic) }
  return { target: target.href, headers }
}

interface OtlpMetric {
  readonly name: string
  readonly description: string
  readonly kind: 'gauge' | 'sum' | 'histogram'
  readonly facts: object
  readonly points: readonly object[]
}

function requestOf(metrics: readonly OtlpMetric[], { instance, engine_did }: OtlpIdentity) {
  const attributes = attributesOf({
    'service.name': 'svc-engine',
    'service.instance.id': instance,
    'svc.engine_did': engine_did,
  })
  const sent = metrics.map(({ name, description, kind, facts, points }) => {
    return { name, description, [kind]: { dataPoints: points, ...facts } }
  })
  return { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ scope: { name: 'svc' }, metrics: sent }] }] } // biome-ignore format: one thought
}

function* inParts(metrics: readonly OtlpMetric[]): Generator<OtlpMetric[]> {
  let part: OtlpMetric[] = []
  let points = 0
  for (const metric of metrics.flatMap(slicesOf)) {
    if (part.length > 0 && points + metric.points.length > points_a_request_max) {
      yield part
      part = []
      points = 0
    }
    part.push(metric)
    points += metric.points.length
  }
  if (part.length > 0) yield part
}

/** A metric that many tenants share may alone be more than a request takes. */
function slicesOf(metric: OtlpMetric): OtlpMetric[] {
  const count = Math.ceil(metric.points.length / points_a_request_max)
  return Array.from({ length: count }, (_, i) => {
    return {
      ...metric,
      points: metric.points.slice(i * points_a_request_max, (i + 1) * points_a_request_max),
    }
  })
}

/** Totals since this process began, as Prometheus has them too. */
const cumulative = 2

function otlpMetrics(measured: Measured, started_ms: number, now_ms: number): OtlpMetric[] {
  const times = { startTimeUnixNano: nanos(started_ms), timeUnixNano: nanos(now_ms) }
  return measured.flatMap(({ name, help, type, values }): OtlpMetric[] => {
    const told = { name, description: help }
    const lines = values.filter(({ value }) => Number.isFinite(value))
    if (type === 'histogram') {
      const points = histogramPoints(name, lines).map((point) => ({ ...times, ...point }))
      return [{ ...told, kind: 'histogram', facts: { aggregationTemporality: cumulative }, points }]
    }
    const points = lines.map(({ value, labels }) => ({ ...times, asDouble: value, attributes: attributesOf(labels) })) // biome-ignore format: one thought
    if (type === 'gauge') return [{ ...told, kind: 'gauge', facts: {}, points }]
    if (type !== 'counter') return []
    const facts = { aggregationTemporality: cumulative, isMonotonic: true }
    return [{ ...told, kind: 'sum', facts, points }]
  })
}

interface Line {
  readonly value: number
  readonly labels: object
  readonly metricName?: string
}

/** Prometheus counts up to each bound, OTLP within each bucket. */
function histogramPoints(name: string, lines: readonly Line[]) {
  const series = Map.groupBy(lines, ({ labels }) => {
    const { le: _bound, ...rest } = labels as { le?: unknown }
    return JSON.stringify(rest)
  })
  return [...series].map(([labels, own]) => {
    const named = (suffix: string) => own.filter(({ metricName }) => metricName === `${name}_${suffix}`)
    const rising = named('bucket').toSorted((a, b) => boundOf(a) - boundOf(b))
    const counts = rising.map(({ value }, i) => String(value - (rising[i - 1]?.value ?? 0)))
    return {
      attributes: attributesOf(JSON.parse(labels) as object),
      count: String(named('count')[0]?.value ?? 0),
      sum: named('sum')[0]?.value ?? 0,
      bucketCounts: counts,
      explicitBounds: rising.map(boundOf).filter(Number.isFinite),
    }
  })
}

function boundOf({ labels }: Line): number {
  const { le } = labels as { le?: number | string }
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
}

function attributesOf(labels: object) {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }))
}

function nanos(ms: number): string {
  return `${BigInt(Math.floor(ms)) * 1_000_000n}`
}
