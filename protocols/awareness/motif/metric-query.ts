import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  AllTenants,
  coarsestFor,
  type FoundSeries,
  findSeries,
  type MetricFunction,
  metric_functions,
  type Range,
  rangeOf,
  readWindows,
  requireFunction,
  resolutions,
  type SummedWindow,
  tenantSeen,
  type Windows,
  windowValue,
} from '../metrics/api.ts'

const points_a_series_max = 11_000
const points_max = 55_000
const series_max = 200
/** Series that can be summed into groups. */
const grouped_series_max = 2_000
const step_default_ms = 60_000

export const MetricName = Type.String({
  pattern: '^[a-z_:][a-z0-9_:]{0,127}$',
  description: 'As it was emitted; svc_… for what the engine measures.',
})
const label_form = '^[a-zA-Z_][a-zA-Z0-9_]{0,63}$'
export const LabelFilter = Type.Record(
  Type.String({ pattern: label_form }),
  Type.String({ maxLength: 128 }),
  { maxProperties: 16, additionalProperties: false, description: 'Labels a series must have.' },
)

export const QueryInput = Closed({
  metric: MetricName,
  labels: Type.Optional(LabelFilter),
  from: described(Timestamp, 'Points from this time on.'),
  to: described(Timestamp, 'Points before this time.'),
  step_ms: Type.Optional(
    Type.Integer({
      minimum: 1000,
      maximum: 31_536_000_000,
      default: step_default_ms,
      description: 'Length of a window.',
    }),
  ),
  function: Type.Optional(
    described(
      OneOf(...metric_functions),
      'What to compute of each window; rate is per second. Default raw: its last value.',
    ),
  ),
  by: Type.Optional(
    described(
      ListOf(Type.String({ pattern: label_form }), 0, 8),
      'Labels to group by: series that agree in them are computed as one, all of them where the list is empty. Absent: each series alone.',
    ),
  ),
  all_tenants: Type.Optional(AllTenants),
})

const Point = Type.Array(Type.Number(), {
  minItems: 2,
  maxItems: 2,
  description: 'The beginning of a window, in milliseconds since the epoch, and its value.',
})
const Labels = Type.Record(Type.String({ pattern: label_form }), Type.String(), {
  additionalProperties: false,
})
export const QueryOutput = Closed({
  series: described(
    ListOf(
      Closed({
        labels: described(Labels, 'Labels that tell the series apart.'),
        kind: described(
          OneOf('counter', 'gauge', 'histogram'),
          'counter: only grows. gauge: goes up and down. histogram: counts by size.',
        ),
        points: described(ListOf(Point, 0, points_a_series_max), 'Value of each window that has one.'),
      }),
      0,
      series_max,
    ),
    'Series that match, each with its labels; with by the groups, each with the labels asked for.',
  ),
  step_ms: Type.Integer({
    description: 'The length of a window: as requested, or the finest stored resolution.',
  }),
  resolution_ms: Type.Integer({ description: 'The resolution of the stored points.' }),
  partial: Type.Boolean({
    description: 'More series matched than are shown, or the range lies partly outside of the stored time.',
  }),
})

export async function queryMetric(
  input: Static<typeof QueryInput>,
  context: OperationContext<'authority' | 'engine' | 'health'>,
): Promise<Static<typeof QueryOutput>> {
  const { metric, labels = {}, function: metric_function = 'raw', by } = input
  if (by && metric_function === 'raw') throw noGroupedLast()
  const range = rangeOf(input.from, input.to)
  const windows = windowsOf(range, input.step_ms ?? step_default_ms, Date.parse(context.now))
  const tenant_id = await tenantSeen(input, context)
  await context.health.settled(context.tenant_id)
  const shown_max = Math.min(series_max, Math.max(1, Math.floor(points_max / slotsIn(windows))))
  const found_max = by ? grouped_series_max : shown_max
  const all_series = await findSeries(context.db, { metric, labels, tenant_id }, found_max + 1)
  const lines = linesOf(all_series.slice(0, found_max), by, tenant_id === undefined)
  const shown = lines.slice(0, shown_max)
  for (const { kind } of shown) requireFunction(metric_function, kind, metric)
  const series = shown.flatMap((line) => line.series)
  const places = shown.flatMap((line, place) => line.series.map(() => place))
  const sums = await readWindows(context.db, series, windows, metric_function.startsWith('p'), places)
  const by_line = Map.groupBy(sums, ({ line }) => line)
  return {
    series: shown.map((line, place) => ({
      labels: line.labels,
      kind: line.kind,
      points: pointsOf(line.series[0]!, by_line.get(place) ?? [], metric_function, windows),
    })),
    step_ms: windows.step_ms,
    resolution_ms: windows.resolution.seconds * 1000,
    partial:
      all_series.length > found_max ||
      lines.length > shown_max ||
      reachesBeyond(range, Date.parse(context.now)),
  }
}

interface Line {
  readonly labels: Readonly<Record<string, string>>
  readonly kind: FoundSeries['kind']
  readonly series: FoundSeries[]
}

/** Series of different kinds, or with different buckets, are never summed. */
function linesOf(
  all_series: readonly FoundSeries[],
  by: readonly string[] | undefined,
  with_tenant: boolean,
): Line[] {
  const lines = new Map<string, Line>()
  for (const series of all_series) {
    const all = { ...series.labels, ...(with_tenant && { tenant: series.tenant_id }) }
    const labels = by ? Object.fromEntries(Object.entries(all).filter(([name]) => by.includes(name))) : all
    const key = by
      ? JSON.stringify([series.kind, series.bounds, Object.entries(labels).sort()])
      : `${series.tenant_id} ${series.series_id}`
    const line = lines.get(key)
    if (line) line.series.push(series)
    else lines.set(key, { labels, kind: series.kind, series: [series] })
  }
  return [...lines.values()]
}

function noGroupedLast() {
  return refuse(
    'invalid_payload',
    'The last values of several series are no value of their group; name a function, such as rate or sum.',
    { reason: 'wrong_function', faults: [{ pointer: '/function', message: 'is needed with by' }] },
  )
}

/** A window shorter than the stored resolution would be empty most of the time. */
function windowsOf(range: Range, asked_ms: number, now_ms: number): Windows {
  const resolution = coarsestFor(range, asked_ms, now_ms)
  const windows = { range, resolution, step_ms: Math.max(asked_ms, resolution.seconds * 1000) }
  const slots = Math.max(slotsIn(windows), (range.to_ms - range.from_ms) / asked_ms)
  if (slots <= points_a_series_max) return windows
  throw refuse(
    'invalid_payload',
    `That would be ${Math.ceil(slots)} points a series, and ${points_a_series_max} is the most; take a longer step.`,
    { reason: 'too_large', faults: [{ pointer: '/step_ms', message: 'is too short for the range' }] },
  )
}

function slotsIn({ range, step_ms }: Windows): number {
  return Math.ceil((range.to_ms - range.from_ms) / step_ms)
}

function reachesBeyond({ from_ms, to_ms }: Range, now_ms: number): boolean {
  return from_ms < now_ms - resolutions.at(-1)!.kept_ms || to_ms > now_ms
}

function pointsOf(
  { kind, bounds }: FoundSeries,
  sums: readonly SummedWindow[],
  metric_function: MetricFunction,
  { range, step_ms }: Windows,
): [number, number][] {
  return sums.flatMap((sum): [number, number][] => {
    const value = windowValue(metric_function, kind, sum, step_ms, bounds ?? [])
    return value === undefined || !Number.isFinite(value) ? [] : [[range.from_ms + sum.slot * step_ms, value]]
  })
}
