// Each tenant's runway level and whether it was reported: once per level, again only after a payment.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { RunwayLevel } from '@svc/contract/money/books'
import { usdText } from '@svc/contract/money/money'
import type { Tick } from '@svc/contract/tick'
import { sql } from '@svc/database/sql'
import { tellBooks } from '../ledger/api.ts'
import { paidInOf } from './books-store.ts'
import { crossed, levelOf, worse } from './runway.ts'

interface Noted {
  readonly level: RunwayLevel
  readonly told: RunwayLevel
  readonly full_micro_usd: bigint
  readonly paid_in_micro_usd: bigint
  readonly credit_line_micro_usd: bigint | null
}

export interface Runway {
  /** Everything paid in so far, and the credit line. */
  readonly limit_micro_usd: bigint
  /** What can still be spent, including credit. */
  readonly room_micro_usd: bigint
  /** Spent since the last check: payments may have come in before that. */
  readonly spent_micro_usd: bigint
}

/** Runs as the engine's role. */
export async function noteRunway(
  db: Database,
  tenant_id: string,
  runway: Runway,
  tick: Tick,
): Promise<RunwayLevel> {
  if (!db.isTransaction)
    return db.transaction((transaction) => noteRunway(transaction, tenant_id, runway, tick))
  const { room_micro_usd } = runway
  await lockRunway(db, tenant_id)
  const before = await findNoted(db, tenant_id)
  const paid = await paidInOf(db, tenant_id)
  const is_refilled =
    !before ||
    paid.paid_in_micro_usd > before.paid_in_micro_usd ||
    paid.credit_line_micro_usd !== before.credit_line_micro_usd ||
    room_micro_usd > before.full_micro_usd
  // At the first check the database may not have all that was spent yet.
  const full = before ? room_micro_usd + runway.spent_micro_usd : runway.limit_micro_usd
  const full_micro_usd = is_refilled ? full : before.full_micro_usd
  const level = levelOf(room_micro_usd, full_micro_usd)
  const runway_level = before && !is_refilled ? before.told : 'ample'
  const noted: Noted = { level, told: worse(runway_level, level), full_micro_usd, ...paid }
  if (before && isSame(before, noted)) return level
  await keepNoted(db, tenant_id, noted, tick.now)
  for (const step of crossed(runway_level, level))
    await leaveInOutbox(db, eventOf(tenant_id, step, room_micro_usd, full_micro_usd, tick))
  if (level !== (before?.level ?? 'ample')) await tellBooks(db, tenant_id)
  return level
}

/** Runs as the engine's role: counts all tenants whose runway is not ample. */
export async function countLowRunways(db: Database): Promise<number> {
  const row = await sql<{ low: number }>`
    SELECT count(*)::int AS low FROM runway_state WHERE level <> 'ample'`.first(db)
  return row?.low ?? 0
}

async function lockRunway(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`runway|${tenant_id}`}, 0))`.execute(db)
}

async function findNoted(db: Database, tenant_id: string): Promise<Noted | undefined> {
  const rows = await sql<
    Pick<Noted, 'level' | 'told'> & { full: string; paid_in: string; line: string | null }
  >`
    SELECT level, told, full_micro_usd AS full, paid_in_micro_usd AS paid_in, credit_line_micro_usd AS line
    FROM runway_state WHERE tenant_id = ${tenant_id} FOR UPDATE`.all(db)
  const row = rows[0]
  if (!row) return undefined
  return {
    level: row.level,
    told: row.told,
    full_micro_usd: BigInt(row.full),
    paid_in_micro_usd: BigInt(row.paid_in),
    credit_line_micro_usd: row.line === null ? null : BigInt(row.line),
  }
}

function isSame(a: Noted, b: Noted): boolean {
  return (Object.keys(a) as (keyof Noted)[]).every((field) => a[field] === b[field])
}

async function keepNoted(db: Database, tenant_id: string, noted: Noted, at: Date): Promise<void> {
  await sql`
    INSERT INTO runway_state (tenant_id, level, told, full_micro_usd, paid_in_micro_usd, credit_line_micro_usd, noted_at)
    VALUES (${tenant_id}, ${noted.level}, ${noted.told}, ${noted.full_micro_usd}, ${noted.paid_in_micro_usd},
      ${noted.credit_line_micro_usd}, ${at})
    ON CONFLICT (tenant_id) DO UPDATE SET level = excluded.level, told = excluded.told,
      full_micro_usd = excluded.full_micro_usd, paid_in_micro_usd = excluded.paid_in_micro_usd,
      credit_line_micro_usd = excluded.credit_line_micro_usd, noted_at = excluded.noted_at`.execute(db)
}

function eventOf(tenant_id: string, level: RunwayLevel, room: bigint, full: bigint, { now, newId }: Tick) {
  return {
    id: newId(),
    event_type: level === 'exhausted' ? 'RunwayExhausted' : 'RunwayLow',
    correlation_id: newId(),
    timestamp: now.toISOString(),
    tenant_id,
    caller_did: 'engine',
    protocol: 'MANA',
    outcome: 'success' as const,
    latency_ms: 0,
    meta: { level, remaining_usd: usdText(room), full_usd: usdText(full) },
  }
}
