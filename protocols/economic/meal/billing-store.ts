// A tenant's credit line, and how much of its usage has been booked.

import type { Tier } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

export interface Billing {
  /** Null if the tier decides. */
  readonly credit_line_micro_usd: bigint | null
  /** Total taken from the runway by roll-ups. */
  readonly rolled_micro_usd: bigint
}

export async function billingOf(db: Database, tenant_id: string): Promise<Billing> {
  const row = await sql<{ credit_line_micro_usd: string | null; rolled_micro_usd: string }>`
    SELECT credit_line_micro_usd, rolled_micro_usd FROM billing WHERE tenant_id = ${tenant_id}`.first(db)
  const { credit_line_micro_usd: line = null, rolled_micro_usd = '0' } = row ?? {}
  return {
    credit_line_micro_usd: line === null ? null : BigInt(line),
    rolled_micro_usd: BigInt(rolled_micro_usd),
  }
}

/** Null for the tier's value. */
export async function setCreditLine(db: Database, tenant_id: string, line: bigint | null): Promise<void> {
  const micro_usd = line === null ? null : String(line)
  await sql`
    INSERT INTO billing (tenant_id, credit_line_micro_usd) VALUES (${tenant_id}, ${micro_usd})
    ON CONFLICT (tenant_id) DO UPDATE SET credit_line_micro_usd = excluded.credit_line_micro_usd`.execute(db)
}

/** Returns the previous tier. */
export async function setTier(db: Database, tenant_id: string, tier: Tier): Promise<Tier> {
  const row = await sql<{ tier: Tier }>`
    UPDATE tenants t SET tier = ${tier} FROM tenants before
    WHERE t.tenant_id = ${tenant_id} AND before.tenant_id = t.tenant_id RETURNING before.tier`.first(db)
  return row!.tier
}

/** The first time not covered by an invoice; undefined before the first. */
export async function closedUntil(db: Database, tenant_id: string): Promise<number | undefined> {
  const row = await sql<{ closed_until: Date | null }>`
    SELECT closed_until FROM billing WHERE tenant_id = ${tenant_id}`.first(db)
  return row?.closed_until?.getTime()
}

export async function setClosedUntil(db: Database, tenant_id: string, until_ms: number): Promise<void> {
  await sql`
    INSERT INTO billing (tenant_id, closed_until) VALUES (${tenant_id}, ${new Date(until_ms)})
    ON CONFLICT (tenant_id) DO UPDATE SET closed_until = excluded.closed_until`.execute(db)
}
