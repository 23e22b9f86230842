// Lots and bids. Bids are never changed: they are replaced or withdrawn, and their rows stay.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'
import type { Award, Bid, Lot } from './lot.ts'

/** Limits on live bids, and on all bids including replaced ones. */
export const bids_live_max = 1_000
export const bids_made_max = 10_000
/** Live bids of identities with one root: nobody fills a lot with derived children. */
export const bids_of_root_max = 16
const swept_max = 50

type LotRow = Omit<Lot, 'reserve_price' | 'clearing_price'> & {
  readonly reserve_price: string
  readonly clearing_price: string | null
}
type BidRow = Omit<Bid, 'price'> & { readonly price: string }

const lot_columns = sql`lot_id, solicitor_did, task, capability, asset_id, reserve_price, visibility, opened_at,
  closes_at, state, bids_made, winning_seq, clearing_price, contract_id`

function lotFrom(row: LotRow): Lot {
  const { reserve_price, clearing_price } = row
  return {
    ...row,
    reserve_price: BigInt(reserve_price),
    clearing_price: clearing_price === null ? null : BigInt(clearing_price),
  }
}

export async function insertLot(db: Database, tenant_id: string, lot: Lot): Promise<void> {
  await sql`
    INSERT INTO lots (tenant_id, lot_id, solicitor_did, task, capability, asset_id, reserve_price, visibility,
      opened_at, closes_at, state)
    VALUES (${tenant_id}, ${lot.lot_id}, ${lot.solicitor_did}, ${lot.task}, ${lot.capability}, ${lot.asset_id},
      ${lot.reserve_price}, ${lot.visibility}, ${lot.opened_at}, ${lot.closes_at}, ${lot.state})`.execute(db)
}

export async function findLot(db: Database, tenant_id: string, lot_id: string): Promise<Lot | undefined> {
  const row = await sql<LotRow>`
    SELECT ${lot_columns} FROM lots WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id}`.first(db)
  return row && lotFrom(row)
}

/** Serializes bids, withdrawals and the award of a lot. */
export async function lockLot(db: Database, tenant_id: string, lot_id: string): Promise<Lot | undefined> {
  const row = await sql<LotRow>`
    SELECT ${lot_columns} FROM lots WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id} FOR UPDATE`.first(
    db,
  )
  return row && lotFrom(row)
}

export interface LotPage {
  readonly now: string
  /** Only lots that are open to partners. */
  readonly partners_only: boolean
  readonly after?: { readonly closes_at: string; readonly lot_id: string } | undefined
  readonly limit: number
}

/** Open lots, the first to close first. */
export async function findOpenLots(db: Database, tenant_id: string, page: LotPage): Promise<Lot[]> {
  const { now, partners_only, after, limit } = page
  const rows = await sql<LotRow>`
    SELECT ${lot_columns} FROM lots
    WHERE tenant_id = ${tenant_id} AND state = 'OPEN' AND closes_at > ${now}
      AND (visibility = 'treaty' OR ${!partners_only})
      AND (closes_at, lot_id) > (${after?.closes_at ?? now}::timestamptz,
        ${after?.lot_id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
    ORDER BY closes_at, lot_id LIMIT ${limit}`.all(db)
  return rows.map(lotFrom)
}

/** Live bids, in order of submission. */
export async function findBids(db: Database, tenant_id: string, lot_id: string): Promise<Bid[]> {
  const rows = await sql<BidRow>`
    SELECT seq, bid_id, bidder_did, price, eta_seconds, valid_until, treaty_id, salt, commitment FROM bids
    WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id} AND ended_at IS NULL
    ORDER BY seq LIMIT ${bids_live_max}`.all(db)
  return rows.map((row) => ({ ...row, price: BigInt(row.price) }))
}

export async function countBids(db: Database, tenant_id: string, lot_id: string): Promise<number> {
  const row = await sql<{ bids: number }>`
    SELECT count(*)::integer AS bids FROM bids
    WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id} AND ended_at IS NULL`.first(db)
  return row!.bids
}

/** False if this bidder has none. */
export async function endBid(
  db: Database,
  tenant_id: string,
  lot_id: string,
  bidder_did: string,
  at: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE bids SET ended_at = ${at}
    WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id} AND bidder_did = ${bidder_did}
      AND ended_at IS NULL`.execute(db)
  return numAffectedRows === 1n
}

/** Under the lot's lock, after the replaced bid has ended. */
export async function insertBid(
  db: Database,
  tenant_id: string,
  lot_id: string,
  bid: Bid,
  at: string,
): Promise<void> {
  await sql`UPDATE lots SET bids_made = ${bid.seq} WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id}`.execute(
    db,
  )
  await sql`
    INSERT INTO bids (tenant_id, lot_id, seq, bid_id, bidder_did, price, eta_seconds, valid_until, treaty_id, salt,
      commitment, submitted_at)
    VALUES (${tenant_id}, ${lot_id}, ${bid.seq}, ${bid.bid_id}, ${bid.bidder_did}, ${bid.price}, ${bid.eta_seconds},
      ${bid.valid_until}, ${bid.treaty_id}, ${bid.salt}, ${bid.commitment}, ${at})`.execute(db)
}

export async function endLot(
  db: Database,
  tenant_id: string,
  lot_id: string,
  { state, winning_seq, clearing_price }: Award,
): Promise<void> {
  await sql`
    UPDATE lots SET state = ${state}, winning_seq = ${winning_seq}, clearing_price = ${clearing_price}
    WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id}`.execute(db)
}

export async function nameContract(
  db: Database,
  tenant_id: string,
  lot_id: string,
  contract_id: string,
): Promise<void> {
  await sql`
    UPDATE lots SET contract_id = ${contract_id}
    WHERE tenant_id = ${tenant_id} AND lot_id = ${lot_id}`.execute(db)
}

/** Runs as the engine's role: lots that are due, each taken by one sweeper only. */
export async function takeDue(db: Database, now: Date): Promise<(Lot & { tenant_id: string })[]> {
  const rows = await sql<LotRow & { tenant_id: string }>`
    SELECT tenant_id, ${lot_columns} FROM lots WHERE state = 'OPEN' AND closes_at <= ${now}
    ORDER BY closes_at LIMIT ${swept_max} FOR UPDATE SKIP LOCKED`.all(db)
  return rows.map((row) => ({ ...lotFrom(row), tenant_id: row.tenant_id }))
}
