// The stored sums of hours as they are, for comparison, and what a repair adds to them.
import type { Database } from '@svc/contract/database'
import type { Span } from '@svc/contract/money/usage'
import { type NotNull, sql } from '@svc/database/sql'
import { type HourSum, sumKey } from '../usage/api.ts'

interface SumRow {
  readonly until_seq: string
  /** Null with all that follows where the span has no sums. */
  readonly hour: NotNull<Date>
  readonly name_id: NotNull<string>
  readonly protocol: NotNull<string>
  readonly operation: NotNull<string>
  readonly caller_did: NotNull<string>
  readonly grant_name: string | null
  readonly origin: string | null
  readonly envelope_id: string | null
  readonly rate: NotNull<number>
  readonly calls: string
  readonly tokens: string
  readonly ms: string
  readonly uwh: string
  readonly quanta: string
}

/** By key; with the newest record they count. */
export async function readHourSums(
  db: Database,
  tenant_id: string,
  { from_ms, to_ms }: Span,
): Promise<{ readonly sums: Map<string, HourSum>; readonly until_seq: number }> {
  const rows = await sql<SumRow>`
    SELECT p.seq AS until_seq, s.hour, n.name_id, n.protocol, n.operation, n.caller_did, n.grant_name, n.origin,
      n.envelope_id, n.rate, sum(s.calls) AS calls, sum(s.tokens) AS tokens, sum(s.ms) AS ms, sum(s.uwh) AS uwh,
      sum(s.quanta) AS quanta
    FROM spend p LEFT JOIN meter_sums s ON s.tenant_id = p.tenant_id AND s.hour >= ${new Date(from_ms)}
      AND s.hour < ${new Date(to_ms)}
    LEFT JOIN meter_names n ON n.tenant_id = p.tenant_id AND n.name_id = s.name_id
    WHERE p.tenant_id = ${tenant_id} AND p.budget_counter = 'runway'
    GROUP BY p.seq, s.hour, n.tenant_id, n.name_id`.all(db)
  return {
    sums: new Map(rows.filter(({ hour }) => hour !== null).map((row) => sumFrom(tenant_id, row))),
    until_seq: Number(rows[0]?.until_seq ?? 0),
  }
}

function sumFrom(tenant_id: string, row: SumRow): [string, HourSum] {
  const sum = {
    tenant_id,
    hour: row.hour.toISOString(),
    name_id: row.name_id,
    protocol: row.protocol,
    operation: row.operation,
    caller_did: row.caller_did,
    grant_name: row.grant_name ?? '',
    origin: row.origin ?? '',
    envelope_id: row.envelope_id ?? '',
    rate: row.rate,
    calls: Number(row.calls),
    tokens: BigInt(row.tokens),
    ms: BigInt(row.ms),
    uwh: BigInt(row.uwh),
    quanta: BigInt(row.quanta),
  }
  return [sumKey(sum), sum]
}

/** Only of hours whose hash is stored. */
export async function readHourHashes(
  db: Database,
  tenant_id: string,
  { from_ms, to_ms }: Span,
): Promise<Map<number, Buffer>> {
  const rows = await sql<{ hour: Date; root: NotNull<Buffer> }>`
    SELECT hour, root FROM meter_hours WHERE tenant_id = ${tenant_id} AND hour >= ${new Date(from_ms)}
      AND hour < ${new Date(to_ms)} AND root IS NOT NULL`.all(db)
  return new Map(rows.map(({ hour, root }) => [hour.getTime(), root]))
}

/** Rows beside those of the engine. Returns how many. */
export async function addLost(db: Database, lost: readonly HourSum[]): Promise<number> {
  for (const sum of lost) {
    await sql`
      INSERT INTO meter_names (tenant_id, name_id, protocol, operation, caller_did, grant_name, origin, envelope_id, rate)
      VALUES (${sum.tenant_id}, ${sum.name_id}, ${sum.protocol}, ${sum.operation}, ${sum.caller_did},
        ${sum.grant_name || null}, ${sum.origin || null}, ${sum.envelope_id || null}, ${sum.rate})
      ON CONFLICT DO NOTHING`.execute(db)
    await sql`
      INSERT INTO meter_sums (tenant_id, hour, name_id, repair, calls, tokens, ms, uwh, quanta)
      SELECT ${sum.tenant_id}, ${sum.hour}::timestamptz, ${sum.name_id}::uuid, coalesce(max(repair), 0) + 1,
        ${sum.calls}::bigint, ${String(sum.tokens)}::numeric, ${String(sum.ms)}::numeric, ${String(sum.uwh)}::numeric,
        ${String(sum.quanta)}::numeric
      FROM meter_sums WHERE tenant_id = ${sum.tenant_id} AND hour = ${sum.hour} AND name_id = ${sum.name_id}`.execute(
      db,
    )
  }
  return lost.length
}

export async function addMoved(
  db: Database,
  tenant_id: string,
  moved: readonly { readonly seq: number; readonly at_ms: number }[],
): Promise<number> {
  for (const { seq, at_ms } of moved)
    await sql`
      INSERT INTO meter_moved (tenant_id, seq, at) VALUES (${tenant_id}, ${seq}, ${new Date(at_ms)})
      ON CONFLICT DO NOTHING`.execute(db)
  return moved.length
}
