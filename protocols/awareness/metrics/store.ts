// Stores metrics. Rows hold increments: several engines add to one row, and a restart is no reset.
import { createHash } from 'node:crypto'
import type { Database } from '@svc/contract/database'
import type { MeasuredPoint } from '@svc/contract/needs/measurement'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { resolutions } from './range.ts'

const own_series_max = 2_000
/** A series without points for this long gives up its slot. */
const own_series_live_ms = 86_400_000
const deleted_at_once_max = 20_000
const sweep_rounds_max = 100

export interface Telling {
  readonly source: string
  readonly number: number
  readonly now_ms: number
  readonly points: readonly MeasuredPoint[]
}

interface Series {
  readonly tenant_id: string
  readonly key: string
  readonly points: MeasuredPoint[]
}

interface StoredSeries {
  readonly series_id: string
  total: number
  readonly is_new: boolean
}

/** Atomic and idempotent per report. Returns the number of points rejected for lack of slots. */
export function keepPoints(db: Database, telling: Telling): Promise<number> {
  return db.transaction(async (transaction) => {
    if (!(await isChange(transaction, telling))) return 0
    const away = await tenantsAway(transaction)
    const series = seriesIn(telling.points.filter(({ tenant_id }) => !away.has(tenant_id)))
    const added = await addSeries(transaction, series, telling.now_ms)
    const stored = await lockSeries(transaction, series, added)
    const rows = new Map<string, PointRow>()
    let lost = 0
    for (const one of series) {
      const stored_series = stored.get(nameOf(one))
      if (stored_series) addRows(rows, one, stored_series, telling.now_ms)
      else lost += one.points.length
    }
    await addPoints(transaction, [...rows.values()])
    await touchSeries(transaction, stored, telling.now_ms)
    return lost
  })
}

/** Those that live in another database: what was measured of them here is not mixed with what was moved. */
async function tenantsAway(db: Database): Promise<ReadonlySet<string>> {
  const homes = await sql<{ tenant_id: string }>`
    SELECT tenant_id FROM tenant_homes WHERE state IN ('moved', 'arriving')`.all(db)
  return new Set(homes.map(({ tenant_id }) => tenant_id))
}

async function isChange(db: Database, { source, number, now_ms }: Telling): Promise<boolean> {
  return sql`
    INSERT INTO metric_sources AS known VALUES (${source}, ${number}, ${new Date(now_ms)})
    ON CONFLICT (source) DO UPDATE SET batch = excluded.batch, told_at = excluded.told_at
      WHERE known.batch < excluded.batch
    RETURNING 1 AS told`.exists(db)
}

/** In the common lock order. */
function seriesIn(points: readonly MeasuredPoint[]): Series[] {
  const by_name = new Map<string, Series>()
  for (const point of points) {
    const { tenant_id, kind, name, labels } = point
    const key = createHash('sha256')
      .update(canonicalJson([kind, name, labels]))
      .digest('hex')
    const one = by_name.get(`${tenant_id} ${key}`) ?? { tenant_id, key, points: [] }
    one.points.push(point)
    by_name.set(nameOf(one), one)
  }
  return [...by_name.keys()].sort().map((name) => by_name.get(name)!)
}

function nameOf({ tenant_id, key }: Pick<Series, 'tenant_id' | 'key'>): string {
  return `${tenant_id} ${key}`
}

/** Adds missing series, up to the tenant's limit. */
async function addSeries(db: Database, series: readonly Series[], now_ms: number): Promise<Set<string>> {
  const present = await sql<{ tenant_id: string; key: string }>`
    SELECT s.tenant_id, encode(s.key, 'hex') AS key FROM metric_series s
    JOIN ${asked(series)} ON s.tenant_id = a.tenant_id AND s.key = decode(a.key, 'hex')`.execute(db)
  const there = new Set(present.rows.map(nameOf))
  const missing = series.filter((one) => !there.has(nameOf(one)))
  const admitted = await admit(db, missing, now_ms)
  if (admitted.length === 0) return new Set()
  const firsts = admitted.map(({ points }) => points[0]!)
  const rows = await sql<{ tenant_id: string; key: string }>`
    INSERT INTO metric_series (tenant_id, key, name, labels, kind, own, bounds, seen_at)
    SELECT tenant_id, decode(key, 'hex'), name, labels::jsonb, kind, own, bounds::double precision[], ${new Date(now_ms)}
    FROM unnest(${admitted.map(({ tenant_id }) => tenant_id)}::text[], ${admitted.map(({ key }) => key)}::text[],
      ${firsts.map(({ name }) => name)}::text[], ${firsts.map(({ labels }) => JSON.stringify(labels))}::text[],
      ${firsts.map(({ kind }) => kind)}::text[], ${firsts.map(({ own }) => own)}::boolean[],
      ${firsts.map(({ bounds }) => arrayText(bounds))}::text[])
      WITH ORDINALITY AS a(tenant_id, key, name, labels, kind, own, bounds, place)
    ORDER BY place ON CONFLICT (tenant_id, key) DO NOTHING
    RETURNING tenant_id, encode(key, 'hex') AS key`.all(db)
  return new Set(rows.map(nameOf))
}

