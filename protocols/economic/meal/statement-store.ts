// A period's usage, read consistently: closed hours from stored sums and hashes, the rest by event.
import type { Database } from '@svc/contract/database'
import { refuse } from '@svc/contract/refusal'
import { type Fragment, sql } from '@svc/database/sql'
import { rootOfHour, rootOfHours } from '../usage/api.ts'
import type { BillingPeriod } from './billing-period.ts'
import { ratesOf } from './rate-store.ts'
import type { GroupWord, Usage, UsageSum } from './statement.ts'

const hour_ms = 3_600_000
const sums_max = 10_000

interface SumRow extends Omit<UsageSum, 'calls' | 'tokens' | 'ms' | 'uwh' | 'quanta'> {
  readonly calls: string
  readonly tokens: string
  readonly ms: string
  readonly uwh: string
  readonly quanta: string
}

/** Either a sum, or an hour with its root or its sorted ids. */
interface Row extends SumRow {
  readonly hour: Date | null
  readonly root: Buffer | null
  readonly ids: Buffer | null
}

/** `whole` reads every event, ignoring stored hours. */
export async function readUsage(
  db: Database,
  tenant_id: string,
  period: BillingPeriod,
  by: readonly GroupWord[] = [],
  whole = false,
): Promise<Usage> {
  const rates = await ratesOf(db, tenant_id)
  const rows = await sql<Row>`
    WITH ${rangesOf(tenant_id, period, whole)}, ${eventsIn(tenant_id)}
    SELECT NULL::timestamptz AS hour, NULL::bytea AS root, NULL::bytea AS ids, protocol, ${namesOf(by, sql`hour`)}, rate,
      sum(calls) AS calls, sum(tokens) AS tokens, sum(ms) AS ms, sum(uwh) AS uwh, sum(quanta) AS quanta
    FROM (${storedSums(tenant_id)}) AS kept_sums GROUP BY 4, 5, 6, 7, 8, 9, 10
    UNION ALL
    SELECT NULL, NULL, NULL, protocol, ${namesOf(by, sql`at`)}, rate, count(*), sum(tokens_in + tokens_out), sum(ms),
      sum(uwh), sum(quanta)
    FROM events GROUP BY 4, 5, 6, 7, 8, 9, 10
    UNION ALL
    SELECT hour, root, ids, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM (
      ${storedRoots(tenant_id)}
      UNION ALL
      SELECT date_trunc('hour', at, 'UTC'), NULL, string_agg(uuid_send(event_id), ''::bytea ORDER BY event_id)
      FROM events GROUP BY 1
    ) AS hours (hour, root, ids)`.all(db)
  const sums = rows.filter(({ hour }) => hour === null)
  if (sums.length > sums_max) throw tooManyGroups(sums.length)
  return {
    tenant_id,
    period: { from: iso(period.from_ms), to: iso(period.to_ms) },
    sums: sums.map(sumFrom),
    rates,
    events_root: rootOfHours(rows.filter(isHour).sort(byTime).map(rootFrom)),
  }
}

/** One statement sees one snapshot, so it can separate stored hours from others. */
function rangesOf(tenant_id: string, period: BillingPeriod, whole: boolean): Fragment {
  const { from_ms, to_ms } = period
  const [from, to] = [iso(from_ms), iso(to_ms)]
  const first = iso(Math.ceil(from_ms / hour_ms) * hour_ms)
  const last = iso(Math.floor(to_ms / hour_ms) * hour_ms)
  return sql`
    kept AS MATERIALIZED (
      SELECT ${first}::timestamptz AS first, least(${last}::timestamptz, b.kept_until) AS last FROM billing b
      WHERE b.tenant_id = ${tenant_id} AND b.kept_until > ${first} AND ${first}::timestamptz < ${last}
        AND NOT ${whole}::boolean
    ), stale AS MATERIALIZED (
      SELECT h.hour FROM meter_hours h, kept
      WHERE h.tenant_id = ${tenant_id} AND h.root IS NULL AND h.hour >= kept.first AND h.hour < kept.last
    ), ranges AS MATERIALIZED (
      SELECT ${from}::timestamptz AS first, first AS last FROM kept
      UNION ALL SELECT last, ${to}::timestamptz FROM kept
      UNION ALL SELECT ${from}::timestamptz, ${to}::timestamptz WHERE NOT EXISTS (SELECT FROM kept)
      UNION ALL SELECT hour, hour + interval '1 hour' FROM stale
    )`
}

function eventsIn(tenant_id: string): Fragment {
  return sql`
    events AS NOT MATERIALIZED (
      SELECT m.* FROM ranges r
      JOIN meter_events m ON m.tenant_id = ${tenant_id} AND m.at >= r.first AND m.at < r.last
    )`
}

function storedSums(tenant_id: string): Fragment {
  return sql`
    SELECT s.protocol, s.operation, s.caller_did, s.envelope_id, s.origin, s.hour, s.rate, s.calls, s.tokens, s.ms,
      s.uwh, s.quanta
    FROM kept JOIN meter_sums s ON s.tenant_id = ${tenant_id} AND s.hour >= kept.first AND s.hour < kept.last
    WHERE NOT EXISTS (SELECT FROM stale WHERE stale.hour = s.hour)`
}

function storedRoots(tenant_id: string): Fragment {
  return sql`
    SELECT h.hour, h.root, NULL::bytea
    FROM kept JOIN meter_hours h ON h.tenant_id = ${tenant_id} AND h.hour >= kept.first AND h.hour < kept.last
    WHERE h.root IS NOT NULL AND h.events > 0`
}

/** Groups only by the requested names; the reader adds up sums of stored hours and of single events. */
function namesOf(by: readonly GroupWord[], moment: Fragment): Fragment {
  const only = (word: GroupWord, column: Fragment) => (by.includes(word) ? column : sql`NULL::text`)
  return sql`${only('operation', sql`operation`)} AS operation, ${only('agent', sql`caller_did`)} AS agent,
    ${only('department', sql`envelope_id`)} AS department,
    ${only('day', sql`to_char(${moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`)} AS day, ${only('origin', sql`origin`)} AS origin`
}

function sumFrom({ calls, tokens, ms, uwh, quanta, ...row }: SumRow): UsageSum {
  const { protocol, operation, agent, department, day, origin, rate } = row
  return {
    protocol,
    operation,
    agent,
    department,
    day,
    origin,
    rate,
    calls: BigInt(calls),
    tokens: BigInt(tokens),
    ms: BigInt(ms),
    uwh: BigInt(uwh),
    quanta: BigInt(quanta),
  }
}

type HourRow = Row & { readonly hour: Date }

function isHour(row: Row): row is HourRow {
  return row.hour !== null
}

function byTime(a: HourRow, b: HourRow): number {
  return a.hour.getTime() - b.hour.getTime()
}

function rootFrom({ root, ids }: HourRow): Buffer {
  return root ?? rootOfHour(ids!)
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

function tooManyGroups(count: number) {
  return refuse(
    'invalid_payload',
    `This period has ${count} groups and a statement may have ${sums_max}; group by less, or shorten the period.`,
    { reason: 'too_many_groups', faults: [{ pointer: '/group_by', message: `makes ${count} groups` }] },
  )
}
