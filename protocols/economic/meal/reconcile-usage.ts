// Audit log against meter: each success metered once, each event from a record, each price as agreed.
import { columnText } from '@svc/audit/pages/columns'
import { readRecords } from '@svc/audit/pages/read-records'
import { bodyOf } from '@svc/audit/pages/stored-record'
import { queryOf } from '@svc/audit/query/query'
import { searchRecords } from '@svc/audit/query/search'
import type { AuditBody } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { base_rate } from '@svc/contract/money/charge'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { type UsageEvent, usageEventOf } from '../usage/api.ts'
import type { BillingPeriod } from './billing-period.ts'
import { findInvoices } from './invoice-store.ts'
import type { Drift } from './reconcile.ts'

export const drift_max = 1_000
const events_at_once = 1_000

/** The start of the canonical JSON: records from before this pricing are not metered. */
const metered_text = '"usage":{"bps":'
const metered_events = ['ProtocolInvocation', 'UsageMetered']

export interface MissingEvent {
  readonly event: UsageEvent
  readonly record_hash: string
}

/** Records of the period without an event. */
export async function findMissing(
  db: Database,
  tenant_id: string,
  { from_ms, to_ms }: BillingPeriod,
): Promise<MissingEvent[]> {
  const period = { from: new Date(from_ms).toISOString(), to: new Date(to_ms).toISOString() }
  const filter = { ...period, outcome: 'success', event_types: metered_events }
  const missing: MissingEvent[] = []
  for await (const records of searchRecords(queryOf(db), tenant_id, filter)) {
    const events = records.flatMap(({ body, record_hash }) => {
      const event = body?.includes(metered_text) ? usageEventOf(JSON.parse(body) as AuditBody) : undefined
      return event ? [{ event, record_hash }] : []
    })
    const counted = await countedAmong(db, tenant_id, events)
    missing.push(...events.filter(({ event }) => !counted.has(String(event.seq))))
    if (missing.length >= drift_max) break
  }
  return missing.slice(0, drift_max)
}

/** Those with an event, by seq: at their time, or at the end of a closed period that they came too late for. */
async function countedAmong(
  db: Database,
  tenant_id: string,
  events: readonly MissingEvent[],
): Promise<ReadonlySet<string>> {
  if (events.length === 0) return new Set()
  const rows = await sql<{ seq: string }>`
    SELECT e.seq FROM unnest(${events.map(({ event }) => event.seq)}::bigint[],
      ${events.map(({ event }) => event.at)}::timestamptz[]) AS e(seq, at)
    WHERE EXISTS (SELECT FROM meter_events m WHERE m.tenant_id = ${tenant_id} AND m.seq = e.seq AND (m.at = e.at
      OR m.at = ANY(ARRAY(SELECT i.period_to FROM invoices i WHERE i.tenant_id = ${tenant_id}))))`.all(db)
  return new Set(rows.map(({ seq }) => seq))
}

interface MeteredRow {
  readonly event_id: string
  readonly seq: string
  readonly protocol: string
  readonly operation: string
  readonly caller_did: string
  /** The exact text of the usage in its record. */
  readonly usage_text: string
  readonly quanta: string
  /** Null where there is no such rate. */
  readonly price: string | null
  readonly times: string
  /** Which of these it is. */
  readonly time: string
}

const usage_text = sql`'"usage":{"bps":[' || m.bps_tokens || ',' || m.bps_seconds || ',' || m.bps_watts || '],"ms":'
  || m.ms || ',"quanta":"' || m.quanta || '","rate":' || m.rate || ',"tokens_in":' || m.tokens_in
  || ',"tokens_out":' || m.tokens_out || ',"uwh":' || m.uwh || '}'`

const repriced = sql`(m.tokens_in + m.tokens_out)::numeric * p.tokens * m.bps_tokens * 1000
  + m.ms::numeric * p.seconds * m.bps_seconds + m.uwh::numeric * p.watts * m.bps_watts`

