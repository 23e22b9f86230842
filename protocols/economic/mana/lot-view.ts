// What a lot reveals: while open, only the number of bids; then the outcome, and to the solicitor all bids.

import { invalidCursor } from '@svc/contract/list-page'
import type { OperationContext } from '@svc/contract/operation-context'
import { uuid_form } from '@svc/contract/text-form'
import type { FieldsOf } from './bid-input.ts'
import { advance, type Bid, isClosed, type Lot } from './lot.ts'
import { isForeign, requireSeenLot } from './lot-access.ts'
import { countBids, findBids, findOpenLots } from './lot-store.ts'

const page_default = 20

export async function viewLots(
  { lot_id, limit = page_default, cursor }: FieldsOf<'view'>,
  context: OperationContext,
) {
  if (lot_id !== undefined) return viewLot(lot_id, context)
  const { db, tenant_id, now } = context
  const open_lots = await findOpenLots(db, tenant_id, {
    now,
    partners_only: isForeign(context),
    after: cursor === undefined ? undefined : readCursor(cursor),
    limit: limit + 1,
  })
  const lots = open_lots.slice(0, limit)
  const last = lots.at(-1)
  return {
    lots: lots.map(termsOf),
    ...(open_lots.length > limit && last && { next_cursor: writeCursor(last) }),
  }
}

async function viewLot(lot_id: string, context: OperationContext) {
  const { db, tenant_id, caller, now } = context
  const lot = await requireSeenLot(lot_id, context)
  const lots = [termsOf(lot)]
  if (!isClosed(lot, now))
    return { lot_id, state: lot.state, bids_count: await countBids(db, tenant_id, lot_id), lots }
  const bids = await findBids(db, tenant_id, lot_id)
  return { ...outcomeAnswer(advance(lot, bids, now), bids, caller.did), lots }
}

function termsOf(lot: Lot) {
  const { lot_id, solicitor_did, task, capability, asset_id, visibility } = lot
  return {
    lot_id,
    solicitor_did,
    task,
    capability,
    asset_id,
    reserve_price: String(lot.reserve_price),
    visibility,
    closes_at: lot.closes_at.toISOString(),
  }
}

/** For a closed lot. A cancelled lot never reveals its bids. */
export function outcomeAnswer(lot: Lot, bids: readonly Bid[], reader_did: string) {
  const { lot_id, state, winning_seq, clearing_price, contract_id } = lot
  const answer = { lot_id, state, bids_count: bids.length }
  if (state !== 'AWARDED') return answer
  const winner = bids.find(({ seq }) => seq === winning_seq)
  return {
    ...answer,
    ...(winner && { bid_id: winner.bid_id, winner_did: winner.bidder_did }),
    clearing_price: String(clearing_price),
    ...(contract_id !== null && { contract_id }),
    ...(reader_did === lot.solicitor_did && {
      losing: bids.filter(({ seq }) => seq !== winning_seq).map(bidAnswer),
    }),
  }
}

function bidAnswer(bid: Bid) {
  const { bid_id, bidder_did, price, eta_seconds, valid_until, commitment, salt } = bid
  return {
    bid_id,
    bidder_did,
    price: String(price),
    eta_seconds,
    ...(valid_until && { valid_until: valid_until.toISOString() }),
    commitment,
    salt,
  }
}

function writeCursor({ closes_at, lot_id }: Lot): string {
  return Buffer.from(`${closes_at.toISOString()}|${lot_id}`).toString('base64url')
}

const cursor_form = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\|([0-9a-f-]{36})$/

function readCursor(cursor: string): { closes_at: string; lot_id: string } {
  const [, closes_at = '', lot_id = ''] = cursor_form.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (uuid_form.test(lot_id) && isMoment(closes_at)) return { closes_at, lot_id }
  throw invalidCursor()
}

/** In our own format, and within the database's range. */
function isMoment(text: string): boolean {
  const at_ms = Date.parse(text)
  return text >= '0001' && !Number.isNaN(at_ms) && new Date(at_ms).toISOString() === text
}
