// Reads series and their points, summed per requested window. Row-level security applies throughout.

import type { Database } from '@svc/contract/database'
import type { MetricKind, MetricLabels } from '@svc/contract/needs/measurement'
import { sql } from '@svc/database/sql'
import type { WindowSum } from './function.ts'
import type { Range, Resolution } from './range.ts'

export interface FoundSeries {
  readonly tenant_id: string
  readonly series_id: string
  readonly labels: MetricLabels
  readonly kind: MetricKind
  readonly bounds: readonly number[] | null
}

export interface SeriesQuestion {
  readonly metric: string
  readonly labels: MetricLabels
  /** Undefined for all visible tenants. */
  readonly tenant_id: string | undefined
}

/** Series whose labels include all the given ones. */
export async function findSeries(
  db: Database,
  { metric, labels, tenant_id }: SeriesQuestion,
  limit: number,
): Promise<FoundSeries[]> {
  return sql<FoundSeries>`
    SELECT tenant_id, series_id, labels, kind, bounds FROM metric_series
    WHERE name = ${metric} AND labels @> ${JSON.stringify(labels)}::jsonb
      AND ${tenant_id === undefined ? sql`true` : sql`tenant_id = ${tenant_id}`}
    ORDER BY tenant_id, series_id LIMIT ${limit}`.all(db)
}

export interface ListedMetric {
  readonly name: string
  readonly kind: MetricKind
  readonly series: number
  readonly label_names: string[]
  readonly seen_at: Date
}

/** By name, then by kind; of one tenant, after a place in this order. */
export async function listMetrics(
  db: Database,
  tenant_id: string,
  { prefix, after, limit }: { readonly prefix: string; readonly after: readonly [name: string, kind: string]; readonly limit: number }, // biome-ignore format: one thought
): Promise<ListedMetric[]> {
  return sql<ListedMetric>`
    SELECT m.name, m.kind, m.series, m.seen_at, coalesce((
        SELECT array_agg(DISTINCT l.key ORDER BY l.key) FROM metric_series s CROSS JOIN jsonb_object_keys(s.labels) AS l(key)
        WHERE s.tenant_id = ${tenant_id} AND s.name = m.name AND s.kind = m.kind
      ), '{}') AS label_names
    FROM (
      SELECT name, kind, count(*)::integer AS series, max(seen_at) AS seen_at FROM metric_series
      WHERE tenant_id = ${tenant_id} AND name >= ${after[0]} AND (name, kind) > (${after[0]}, ${after[1]})
        AND starts_with(name, ${prefix})
      GROUP BY name, kind ORDER BY name, kind LIMIT ${limit}
    ) m ORDER BY m.name, m.kind`.all(db)
}

export interface Windows {
  readonly range: Range
  readonly step_ms: number
  readonly resolution: Resolution
}

export interface SummedWindow extends WindowSum {
  /** Which line of the answer. */
  readonly line: number
  /** Index from the start of the range. */
  readonly slot: number
}

/**
 * By line and time; windows without points are omitted. `lines` tells the line of each series: those of one
 * line are summed, and their newest values added.
 */
export async function readWindows(
  db: Database,
  series: readonly FoundSeries[],
  windows: Windows,
  with_buckets: boolean,
  lines: readonly number[] = series.map((_, line) => line),
): Promise<SummedWindow[]> {
  const rows = await sql<Omit<SummedWindow, 'buckets'> & { buckets: null }>`
    SELECT w.line, w.slot, sum(w.value) AS value, sum(w.count) AS count, min(w.min) AS min, max(w.max) AS max,
      sum(w.last) AS last, NULL AS buckets
    FROM (
      SELECT s.line, p.series_id, ${slotOf(windows)} AS slot, sum(p.value) AS value, sum(p.count) AS count,
        min(p.min) AS min, max(p.max) AS max, (array_agg(p.last ORDER BY p.last_at DESC))[1] AS last
      FROM ${pointsOf(series, windows, lines)} GROUP BY 1, 2, 3
    ) w GROUP BY 1, 2 ORDER BY 1, 2`.all(db)
  if (!with_buckets) return rows
  const filled = await sql<{ line: number; slot: number; buckets: number[] }>`
    SELECT b.line, b.slot, array_agg(b.count ORDER BY b.place) AS buckets FROM (
      SELECT s.line, ${slotOf(windows)} AS slot, u.place, sum(u.count) AS count
      FROM ${pointsOf(series, windows, lines)} CROSS JOIN LATERAL unnest(p.buckets) WITH ORDINALITY AS u(count, place)
      GROUP BY 1, 2, 3
    ) b GROUP BY 1, 2`.all(db)
  const buckets = new Map(filled.map((row) => [`${row.line} ${row.slot}`, row.buckets]))
  return rows.map((row) => ({ ...row, buckets: buckets.get(`${row.line} ${row.slot}`) ?? null }))
}