/** Serialized per tenant, or two engines could both take the last slot. */
async function admit(db: Database, missing: readonly Series[], now_ms: number): Promise<Series[]> {
  const own = missing.filter(({ points }) => points[0]!.own)
  const tenants = [...new Set(own.map(({ tenant_id }) => tenant_id))].sort()
  const room = new Map<string, number>()
  for (const tenant_id of tenants) {
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`metric_series ${tenant_id}`}, 0))`.execute(db)
    const row = await sql<{ live: string }>`
      SELECT count(*) AS live FROM metric_series WHERE tenant_id = ${tenant_id} AND own
        AND seen_at > ${new Date(now_ms - own_series_live_ms)}`.first(db)
    room.set(tenant_id, own_series_max - Number(row!.live))
  }
  return missing.filter(({ tenant_id, points }) => {
    if (!points[0]!.own) return true
    const left = room.get(tenant_id)!
    room.set(tenant_id, left - 1)
    return left > 0
  })
}

async function lockSeries(
  db: Database,
  series: readonly Series[],
  added: ReadonlySet<string>,
): Promise<Map<string, StoredSeries>> {
  const rows = await sql<{ tenant_id: string; key: string; series_id: string; total: number }>`
    SELECT s.tenant_id, encode(s.key, 'hex') AS key, s.series_id, s.total FROM metric_series s
    JOIN ${asked(series)} ON s.tenant_id = a.tenant_id AND s.key = decode(a.key, 'hex')
    ORDER BY s.tenant_id, s.key FOR UPDATE OF s`.all(db)
  return new Map(
    rows.map((row) => {
      const { series_id, total } = row
      return [nameOf(row), { series_id, total, is_new: added.has(nameOf(row)) }]
    }),
  )
}

function asked(series: readonly Series[]) {
  return sql`unnest(${series.map(({ tenant_id }) => tenant_id)}::text[],
    ${series.map(({ key }) => key)}::text[]) AS a(tenant_id, key)`
}

interface PointRow {
  readonly tenant_id: string
  readonly series_id: string
  readonly resolution: number
  readonly at_ms: number
  value: number
  count: number
  min: number | null
  max: number | null
  last: number
  last_ms: number
  buckets: number[] | undefined
}

/** Writes a row per resolution, so that no later rollup is needed and late points land correctly. */
function addRows(
  rows: Map<string, PointRow>,
  { tenant_id, points }: Series,
  series: StoredSeries,
  now_ms: number,
): void {
  let is_first = series.is_new
  for (const point of points.toSorted((a, b) => a.at_ms - b.at_ms)) {
    const { value, last } = advance(series, point, is_first)
    is_first = false
    for (const { seconds, kept_ms } of resolutions) {
      // What would be deleted at once is not written.
      if (point.at_ms < now_ms - kept_ms) continue
      const at_ms = Math.floor(point.at_ms / (seconds * 1000)) * seconds * 1000
      const key = `${series.series_id}|${seconds}|${at_ms}`
      const row = rows.get(key)
      const { count, min, max, at_ms: last_ms } = point
      if (!row) {
        const buckets = point.buckets?.slice()
        rows.set(key, { tenant_id, series_id: series.series_id, resolution: seconds, at_ms, value, count, min, max, last, last_ms, buckets }) // biome-ignore format: kept on one line
        continue
      }
      row.value += value
      row.count += count
      row.min = row.min === null || min === null ? (row.min ?? min) : Math.min(row.min, min)
      row.max = row.max === null || max === null ? (row.max ?? max) : Math.max(row.max, max)
      row.last = last
      row.last_ms = last_ms
      row.buckets = row.buckets?.map((sum, i) => sum + (point.buckets?.[i] ?? 0))
    }
  }
}

/**
 * The increment of a point, and the new state of its series. A tenant's running total never decreases: a
 * lower one is an older reading of another engine and adds nothing. A first value says nothing about growth.
 */
function advance(series: StoredSeries, { kind, own, value, count, last }: MeasuredPoint, is_first: boolean) {
  if (kind === 'gauge') return { value, last }
  if (kind === 'histogram') {
    series.total += count
    return { value, last: series.total }
  }
  const grown = own ? (is_first ? 0 : Math.max(0, last - series.total)) : value
  series.total = own ? Math.max(is_first ? last : series.total, last) : series.total + value
  return { value: grown, last: series.total }
}

async function addPoints(db: Database, rows: readonly PointRow[]): Promise<void> {
  if (rows.length === 0) return
  const column = <Name extends keyof PointRow>(name: Name) => rows.map((row) => row[name])
  const time = (name: 'at_ms' | 'last_ms') => rows.map((row) => new Date(row[name]).toISOString())
  await sql`
    INSERT INTO metric_point AS kept (tenant_id, series_id, resolution, at, value, count, min, max, last, last_at, buckets)
    SELECT tenant_id, series_id, resolution, at, value, count, min, max, last, last_at, buckets::double precision[]
    FROM unnest(${column('tenant_id')}::text[], ${column('series_id')}::bigint[], ${column('resolution')}::integer[],
      ${time('at_ms')}::timestamptz[], ${column('value')}::double precision[], ${column('count')}::double precision[],
      ${column('min')}::double precision[], ${column('max')}::double precision[], ${column('last')}::double precision[], ${time('last_ms')}::timestamptz[],
      ${rows.map(({ buckets }) => arrayText(buckets))}::text[])
      AS a(tenant_id, series_id, resolution, at, value, count, min, max, last, last_at, buckets)
    ON CONFLICT (tenant_id, series_id, resolution, at) DO UPDATE SET
      value = kept.value + excluded.value, count = kept.count + excluded.count, min = least(kept.min, excluded.min),
      max = greatest(kept.max, excluded.max),
      last = CASE WHEN excluded.last_at >= kept.last_at THEN excluded.last ELSE kept.last END,
      last_at = greatest(kept.last_at, excluded.last_at),
      buckets = CASE WHEN excluded.buckets IS NULL THEN kept.buckets ELSE (
        SELECT array_agg(coalesce(b.held, 0) + coalesce(b.more, 0) ORDER BY b.place)
        FROM unnest(kept.buckets, excluded.buckets) WITH ORDINALITY AS b(held, more, place)) END`.execute(db)
}

async function touchSeries(
  db: Database,
  stored: ReadonlyMap<string, StoredSeries>,
  now_ms: number,
): Promise<void> {
  const tenants = [...stored.keys()].map((name) => name.slice(0, name.indexOf(' ')))
  const all = [...stored.values()]
  await sql`
    UPDATE metric_series s SET total = a.total, seen_at = greatest(s.seen_at, ${new Date(now_ms)})
    FROM unnest(${tenants}::text[], ${all.map(({ series_id }) => series_id)}::bigint[],
      ${all.map(({ total }) => total)}::double precision[]) AS a(tenant_id, series_id, total)
    WHERE s.tenant_id = a.tenant_id AND s.series_id = a.series_id`.execute(db)
}

function arrayText(numbers: readonly number[] | undefined): string | null {
  return numbers ? `{${numbers.join(',')}}` : null
}

/** Deletes points past their retention, in batches until none is left: one batch is less than arrives. */
export async function forgetOldPoints(db: Database, now_ms: number): Promise<void> {
  for (const { seconds, kept_ms } of resolutions)
    for (let round = 0; round < sweep_rounds_max; round++) {
      // Rows another engine is deleting are skipped.
      const { numAffectedRows = 0n } = await sql`
        DELETE FROM metric_point WHERE ctid IN (
          SELECT ctid FROM metric_point WHERE resolution = ${seconds} AND at < ${new Date(now_ms - kept_ms)}
          LIMIT ${deleted_at_once_max} FOR UPDATE SKIP LOCKED)`.execute(db)
      if (numAffectedRows < deleted_at_once_max) break
    }
  const oldest = new Date(now_ms - resolutions.at(-1)!.kept_ms)
  await sql`DELETE FROM metric_series WHERE seen_at < ${oldest}`.execute(db)
  await sql`DELETE FROM metric_sources WHERE told_at < ${oldest}`.execute(db)
}
