// A period's usage: whole hours from their sums and hashes, the rest event by event.
import type { Database } from '@svc/contract/database'
import { quanta_per_micro_usd } from '@svc/contract/money/money'
import type { CountedEvent, Span, UsageEvents } from '@svc/contract/money/usage'
import { refuse } from '@svc/contract/refusal'
import { type Fragment, sql } from '@svc/database/sql'
import { eventsOf, HourIds, rootOfHours } from '../usage/api.ts'
import type { BillingPeriod } from './billing-period.ts'
import { ratesOf } from './rate-store.ts'
import type { GroupWord, Usage, UsageSum } from './statement.ts'

const hour_ms = 3_600_000
const sums_max = 10_000
/** Of hours read at once: their ids are in memory. */
const events_max = 100_000

export interface Reading {
  readonly by?: readonly GroupWord[]
  /** Reads every event, ignoring sums and stored hashes. */
  readonly whole?: boolean
  /** Of an organization whose log is closed to `db`. */
  readonly events?: UsageEvents
}

export async function readUsage(
  db: Database,
  tenant_id: string,
  period: BillingPeriod,
  { by = [], whole = false, events = eventsOf(db, tenant_id) }: Reading = {},
): Promise<Usage> {
  const rates = await ratesOf(db, tenant_id)
  const { until_seq, sums, hours } = await readStored(db, tenant_id, period, by)
  const roots = new Map<number, Buffer>()
  for (const { hour, root } of whole ? [] : hours) if (root) roots.set(hour.getTime(), root)
  const added = new Map<string, UsageSum>()
  for (const span of whole ? spansOf(period, hours) : restOf(period, hours)) {
    const ids = new HourIds()
    for await (const some of events(span, until_seq)) {
      ids.add(some)
      if (whole || isPart(span)) for (const one of some) addEvent(added, one, by)
    }
    for (const [hour, root] of await ids.takeRoots(db)) roots.set(hour, root)
  }
  const all = whole ? [...added.values()] : [...sums, ...added.values()]
  if (all.length > sums_max) throw tooManyGroups(all.length)
  return {
    tenant_id,
    period: { from: iso(period.from_ms), to: iso(period.to_ms) },
    sums: all,
    rates,
    events_root: rootOfHours([...roots].sort(([a], [b]) => a - b).map(([, root]) => root)),
  }
}

interface StoredHour {
  readonly hour: Date
  readonly calls: number
  /** Undefined where it must be made of the events. */
  readonly root: Buffer | undefined
}

interface Stored {
  /** The newest record that these sums count. */
  readonly until_seq: number
  readonly sums: readonly UsageSum[]
  /** Those with usage that are wholly in the period, in order. */
  readonly hours: readonly StoredHour[]
}

interface Row extends Record<keyof Omit<UsageSum, 'rate'>, string | null> {
  readonly until_seq: string
  readonly hour: Date | null
  readonly root: Buffer | null
  readonly rate: number | null
}

/** One statement sees one snapshot, so sums, hashes and the record they reach to are consistent. */
async function readStored(
  db: Database,
  tenant_id: string,
  period: BillingPeriod,
  by: readonly GroupWord[],
): Promise<Stored> {
  const { from_ms, to_ms } = wholeHours(period)
  const rows = await sql<Row>`
    WITH used AS MATERIALIZED (
      SELECT s.hour, s.calls, s.tokens, s.ms, s.uwh, s.quanta, n.*
      FROM meter_sums s JOIN meter_names n USING (tenant_id, name_id)
      WHERE s.tenant_id = ${tenant_id} AND s.hour >= ${iso(from_ms)} AND s.hour < ${iso(to_ms)}
    )
    SELECT coalesce((SELECT seq FROM spend WHERE tenant_id = ${tenant_id} AND budget_counter = 'runway'), 0) AS until_seq, row.*
    FROM (
      SELECT NULL::timestamptz AS hour, NULL::bytea AS root, protocol, ${namesOf(by)}, rate, sum(calls) AS calls,
        sum(tokens) AS tokens, sum(ms) AS ms, sum(uwh) AS uwh, sum(quanta) AS quanta
      FROM used GROUP BY 3, 4, 5, 6, 7, 8, 9
      UNION ALL
      SELECT hour, h.root, NULL, NULL, NULL, NULL, NULL, NULL, NULL, u.calls, NULL, NULL, NULL, NULL
      FROM (SELECT hour, sum(calls) AS calls FROM used GROUP BY hour) u
      FULL JOIN (
        SELECT hour, root FROM meter_hours
        WHERE tenant_id = ${tenant_id} AND hour >= ${iso(from_ms)} AND hour < ${iso(to_ms)} AND events > 0
      ) h USING (hour)
      UNION ALL
      SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    ) AS row
    ORDER BY hour`.all(db)
  return {
    until_seq: Number(rows[0]!.until_seq),
    sums: rows.flatMap((row) => (row.protocol === null ? [] : [sumFrom(row)])),
    hours: rows.flatMap(({ hour, root, calls }) =>
      hour ? [{ hour, root: root ?? undefined, calls: Number(calls) }] : [],
    ),
  }
}

/** The part of a period that sums of hours can say. */
function wholeHours({ from_ms, to_ms }: Span): Span {
  return { from_ms: Math.ceil(from_ms / hour_ms) * hour_ms, to_ms: Math.floor(to_ms / hour_ms) * hour_ms }
}

