// Readings: each is appended once, and indexed by observation time.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Reading } from './device-report.ts'
import type { Part } from './device-topic.ts'

/** A larger window is cut to its newest readings. */
const aggregated_max = 200_000

export interface ArrivedReading extends Reading, Part {
  readonly tenant_id: string
}

/** Returns the sensors with new readings. A known seq is not stored again, whatever its content. */
export async function storeReadings(
  db: Database,
  readings: readonly ArrivedReading[],
  now: Date,
): Promise<{ readonly tenant_id: string; readonly part: Part }[]> {
  if (readings.length === 0) return []
  const rows = await sql<{ tenant_id: string; device_did: string; sensor: string }>`
    WITH stored AS (
      INSERT INTO mote_readings (tenant_id, device_did, sensor, seq, observed_at, received_at, value)
      SELECT r.tenant_id, r.device_did, r.name, r.seq, r.observed_at, ${now}, r.value
      FROM jsonb_to_recordset(${JSON.stringify(readings)}::jsonb) AS r
        (tenant_id text, device_did text, name text, seq bigint, observed_at timestamptz, value float8)
      -- In one order, so that two engines that hear the same do not wait for each other.
      ORDER BY r.tenant_id COLLATE "C", r.device_did COLLATE "C", r.name COLLATE "C", r.seq
      ON CONFLICT DO NOTHING RETURNING tenant_id, device_did, sensor
    ) SELECT DISTINCT tenant_id, device_did, sensor FROM stored`.all(db)
  return rows.map(({ tenant_id, device_did, sensor }) => ({ tenant_id, part: { device_did, name: sensor } }))
}

interface Row {
  seq: string
  observed_at: Date
  value: number
}

const asReading = ({ seq, observed_at, value }: Row): Reading => ({ seq: Number(seq), observed_at, value })

export interface Window {
  readonly from: Date
  readonly to: Date
}

/** The newest readings, optionally of a half-open window and up to a position; oldest first. */
export async function latestReadings(
  db: Database,
  tenant_id: string,
  { device_did, name }: Part,
  limit: number,
  window?: Window,
  until?: Position,
): Promise<Reading[]> {
  const inside = window ? sql`AND observed_at >= ${window.from} AND observed_at < ${window.to}` : sql``
  const earlier = until ? sql`AND (observed_at, seq) <= (${until.observed_at}, ${until.seq})` : sql``
  const rows = await sql<Row>`
    SELECT seq, observed_at, value FROM mote_readings
    WHERE tenant_id = ${tenant_id} AND device_did = ${device_did} AND sensor = ${name} ${inside} ${earlier}
    ORDER BY observed_at DESC, seq DESC LIMIT ${limit}`.all(db)
  return rows.map(asReading).reverse()
}

export type Position = Pick<Reading, 'observed_at' | 'seq'>

/** The first reading after that position, or the first of all without one. */
export async function readingAfter(
  db: Database,
  tenant_id: string,
  { device_did, name }: Part,
  before: Position | undefined,
): Promise<Reading | undefined> {
  const later = before ? sql`AND (observed_at, seq) > (${before.observed_at}, ${before.seq})` : sql``
  const row = await sql<Row>`
    SELECT seq, observed_at, value FROM mote_readings
    WHERE tenant_id = ${tenant_id} AND device_did = ${device_did} AND sensor = ${name} ${later}
    ORDER BY observed_at, seq LIMIT 1`.first(db)
  return row && asReading(row)
}

/** Half-open, oldest first, optionally starting after a position. */
export async function readingsIn(
  db: Database,
  tenant_id: string,
  { device_did, name }: Part,
  { from, to }: Window,
  after: Position | undefined,
  limit: number,
): Promise<Reading[]> {
  const later = after ? sql`AND (observed_at, seq) > (${after.observed_at}, ${after.seq})` : sql``
  const rows = await sql<Row>`
    SELECT seq, observed_at, value FROM mote_readings
    WHERE tenant_id = ${tenant_id} AND device_did = ${device_did} AND sensor = ${name}
      AND observed_at >= ${from} AND observed_at < ${to} ${later}
    ORDER BY observed_at, seq LIMIT ${limit}`.all(db)
  return rows.map(asReading)
}

export interface Aggregates {
  readonly last: number
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly median: number
  readonly p95: number
  readonly count: number
  readonly stddev: number
}

/** Undefined if there are no readings. */
export async function aggregateIn(
  db: Database,
  tenant_id: string,
  { device_did, name }: Part,
  { from, to }: Window,
): Promise<Aggregates | undefined> {
  const row = await sql<Aggregates>`
    WITH seen AS (
      SELECT seq, observed_at, value FROM mote_readings
      WHERE tenant_id = ${tenant_id} AND device_did = ${device_did} AND sensor = ${name}
        AND observed_at >= ${from} AND observed_at < ${to}
      ORDER BY observed_at DESC, seq DESC LIMIT ${aggregated_max}
    )
    SELECT count(*)::int AS count, min(value) AS min, max(value) AS max,
      (SELECT value FROM seen ORDER BY observed_at DESC, seq DESC LIMIT 1) AS last,
      avg(value) AS mean, coalesce(stddev_samp(value), 0) AS stddev,
      percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS median,
      percentile_cont(0.95) WITHIN GROUP (ORDER BY value) AS p95 FROM seen`.first(db)
  const aggregates = row
  return aggregates && aggregates.count > 0 ? aggregates : undefined
}

/** Runs as the engine's role. Returns how many were deleted; if that equals the limit, there may be more. */
export async function forgetReadings(db: Database, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    DELETE FROM mote_readings WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM mote_readings WHERE observed_at < ${before} LIMIT ${limit}))`.execute(db)
  return Number(numAffectedRows)
}
