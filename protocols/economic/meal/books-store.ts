// Everything that limits a tenant's spending, in one snapshot: money, prices, envelopes and holds.

import type { Database } from '@svc/contract/database'
import type { Books, Envelope, Hold, RunwayLevel, Throttle } from '@svc/contract/money/books'
import { usd_asset } from '@svc/contract/money/money'
import { sql } from '@svc/database/sql'
import { balanceOf } from '../ledger/api.ts'
import { envelopes_active_max, holds_live_max } from '../mana/api.ts'
import { billingOf } from './billing-store.ts'
import { ratesOf } from './rate-store.ts'

/** Runs as the engine's role. */
export async function readBooks(
  db: Database,
  tenant_id: string,
): Promise<Omit<Books, 'roles' | 'standing' | 'has_policies'>> {
  return inOneMoment(db, async (moment) => {
    const paid = await paidInOf(moment, tenant_id)
    return {
      rates: await ratesOf(moment, tenant_id),
      ...paid,
      level: await levelOf(moment, tenant_id),
      envelopes: await envelopesOf(moment, tenant_id),
      holds: await holdsOf(moment, tenant_id),
    }
  })
}

const looks_max = 3

/** A roll-up moves money from the account to the rolled total: read again if one happened in between. */
export async function paidInOf(
  db: Database,
  tenant_id: string,
): Promise<Pick<Books, 'paid_in_micro_usd' | 'credit_line_micro_usd'>> {
  let billing = await billingOf(db, tenant_id)
  for (let look = 1; ; look++) {
    const balance = await balanceOf(db, { tenant_id, asset_id: usd_asset, type: 'runway' })
    const after = await billingOf(db, tenant_id)
    const { credit_line_micro_usd, rolled_micro_usd } = after
    if (rolled_micro_usd === billing.rolled_micro_usd || look === looks_max)
      return { paid_in_micro_usd: balance + rolled_micro_usd, credit_line_micro_usd }
    billing = after
  }
}

function inOneMoment<Result>(db: Database, read: (db: Database) => Promise<Result>): Promise<Result> {
  if (db.isTransaction) return read(db)
  return db.transaction(read, 'isolation level repeatable read read only')
}

async function levelOf(db: Database, tenant_id: string): Promise<RunwayLevel> {
  const row = await sql<{ level: RunwayLevel }>`
    SELECT level FROM runway_state WHERE tenant_id = ${tenant_id}`.first(db)
  return row?.level ?? 'ample'
}

interface EnvelopeRow {
  readonly envelope_id: string
  readonly department: string
  readonly created_at: Date
  readonly day_limit_micro_usd: string
  readonly month_limit_micro_usd: string
  readonly granted: readonly string[]
  readonly members: readonly string[]
  readonly throttles: readonly Throttle[] | null
}

async function envelopesOf(db: Database, tenant_id: string): Promise<Envelope[]> {
  const rows = await sql<EnvelopeRow>`
    SELECT e.envelope_id, e.department, e.created_at, e.day_limit_micro_usd, e.month_limit_micro_usd, e.granted,
      ARRAY(SELECT m.did FROM envelope_members m WHERE m.tenant_id = e.tenant_id
        AND m.envelope_id = e.envelope_id AND m.version = e.version) AS members,
      (SELECT t.rules FROM throttles t WHERE t.tenant_id = e.tenant_id
        AND t.envelope_id = e.envelope_id AND t.ended_at IS NULL) AS throttles
    FROM envelopes e WHERE e.tenant_id = ${tenant_id} AND e.ended_at IS NULL AND e.state = 'ACTIVE'
    ORDER BY e.created_at, e.envelope_id LIMIT ${envelopes_active_max}`.all(db)
  return rows.map(({ created_at, members, throttles, ...row }) => ({
    envelope_id: row.envelope_id,
    department: row.department,
    created_ms: created_at.getTime(),
    day_limit_micro_usd: BigInt(row.day_limit_micro_usd),
    month_limit_micro_usd: BigInt(row.month_limit_micro_usd),
    members: new Set(members),
    granted: row.granted,
    throttles: throttles ?? [],
  }))
}

/** Includes expired holds that are not swept yet: the caller checks the time. */
async function holdsOf(db: Database, tenant_id: string): Promise<Hold[]> {
  const rows = await sql<{ hold_id: string; scope: string; reason: string; until: Date }>`
    SELECT hold_id, scope, reason, until FROM holds
    WHERE tenant_id = ${tenant_id} AND released_at IS NULL
    ORDER BY until DESC, hold_id LIMIT ${holds_live_max}`.all(db)
  return rows.map(({ until, ...hold }) => ({ ...hold, until_ms: until.getTime() }))
}
