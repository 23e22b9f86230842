// Sends this process's metrics to an OpenTelemetry collector: OTLP over HTTP, JSON. Off unless configured.
import type { Clock } from '@svc/engine/ports'
import { attributesOf, collectorAt, nanos, type OtlpIdentity, resourceOf } from './otlp-wire.ts'
import type { Measured } from './summed-metrics.ts'

/** Collectors limit the size of a request, so points are split. */
const points_a_request_max = 5_000

export interface OtlpSettings {
  /** The collector's base address; `/v1/metrics` is appended. */
  readonly url: string
}

interface Parts extends OtlpIdentity {
  readonly clock: Pick<Clock, 'now_ms'>
  measure(): Promise<Measured>
}

/** Sends all current totals. Throws if refused or unreachable; the next export includes the same totals. */
export function otlpExporter(
  { url }: OtlpSettings,
  { clock, measure, ...identity }: Parts,
): () => Promise<void> {
  const started_ms = clock.now_ms()
  const post = collectorAt(url, 'v1/metrics')
  return async () => {
    const metrics = otlpMetrics(await measure(), started_ms, clock.now_ms())
    for (const part of inParts(metrics)) {
      const { ok, status } = await post(requestOf(part, identity))
      if (!ok) throw new Error(`the collector answered ${status}`)
    }
  }
}

interface OtlpMetric {
  readonly name: string
  readonly description: string
  readonly kind: 'gauge' | 'sum' | 'histogram'
  readonly facts: object
  readonly points: readonly object[]
}

function requestOf(metrics: readonly OtlpMetric[], identity: OtlpIdentity) {
  const sent = metrics.map(({ name, description, kind, facts, points }) => {
    return { name, description, [kind]: { dataPoints: points, ...facts } }
  })
  return { resourceMetrics: [{ resource: resourceOf(identity), scopeMetrics: [{ scope: { name: 'svc' }, metrics: sent }] }] } // biome-ignore format: one thought
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

/** One metric of many tenants may exceed a request by itself. */
function slicesOf(metric: OtlpMetric): OtlpMetric[] {
  const count = Math.ceil(metric.points.length / points_a_request_max)
  return Array.from({ length: count }, (_, i) => {
    return {
      ...metric,
      points: metric.points.slice(i * points_a_request_max, (i + 1) * points_a_request_max),
    }
  })
}

/** Totals since the process started, as in Prometheus. */
const cumulative = 2

function otlpMetrics(measured: Measured, started_ms: number, now_ms: number): OtlpMetric[] {
  const times = { startTimeUnixNano: nanos(started_ms), timeUnixNano: nanos(now_ms) }
  return measured.flatMap(({ name, help, type, values }): OtlpMetric[] => {
    const about = { name, description: help }
    const lines = values.filter(({ value }) => Number.isFinite(value))
    if (type === 'histogram') {
      const points = histogramPoints(name, lines).map((point) => ({ ...times, ...point }))
      return [{ ...about, kind: 'histogram', facts: { aggregationTemporality: cumulative }, points }]
    }
    const points = lines.map(({ value, labels }) => ({ ...times, asDouble: value, attributes: attributesOf(labels) })) // biome-ignore format: one thought
    if (type === 'gauge') return [{ ...about, kind: 'gauge', facts: {}, points }]
    if (type !== 'counter') return []
    const facts = { aggregationTemporality: cumulative, isMonotonic: true }
    return [{ ...about, kind: 'sum', facts, points }]
  })
}

interface Line {
  readonly value: number
  readonly labels: object
  readonly metricName?: string
}

/** Prometheus buckets are cumulative, OTLP buckets are not. */
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
