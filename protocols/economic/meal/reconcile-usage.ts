// Audit log against meter: each success metered once, each event from a record, each price as agreed.
import type { AuditBody } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { base_rate } from '@svc/contract/money/charge'
import { sql } from '@svc/database/sql'
import { type UsageEvent, usageEventOf } from '../usage/api.ts'
import type { BillingPeriod } from './billing-period.ts'
import { findInvoices } from './invoice-store.ts'
import type { Drift } from './reconcile.ts'

export const drift_max = 1_000
const unmatched_max = 20_000

/** The start of the canonical JSON: records from before this pricing are not metered. */
const metered = sql`r.outcome = 'success' AND r.event_type IN ('ProtocolInvocation', 'UsageMetered')
  AND strpos(r.body, '"usage":{"bps":') > 0`

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
  const rows = await sql<{ body: string; record_hash: string }>`
    SELECT r.body, encode(r.record_hash, 'hex') AS record_hash FROM audit_records r
    WHERE r.tenant_id = ${tenant_id} AND r.at >= ${new Date(from_ms)} AND r.at < ${new Date(to_ms)} AND ${metered}
      AND NOT EXISTS (SELECT FROM meter_events m
        WHERE m.tenant_id = r.tenant_id AND m.at = r.at AND m.seq = r.seq)
    ORDER BY r.seq LIMIT ${unmatched_max}`.all(db)
  const unmatched = rows.flatMap(({ body, record_hash }) => {
    const event = usageEventOf(JSON.parse(body) as AuditBody)
    return event ? [{ event, record_hash }] : []
  })
  const elsewhere = await foundElsewhere(db, tenant_id, unmatched)
  return unmatched.filter(({ event }) => !elsewhere.has(String(event.seq))).slice(0, drift_max)
}

/** Events not counted at their record's time: reported usage, and late usage of a closed period. */
async function foundElsewhere(
  db: Database,
  tenant_id: string,
  unmatched: readonly MissingEvent[],
): Promise<ReadonlySet<string>> {
  if (unmatched.length === 0) return new Set()
  const rows = await sql<{ seq: string }>`
    SELECT e.seq FROM unnest(${unmatched.map(({ event }) => event.seq)}::bigint[],
      ${unmatched.map(({ event }) => event.at)}::timestamptz[]) AS e(seq, at)
    WHERE EXISTS (SELECT FROM meter_events m WHERE m.tenant_id = ${tenant_id} AND m.seq = e.seq AND (m.at = e.at
      OR m.at = ANY(ARRAY(SELECT i.period_to FROM invoices i WHERE i.tenant_id = ${tenant_id}))))`.all(db)
  return new Set(rows.map(({ seq }) => seq))
}

interface WrongRow {
  readonly event_id: string
  readonly kind: 'orphan_meter' | 'charge_mismatch' | 'duplicate'
  readonly expected: string
  readonly actual: string
  readonly off: string
}

// The exact text of the usage in its record.
const usage_text = sql`'"usage":{"bps":[' || m.bps_tokens || ',' || m.bps_seconds || ',' || m.bps_watts || '],"ms":'
  || m.ms || ',"quanta":"' || m.quanta || '","rate":' || m.rate || ',"tokens_in":' || m.tokens_in
  || ',"tokens_out":' || m.tokens_out || ',"uwh":' || m.uwh || '}'`

const repriced = sql`(m.tokens_in + m.tokens_out)::numeric * p.tokens * m.bps_tokens * 1000
  + m.ms::numeric * p.seconds * m.bps_seconds + m.uwh::numeric * p.watts * m.bps_watts`

/** Wrong or superfluous events of the period. */
export async function findWrong(
  db: Database,
  tenant_id: string,
  { from_ms, to_ms }: BillingPeriod,
): Promise<Drift[]> {
  const { tokens, seconds, watts } = base_rate
  const rows = await sql<WrongRow>`
    WITH prices AS (
      SELECT version, tokens, seconds, watts FROM rates WHERE tenant_id = ${tenant_id}
      UNION ALL SELECT 0, ${String(tokens)}::numeric, ${String(seconds)}::numeric, ${String(watts)}::numeric
    ), judged AS (
      SELECT m.event_id, m.quanta, ${repriced} AS price,
        count(*) OVER (PARTITION BY m.event_id) AS times,
        row_number() OVER (PARTITION BY m.event_id) AS time,
        coalesce(strpos(r.body, '"id":"' || m.event_id || '"') > 0
          OR strpos(r.body, '"event_id":"' || m.event_id || '"') > 0, false) AS recorded,
        strpos(r.body, ${usage_text}) > 0 AND r.caller_did = m.caller_did
          AND (r.event_type = 'UsageMetered' OR (r.protocol, r.operation) = (m.protocol, m.operation)) AS as_recorded,
        substring(r.body FROM '"quanta":"(\\d+)"') AS said
      FROM meter_events m LEFT JOIN prices p ON p.version = m.rate
      LEFT JOIN audit_records r ON r.tenant_id = m.tenant_id AND r.seq = m.seq
        AND r.event_type IN ('ProtocolInvocation', 'UsageMetered')
      WHERE m.tenant_id = ${tenant_id} AND m.at >= ${new Date(from_ms)} AND m.at < ${new Date(to_ms)}
    )
    SELECT event_id, 'duplicate' AS kind, '1' AS expected, times::text AS actual, quanta * (times - 1) AS off
      FROM judged WHERE times > 1 AND time = 1
    UNION ALL SELECT event_id, 'orphan_meter', '0', quanta::text, quanta FROM judged WHERE times = 1 AND NOT recorded
    UNION ALL SELECT event_id, 'charge_mismatch', coalesce(said, price::text, 'no such rate'), quanta::text,
        quanta - coalesce(said::numeric, price, 0)
      FROM judged WHERE times = 1 AND recorded AND (NOT as_recorded OR price IS DISTINCT FROM quanta)
    LIMIT ${drift_max}`.all(db)
  return rows.map(({ event_id, off, ...row }) => ({
    ...row,
    ref: `meal://event/${event_id}`,
    off_quanta: BigInt(off),
  }))
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