/** Wrong or superfluous events of the period. */
export async function findWrong(db: Database, tenant_id: string, period: BillingPeriod): Promise<Drift[]> {
  const drifts: Drift[] = []
  for (let after = '0'; drifts.length < drift_max; ) {
    const rows = await meteredAfter(db, tenant_id, period, after)
    const places = rows.map(({ seq }) => ({ from_seq: Number(seq), to_seq: Number(seq) }))
    const records = await readRecords(queryOf(db), tenant_id, places)
    const by_seq = new Map(records.map((record) => [String(record.seq), bodyOf(record)]))
    drifts.push(...rows.flatMap((row) => judge(row, by_seq.get(row.seq)) ?? []))
    if (rows.length < events_at_once) break
    after = rows.at(-1)!.seq
  }
  return drifts.slice(0, drift_max)
}

function meteredAfter(
  db: Database,
  tenant_id: string,
  { from_ms, to_ms }: BillingPeriod,
  after: string,
): Promise<MeteredRow[]> {
  const { tokens, seconds, watts } = base_rate
  return sql<MeteredRow>`
    WITH prices AS (
      SELECT version, tokens, seconds, watts FROM rates WHERE tenant_id = ${tenant_id}
      UNION ALL SELECT 0, ${String(tokens)}::numeric, ${String(seconds)}::numeric, ${String(watts)}::numeric
    )
    SELECT m.event_id, m.seq, m.protocol, m.operation, m.caller_did, ${usage_text} AS usage_text, m.quanta,
      ${repriced} AS price, count(*) OVER (PARTITION BY m.event_id) AS times,
      row_number() OVER (PARTITION BY m.event_id) AS time
    FROM meter_events m LEFT JOIN prices p ON p.version = m.rate
    WHERE m.tenant_id = ${tenant_id} AND m.at >= ${new Date(from_ms)} AND m.at < ${new Date(to_ms)}
      AND m.seq > ${after}::bigint
    ORDER BY m.seq LIMIT ${events_at_once}`.all(db)
}

function judge(row: MeteredRow, record: AuditBody | undefined): Drift | undefined {
  const { event_id, quanta, price } = row
  const drift = (kind: Drift['kind'], expected: string, actual: string, off_quanta: bigint): Drift => {
    return { kind, ref: `meal://event/${event_id}`, expected, actual, off_quanta }
  }
  const times = BigInt(row.times)
  if (times > 1n)
    return row.time === '1' ? drift('duplicate', '1', row.times, BigInt(quanta) * (times - 1n)) : undefined
  const text = record && metered_events.includes(record.event_type) ? canonicalJson(record) : ''
  if (!text.includes(`"id":"${event_id}"`) && !text.includes(`"event_id":"${event_id}"`))
    return drift('orphan_meter', '0', quanta, BigInt(quanta))
  const is_as_recorded =
    text.includes(row.usage_text) &&
    columnText(record!.caller_did) === row.caller_did &&
    (record!.event_type === 'UsageMetered' ||
      (record!.protocol === row.protocol && record!.operation === row.operation))
  if (is_as_recorded && price === quanta) return undefined
  const recorded = /"quanta":"(\d+)"/.exec(text)?.[1]
  const expected = recorded ?? price ?? 'no such rate'
  return drift('charge_mismatch', expected, quanta, BigInt(quanta) - BigInt(recorded ?? price ?? 0))
}

export function missingDrift(tenant_id: string, { event, record_hash }: MissingEvent): Drift {
  return {
    kind: 'missing_meter',
    ref: `max://${tenant_id}/record/${record_hash}`,
    expected: String(event.quanta),
    actual: '0',
    off_quanta: -event.quanta,
  }
}

/** The time an event counts at, as the projection chooses it. */
export async function momentCounted(db: Database, event: UsageEvent): Promise<string> {
  const at_ms = Date.parse(event.at)
  const invoices = await findInvoices(db, event.tenant_id, { from_ms: at_ms, to_ms: farthest_ms })
  const closed_before_it = invoices.filter(({ counted_seq }) => counted_seq < BigInt(event.seq))
  const until_ms = Math.max(at_ms, ...closed_before_it.map(({ period }) => period.to_ms))
  return new Date(until_ms).toISOString()
}

const farthest_ms = Date.UTC(9999, 0)
