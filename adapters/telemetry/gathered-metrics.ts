// Measurements since they were last taken: calls by tenant, tenants' own signals, and the engine's own figures.
import {
  bucketOfValue,
  grownBy,
  isKept,
  type MeasuredPoint,
  type MetricKind,
  point_ms,
} from '@svc/contract/needs/measurement'
import type { Signal } from '@svc/contract/needs/telemetry'
import type { Measured } from './summed-metrics.ts'

const call_series_max = 50_000
/** This many tenants must use up their share before others are rejected. */
const shares = 5

/** Seconds, in steps of 1, 2 and 5, so that latency objectives fall on a bound. */
const call_bounds_s = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100,
] as const
/** Tenants' measurements have any unit: a thousandth to a million, in steps of 1, 2.5 and 5. */
export const own_bounds = [-3, -2, -1, 0, 1, 2, 3, 4, 5].flatMap((decade) =>
  [1, 2.5, 5].map((step) => Number(`${step}e${decade}`)),
)

type Building = { -readonly [Field in keyof MeasuredPoint]: MeasuredPoint[Field] } & { buckets?: number[] }

export interface GatheredMetrics {
  called(tenant_id: string, labels: CallLabels, latency_ms: number): void
  /** False if too many points wait to be stored, in total or for this tenant; then the signal is rejected. */
  hasRoom(tenant_id: string): boolean
  emitted(tenant_id: string, signal: Signal, at_ms: number): void
  /** Whether signals of a tenant wait to be taken. */
  holdsOwn(): boolean
  /** Takes everything, once. `engine` holds the process's current values; counters count by their growth. */
  take(now_ms: number, engine?: { readonly tenant_id: string; readonly measured: Measured }): MeasuredPoint[]
}

export interface CallLabels {
  readonly protocol: string
  readonly operation: string
  readonly outcome: string
  readonly code: string
}

export function gatheredMetrics(own_points_max = 100_000): GatheredMetrics {
  let calls = new Map<string, Building>()
  let own = new Map<string, Building>()
  let points_of = new Map<string, number>()
  const last_values = new Map<string, number>()
  return {
    called(tenant_id, labels, latency_ms) {
      if (calls.size >= call_series_max) return
      countCall(calls, tenant_id, labels)
      timeCall(calls, tenant_id, labels, latency_ms / 1000)
    },
    hasRoom: (tenant_id) =>
      own.size < own_points_max && (points_of.get(tenant_id) ?? 0) < own_points_max / shares,
    emitted(tenant_id, signal, at_ms) {
      const before = own.size
      addSignal(own, tenant_id, signal, at_ms)
      points_of.set(tenant_id, (points_of.get(tenant_id) ?? 0) + own.size - before)
    },
    holdsOwn: () => own.size > 0,
    take(now_ms, engine) {
      // Values counted so far belong to the interval that ends, not to the next.
      const at_ms = now_ms - 1
      const taken = [...own.values(), ...[...calls.values()].map((point) => ({ ...point, at_ms }))]
      calls = new Map()
      own = new Map()
      points_of = new Map()
      return engine
        ? [...taken, ...enginePoints(engine.tenant_id, engine.measured, at_ms, last_values)]
        : taken
    },
  }
}

function countCall(calls: Map<string, Building>, tenant_id: string, labels: CallLabels): void {
  const { protocol, operation, outcome, code } = labels
  const key = `${tenant_id}|${protocol}|${operation}|${outcome}|${code}`
  let counted = calls.get(key)
  if (!counted) {
    const name = 'svc_dispatch_total'
    counted = { tenant_id, name, labels: { ...labels }, kind: 'counter', own: false, ...nothing() }
    calls.set(key, counted)
  }
  counted.value++
  counted.count++
}

function timeCall(
  calls: Map<string, Building>,
  tenant_id: string,
  labels: CallLabels,
  latency_s: number,
): void {
  const { protocol, operation, code } = labels
  const is_kept_label = isKept(code) ? 'yes' : 'no'
  const key = `${tenant_id}|${protocol}|${operation}|${is_kept_label}`
  let timed = calls.get(key)
  if (!timed) {
    const name = 'svc_dispatch_seconds'
    const buckets = new Array<number>(call_bounds_s.length + 1).fill(0)
    const shown = { protocol, operation, kept: is_kept_label }
    timed = { tenant_id, name, labels: shown, kind: 'histogram', own: false, bounds: call_bounds_s, buckets, ...nothing() } // biome-ignore format: one thought
    calls.set(key, timed)
  }
  observe(timed, latency_s)
}

