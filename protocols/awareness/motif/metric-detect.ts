import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, ListOf, OneOf, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import {
  AllTenants,
  type FoundSeries,
  findSeries,
  type Range,
  rangeOf,
  readTogether,
  resolutionFor,
  tenantSeen,
} from '../metrics/api.ts'
import { type Detected, type DetectionTask, detection_kinds } from './metric-detect-job.ts'
import { LabelFilter, MetricName } from './metric-query.ts'
import { medianOf } from './metric-season.ts'

const points_max = 10_000
const series_max = 200
const range_default_ms = 86_400_000
const window_min = 8
const window_max = 1440
const compute_ms_max = 4_500

const job = computation<DetectionTask, Detected>(new URL('./metric-detect-job.ts', import.meta.url))

export const DetectInput = Closed({
  metric: MetricName,
  labels: Type.Optional(LabelFilter),
  from: Type.Optional(described(Timestamp, 'Look at points from this time on; default: a day before to.')),
  to: Type.Optional(described(Timestamp, 'Look at points before this time; default now.')),
  window: Type.Optional(
    Type.Integer({
      minimum: window_min,
      maximum: window_max,
      description: 'Points a pattern is long; a twentieth of all where absent.',
    }),
  ),
  kinds: Type.Optional(
    described(ListOf(OneOf(...detection_kinds), 1, detection_kinds.length), 'What to look for; default all.'),
  ),
  all_tenants: Type.Optional(AllTenants),
})

const Distance = Type.Number({
  minimum: 0,
  description: 'Between z-normalised windows: 0 for the same shape.',
})
export const DetectOutput = Closed({
  points: Type.Integer({ description: 'Measured points that were looked at.' }),
  series: Type.Integer({ description: 'Series that matched, looked at together.' }),
  step_ms: Type.Integer({ description: 'From one point to the next, as most of them lie.' }),
  window: Type.Integer({ description: 'Points a pattern is long.' }),
  motifs: described(
    ListOf(
      Closed({
        a: described(Timestamp, 'When the first one starts.'),
        b: described(Timestamp, 'When the second one starts.'),
        distance: Distance,
      }),
      0,
      1,
    ),
    'The two windows most alike.',
  ),
  discord: Type.Optional(
    Closed(
      { at: described(Timestamp, 'When it starts.'), distance: Distance },
      { description: 'The window least like any other.' },
    ),
  ),
  anomalies: described(
    ListOf(
      Closed({
        at: described(Timestamp, 'When it was measured.'),
        score: Type.Number({ description: 'Robust standard deviations.' }),
        expected: Type.Number({ description: 'Value that was expected there.' }),
      }),
      0,
      100,
    ),
    'Points far from what was expected.',
  ),
  changepoints: described(
    ListOf(
      Closed({
        at: described(Timestamp, 'First time with the new average.'),
        before: Type.Number({ description: 'Average before.' }),
        after: Type.Number({ description: 'Average after.' }),
        p: Type.Number({
          description:
            'Upper bound of how likely such a step is, anywhere in a series as long and as correlated with itself, where nothing changed.',
        }),
      }),
      0,
      100,
    ),
    'Times at which the average changed.',
  ),
  period_ms: Type.Optional(
    Type.Integer({
      description:
        'How often the series repeats itself, at least three times in the range; absent: it does not.',
    }),
  ),
})

export async function detectIn(
  input: Static<typeof DetectInput>,
  context: OperationContext<'authority' | 'compute' | 'engine' | 'health'>,
): Promise<Static<typeof DetectOutput>> {
  const { metric, labels = {}, kinds = detection_kinds } = input
  const range = rangeAsked(input, context.now)
  const tenant_id = await tenantSeen(input, context)
  await context.health.settled(context.tenant_id)
  const series = await findSeries(context.db, { metric, labels, tenant_id }, series_max + 1)
  requireOneKind(series, metric)
  const grid = await gridOf(context, series, range)
  const window =
    input.window ?? Math.min(window_max, Math.max(window_min, Math.floor(grid.values.length / 20)))
  const detected = await context.compute(job, { values: grid.values, window, kinds }, compute_ms_max)
  const at = (place: number) => new Date(grid.from_ms + place * grid.step_ms).toISOString()
  const { motif, discord, anomalies, changepoints, period } = detected
  return {
    points: grid.points,
    series: series.length,
    step_ms: grid.step_ms,
    window,
    motifs: motif ? [{ a: at(motif.a), b: at(motif.b), distance: motif.distance }] : [],
    discord: discord && { ...discord, at: at(discord.at) },
    anomalies: anomalies.map((anomaly) => ({ ...anomaly, at: at(anomaly.at) })),
    changepoints: changepoints.map((change) => ({ ...change, at: at(change.at) })),
    period_ms: period === undefined ? undefined : Math.round(period * grid.step_ms),
  }
}

function rangeAsked({ from, to }: { readonly from?: string; readonly to?: string }, now: string): Range {
  const end = to ?? now
  return rangeOf(from ?? new Date(Date.parse(end) - range_default_ms).toISOString(), end)
}

function requireOneKind(series: readonly FoundSeries[], metric: string): void {
  const kinds = new Set(series.map(({ kind }) => kind))
  if (series.length <= series_max && kinds.size <= 1) return
  const why =
    kinds.size > 1 ? `series of several kinds (${[...kinds].join(', ')})` : `more than ${series_max} series`
  throw refuse(
    'invalid_payload',
    `${metric} names ${why}, which cannot be looked at together; name labels.`,
    {
      reason: 'ambiguous_series',
      faults: [{ pointer: '/labels', message: 'leave too much open' }],
    },
  )
}

interface Grid {
  readonly values: Float64Array
  readonly points: number
  readonly from_ms: number
  readonly step_ms: number
}

/** Evenly spaced, first to last point. A missing point is 0 for a counter, and not measured otherwise. */
async function gridOf(
  context: OperationContext,
  series: readonly FoundSeries[],
  range: Range,
): Promise<Grid> {
  const resolution = resolutionFor(range.from_ms, Date.parse(context.now))
  const fine_ms = resolution.seconds * 1000
  const start_ms = Math.ceil(range.from_ms / fine_ms) * fine_ms
  const windows = { range: { ...range, from_ms: start_ms }, step_ms: fine_ms, resolution }
  const rows = series.length ? await readTogether(context.db, series, windows) : []
  const [first, last] = [rows[0]?.slot ?? 0, rows.at(-1)?.slot ?? -1]
  const gaps = rows.slice(1).map(({ slot }, i) => slot - rows[i]!.slot)
  const length = last - first + 1
  const stride = Math.max(1, Math.round(medianOf(gaps)), Math.ceil(length / points_max))
  const kind = series[0]?.kind
  const sums = new Float64Array(Math.ceil(length / stride))
  const counts = new Float64Array(sums.length)
  for (const { slot, value, count } of rows) {
    const place = Math.floor((slot - first) / stride)
    sums[place]! += value
    counts[place]! += count
  }
  const values = kind === 'counter' ? sums : sums.map((sum, i) => (counts[i]! > 0 ? sum / counts[i]! : NaN))
  return { values, points: rows.length, from_ms: start_ms + first * fine_ms, step_ms: stride * fine_ms }
}