function isPart(span: Span): boolean {
  return span.from_ms % hour_ms !== 0 || span.to_ms % hour_ms !== 0
}

/** The parts of hours at the ends of a period, and the hours in it that have no hash. */
function restOf(period: Span, hours: readonly StoredHour[]): Span[] {
  const { from_ms, to_ms } = wholeHours(period)
  if (from_ms > to_ms) return [period]
  const open = openSpans(hours)
  const ends = [
    { from_ms: period.from_ms, to_ms: from_ms },
    { from_ms: to_ms, to_ms: period.to_ms },
  ]
  return [...ends, ...open].filter((span) => span.from_ms < span.to_ms)
}

/** Hours without a hash, and the empty ones between them: each reading searches the log, so they are read together. */
function openSpans(hours: readonly StoredHour[]): Span[] {
  const spans: Span[] = []
  let open: { from_ms: number; to_ms: number } | undefined
  let events = 0
  for (const { hour, calls, root } of hours) {
    const from_ms = hour.getTime()
    events += calls
    if (root) open = undefined
    else if (open && events <= events_max) open.to_ms = from_ms + hour_ms
    else {
      open = { from_ms, to_ms: from_ms + hour_ms }
      events = calls
      spans.push(open)
    }
  }
  return spans
}

/** Spans that cover a period, to read all of its events with some in memory at a time. */
export async function spansToRead(db: Database, tenant_id: string, period: Span): Promise<Span[]> {
  return spansOf(period, (await readStored(db, tenant_id, period, [])).hours)
}

/** A period in spans of whole hours, none with very many events unless an hour has. */
function spansOf(period: Span, hours: readonly StoredHour[]): Span[] {
  const spans: Span[] = []
  let from_ms = period.from_ms
  let events = 0
  for (const { hour, calls } of hours) {
    if (events > 0 && events + calls > events_max) {
      spans.push({ from_ms, to_ms: hour.getTime() })
      from_ms = hour.getTime()
      events = 0
    }
    events += calls
  }
  return [...spans, { from_ms, to_ms: period.to_ms }]
}

/** Groups only by the requested names. */
function namesOf(by: readonly GroupWord[]): Fragment {
  const only = (word: GroupWord, column: Fragment) => (by.includes(word) ? column : sql`NULL::text`)
  return sql`${only('operation', sql`operation`)} AS operation, ${only('agent', sql`caller_did`)} AS agent,
    ${only('department', sql`envelope_id`)} AS department,
    ${only('day', sql`to_char(hour AT TIME ZONE 'UTC', 'YYYY-MM-DD')`)} AS day, ${only('origin', sql`origin`)} AS origin`
}

function sumFrom({ protocol, operation, agent, department, day, origin, rate, ...row }: Row): UsageSum {
  return {
    ...{ protocol: protocol!, operation, agent, department, day, origin, rate: rate! },
    calls: BigInt(row.calls!),
    tokens: BigInt(row.tokens!),
    ms: BigInt(row.ms!),
    uwh: BigInt(row.uwh!),
    quanta: BigInt(row.quanta!),
  }
}

function addEvent(
  sums: Map<string, UsageSum>,
  { event, counted_ms }: CountedEvent,
  by: readonly GroupWord[],
): void {
  const only = (word: GroupWord, text: string) => (by.includes(word) && text !== '' ? text : null)
  const names = {
    protocol: event.protocol,
    operation: only('operation', event.operation),
    agent: only('agent', event.caller_did),
    department: only('department', event.envelope_id),
    day: only('day', iso(counted_ms).slice(0, 10)),
    origin: only('origin', event.origin),
    rate: event.rate,
  }
  const key = JSON.stringify(Object.values(names))
  const sum = sums.get(key)
  sums.set(key, {
    ...names,
    calls: (sum?.calls ?? 0n) + 1n,
    tokens: (sum?.tokens ?? 0n) + BigInt(event.tokens_in) + BigInt(event.tokens_out),
    ms: (sum?.ms ?? 0n) + BigInt(event.ms),
    uwh: (sum?.uwh ?? 0n) + BigInt(event.uwh),
    quanta: (sum?.quanta ?? 0n) + event.quanta,
  })
}

/** Whole micro-USD of all usage that counts before a moment. */
export async function usedUntil(
  db: Database,
  tenant_id: string,
  to_ms: number,
  events: UsageEvents = eventsOf(db, tenant_id),
): Promise<bigint> {
  const next_ms = Math.ceil(to_ms / hour_ms) * hour_ms
  const row = await sql<{ quanta: string; seq: string }>`
    SELECT s.quanta - coalesce((SELECT sum(later.quanta) FROM meter_sums later
      WHERE later.tenant_id = ${tenant_id} AND later.hour >= ${iso(next_ms)}), 0) AS quanta, s.seq
    FROM spend s WHERE s.tenant_id = ${tenant_id} AND s.budget_counter = 'runway'`.first(db)
  let quanta = BigInt(row!.quanta)
  if (to_ms < next_ms)
    for await (const some of events({ from_ms: to_ms, to_ms: next_ms }, Number(row!.seq)))
      for (const { event } of some) quanta -= event.quanta
  return quanta / quanta_per_micro_usd
}

/** The hour of the first usage of all. */
export async function firstHour(db: Database, tenant_id: string): Promise<number | undefined> {
  const row = await sql<{ first: Date | null }>`
    SELECT min(hour) AS first FROM meter_sums WHERE tenant_id = ${tenant_id}`.first(db)
  return row?.first?.getTime()
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