function addSignal(own: Map<string, Building>, tenant_id: string, signal: Signal, at_ms: number): void {
  const { name, kind, value } = signal
  const { tenant: _forged, ...labels } = signal.labels
  const point = Math.floor(at_ms / point_ms) * point_ms
  const key = `${tenant_id}|${point}|${kind}|${name}|${JSON.stringify(Object.entries(labels).sort())}`
  let gathered = own.get(key)
  if (!gathered) {
    const buckets = new Array<number>(own_bounds.length + 1).fill(0)
    const histogram = kind === 'histogram' ? { bounds: own_bounds, buckets } : {}
    gathered = { tenant_id, name, labels, kind, own: true, ...nothing(), last: value, at_ms, ...histogram }
    own.set(key, gathered)
  }
  gathered.at_ms = Math.max(gathered.at_ms, at_ms)
  observe(gathered, value)
  gathered.last = kind === 'counter' ? Math.max(gathered.last, value) : value
}

function observe(point: Building, value: number): void {
  point.value += value
  point.count++
  point.min = point.min === null ? value : Math.min(point.min, value)
  point.max = point.max === null ? value : Math.max(point.max, value)
  if (point.buckets && point.bounds) point.buckets[bucketOfValue(value, point.bounds)]!++
}

function nothing() {
  return { at_ms: 0, value: 0, count: 0, min: null, max: null, last: 0 }
}

/** Tenants' calls and signals are gathered separately, each under its tenant. */
const gathered_apart = /^svc_(dispatch|tenant)_/

function enginePoints(
  tenant_id: string,
  measured: Measured,
  at_ms: number,
  last_values: Map<string, number>,
): MeasuredPoint[] {
  return measured
    .filter(({ name }) => !gathered_apart.test(name))
    .flatMap((metric): MeasuredPoint[] => {
      if (metric.type === 'histogram') return histogramPoints(tenant_id, metric, at_ms, last_values)
      const { name, type } = metric
      if (type !== 'counter' && type !== 'gauge') return []
      const kind: MetricKind = type
      const lines = metric.values.filter(({ value }) => Number.isFinite(value))
      return lines.flatMap(({ value, labels: shown }): MeasuredPoint[] => {
        const labels = textLabels(shown)
        const point = { tenant_id, name, labels, kind, own: false, at_ms, count: 1 }
        if (kind === 'gauge') return [{ ...point, value, min: value, max: value, last: value }]
        const grown = growth(last_values, `${name}|${JSON.stringify(labels)}`, value)
        return grown > 0 ? [{ ...point, value: grown, min: null, max: null, last: 0 }] : []
      })
    })
}

interface Line {
  readonly value: number
  readonly labels: object
  readonly metricName?: string
}

/** Its lines are cumulative counts up to each bound. */
function histogramPoints(
  tenant_id: string,
  { name, values }: Measured[number],
  at_ms: number,
  last_values: Map<string, number>,
): MeasuredPoint[] {
  const series = Map.groupBy(values as readonly Line[], ({ labels }) => {
    const { le: _bound, ...rest } = labels as Record<string, unknown>
    return JSON.stringify(textLabels(rest))
  })
  return [...series].flatMap(([key, lines]) => {
    const part = (suffix: string) => lines.filter(({ metricName }) => metricName === `${name}_${suffix}`)
    const rising = part('bucket').toSorted((a, b) => boundOf(a) - boundOf(b))
    const grown = (line: Line, of: string) => growth(last_values, `${name}|${key}|${of}`, line.value)
    const totals = rising.map((line) => grown(line, String(boundOf(line))))
    const buckets = totals.map((total, i) => Math.max(0, total - (totals[i - 1] ?? 0)))
    const [sum, count] = [part('sum')[0], part('count')[0]].map((line, i) => (line ? grown(line, `${i}`) : 0))
    if (!count) return []
    const labels = JSON.parse(key) as Record<string, string>
    const bounds = rising.map(boundOf).filter(Number.isFinite)
    return [{ tenant_id, name, labels, kind: 'histogram', own: false, bounds, at_ms, value: sum!, count, min: null, max: null, last: 0, buckets }] // biome-ignore format: one thought
  })
}

function boundOf({ labels }: Line): number {
  const { le } = labels as { le?: number | string }
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le)
}

function growth(last_values: Map<string, number>, key: string, value: number): number {
  const grown = grownBy(last_values.get(key), value)
  last_values.set(key, value)
  return grown
}

function textLabels(labels: object): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))
}