/** All series summed into one. */
export async function readTogether(
  db: Database,
  series: readonly FoundSeries[],
  windows: Windows,
): Promise<{ slot: number; value: number; count: number }[]> {
  return sql<{ slot: number; value: number; count: number }>`
    SELECT ${slotOf(windows)} AS slot, sum(p.value) AS value, sum(p.count) AS count
    FROM ${pointsOf(series, windows)} GROUP BY 1 ORDER BY 1`.all(db)
}

/** The total over all series of a name in a time range, per combination of some labels. */
export interface Totals {
  readonly labels: MetricLabels
  readonly value: number
  readonly count: number
  /** For histograms; all use the engine's bounds. */
  readonly buckets: readonly number[] | null
  readonly bounds: readonly number[] | null
}

export async function readTotals(
  db: Database,
  { metric, labels, tenant_id }: SeriesQuestion,
  { range, resolution }: Omit<Windows, 'step_ms'>,
  by: readonly string[],
): Promise<Totals[]> {
  return sql<Totals>`
    WITH p AS MATERIALIZED (
      SELECT (SELECT coalesce(jsonb_object_agg(l.key, l.value), '{}') FROM jsonb_each(s.labels) l
          WHERE l.key = ANY(${by}::text[])) AS labels, s.bounds, n.value, n.count, n.buckets
      FROM metric_series s JOIN metric_point n ON n.tenant_id = s.tenant_id AND n.series_id = s.series_id
        AND n.resolution = ${resolution.seconds}::integer
        AND n.at >= ${new Date(range.from_ms)} AND n.at < ${new Date(range.to_ms)}
      WHERE s.name = ${metric} AND s.labels @> ${JSON.stringify(labels)}::jsonb
        AND ${tenant_id === undefined ? sql`true` : sql`s.tenant_id = ${tenant_id}`}
    ), b AS (
      SELECT f.labels, array_agg(f.count ORDER BY f.place) AS buckets FROM (
        SELECT p.labels, u.place, sum(u.count) AS count FROM p
        CROSS JOIN LATERAL unnest(p.buckets) WITH ORDINALITY AS u(count, place) GROUP BY 1, 2
      ) f GROUP BY 1
    ), t AS (
      SELECT p.labels, sum(p.value) AS value, sum(p.count) AS count, max(p.bounds) AS bounds FROM p GROUP BY 1
    )
    SELECT t.labels, t.value, t.count, b.buckets, t.bounds FROM t LEFT JOIN b USING (labels) ORDER BY t.labels`.all(
    db,
  )
}

function slotOf({ range, step_ms }: Windows) {
  return sql`(((extract(epoch FROM p.at) * 1000)::bigint - ${range.from_ms}::bigint) / ${step_ms}::bigint)::integer`
}

function pointsOf(
  series: readonly FoundSeries[],
  { range, resolution }: Windows,
  lines: readonly number[] = series.map(() => 0),
) {
  return sql`unnest(${series.map(({ tenant_id }) => tenant_id)}::text[], ${series.map(({ series_id }) => series_id)}::bigint[],
      ${[...lines]}::integer[]) AS s(tenant_id, series_id, line)
    JOIN metric_point p ON p.tenant_id = s.tenant_id AND p.series_id = s.series_id
      AND p.resolution = ${resolution.seconds}::integer
      AND p.at >= ${new Date(range.from_ms)} AND p.at < ${new Date(range.to_ms)}`
}
