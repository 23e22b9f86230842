// Tenders: a solicitor opens a lot, others submit sealed bids, and after closing the lowest wins.
import { covers } from '@svc/contract/authority/capability'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { findAssets, requireActor, requireStanding } from '../ledger/api.ts'
import { type BidInput, type FieldsOf, fieldsFor, requireMoment } from './bid-input.ts'
import { type Bid, commitmentTo, isClosed, type Lot } from './lot.ts'
import { isForeign, requireLot } from './lot-access.ts'
import { awardLot } from './lot-award.ts'
import {
  bids_live_max,
  bids_made_max,
  bids_of_root_max,
  countBids,
  endBid,
  endLot,
  findBids,
  insertBid,
  insertLot,
} from './lot-store.ts'
import { viewLots } from './lot-view.ts'

const salt_bytes = 32

export async function submit(
  input: BidInput,
  context: OperationContext<'authority' | 'budgets' | 'lineages' | 'treaties'>,
) {
  const { action = 'bid' } = input
  if (action === 'view') return viewLots(fieldsFor('view', input), context)
  requireActor(context.caller)
  if (action === 'solicit' || action === 'bid') await requireStanding(context, 'a tender')
  if (action === 'solicit') return solicit(fieldsFor('solicit', input), context)
  if (action === 'withdraw') return withdraw(fieldsFor('withdraw', input), context)
  if (action === 'award') return awardLot(fieldsFor('award', input), context)
  return bid(fieldsFor('bid', input), context)
}

async function solicit(request: FieldsOf<'solicit'>, context: OperationContext) {
  const { db, tenant_id, caller, now } = context
  if (isForeign(context)) {
    throw refuse('policy_denied', 'A lot is opened in the tenant that pays for it; solicit in your own.', {
      reason: 'solicitor of another tenant',
    })
  }
  const lot: Lot = {
    lot_id: context.newId(),
    solicitor_did: caller.did,
    task: request.task,
    capability: request.capability,
    asset_id: request.asset_id,
    reserve_price: requirePrice(request.reserve_price, 'reserve_price'),
    visibility: request.visibility ?? 'tenant',
    opened_at: new Date(now),
    closes_at: requireMoment(request.closes_at, 'closes_at', now),
    state: 'OPEN',
    bids_made: 0,
    winning_seq: null,
    clearing_price: null,
    contract_id: null,
  }
  await requireAsset(request.asset_id, context)
  await insertLot(db, tenant_id, lot)
  return { lot_id: lot.lot_id, state: 'OPEN' as const, bids_count: 0 }
}

async function bid(
  offered: FieldsOf<'bid'>,
  context: OperationContext<'authority' | 'lineages' | 'treaties'>,
) {
  const { db, tenant_id, caller, now } = context
  const lot = await requireLot(offered.lot_id, context)
  await requireRightToBid(lot, offered, context)
  const { lot_id } = lot
  const replaced = await endBid(db, tenant_id, lot_id, caller.did, now)
  const others = await countBids(db, tenant_id, lot_id)
  await requireRoomOfRoot(lot_id, context)
  if (lot.bids_made >= bids_made_max || (!replaced && others >= bids_live_max)) {
    throw refuse('policy_denied', `Lot ${lot_id} has as many bids as a lot may have; wait for another.`, {
      reason: 'too many bids',
    })
  }
  const sealed = {
    bid_id: context.newId(),
    bidder_did: caller.did,
    price: BigInt(offered.price),
    eta_seconds: offered.eta_seconds,
    valid_until: offered.valid_until === undefined ? null : new Date(offered.valid_until),
    treaty_id: offered.treaty_id ?? null,
    salt: context.randomBytes(salt_bytes).toString('base64url'),
  }
  const commitment = commitmentTo(lot_id, sealed)
  const made: Bid = { ...sealed, seq: lot.bids_made + 1, commitment }
  await insertBid(db, tenant_id, lot_id, made, now)
  // The record names its caller, so it must not name the lot: together they would reveal the bidder.
  context.audit('BidSubmitted', { commitment })
  return { lot_id, bid_id: made.bid_id, commitment, state: lot.state, bids_count: others + 1 }
}

/** Bidders without a verified root count together, as if they had one. */
async function requireRoomOfRoot(lot_id: string, context: OperationContext<'lineages'>): Promise<void> {
  const { db, tenant_id, caller } = context
  const bidders = (await findBids(db, tenant_id, lot_id)).map(({ bidder_did }) => bidder_did)
  if (bidders.length < bids_of_root_max) return
  const { root_of } = await context.lineages.roots([caller.did, ...bidders])
  const own = root_of.get(caller.did)
  if (bidders.filter((did) => root_of.get(did) === own).length < bids_of_root_max) return
  throw refuse(
    'policy_denied',
    `Agents that descend from the same root as you have ${bids_of_root_max} bids for lot ${lot_id}, and may have no more; withdraw one of them.`,
    { reason: 'too many bids of one root', denying_policy: 'MANA bids' },
  )
}

async function requireRightToBid(
  lot: Lot,
  offered: FieldsOf<'bid'>,
  context: OperationContext<'authority' | 'treaties'>,
) {
  const { caller, now } = context
  if (isClosed(lot, now)) throw lotClosed(lot)
  if (caller.did === lot.solicitor_did) {
    throw refuse(
      'policy_denied',
      `You opened lot ${lot.lot_id}, and whoever opens a lot cannot bid for it; have another agent bid.`,
      {
        reason: 'solicitor cannot bid',
      },
    )
  }
  if (requirePrice(offered.price, 'price') > lot.reserve_price) {
    throw refuse(
      'policy_denied',
      `Lot ${lot.lot_id} pays at most ${lot.reserve_price} of ${lot.asset_id}; bid that or less.`,
      { reason: 'bid above reserve', reserve_price: String(lot.reserve_price) },
    )
  }
  const { valid_until } = offered
  if (valid_until !== undefined)
    requireMoment(valid_until, 'valid_until', new Date(lot.closes_at.getTime() - 1).toISOString())
  const { held } = await context.authority.ofCaller()
  const is_able = held.some(
    ({ name, expires_at }) =>
      covers(name, lot.capability) && (expires_at === undefined || Date.parse(expires_at) > Date.parse(now)),
  )
  if (!is_able) {
    throw refuse(
      'policy_denied',
      `The work of lot ${lot.lot_id} needs ${lot.capability}, which you do not hold; ask an administrator for it.`,
      {
        reason: 'capability not held',
        requested_capability: lot.capability,
      },
    )
  }
  if (!isForeign(context)) return
  if (offered.treaty_id === undefined || !(await context.treaties.find(offered.treaty_id))) {
    throw refuse('policy_denied', 'The contract would be between two organizations; name your treaty_id.', {
      reason: 'no active treaty',
    })
  }
}

/** Bidders withdraw their bid; the solicitor cancels the lot. Both only while the bids are sealed. */
async function withdraw({ lot_id }: FieldsOf<'withdraw'>, context: OperationContext) {
  const { db, tenant_id, caller, now } = context
  const lot = await requireLot(lot_id, context)
  if (isClosed(lot, now)) throw lotClosed(lot)
  if (caller.did === lot.solicitor_did) {
    const bids_count = await countBids(db, tenant_id, lot_id)
    await endLot(db, tenant_id, lot_id, { state: 'CANCELLED', winning_seq: null, clearing_price: null })
    return { lot_id, state: 'CANCELLED' as const, bids_count }
  }
  if (!(await endBid(db, tenant_id, lot_id, caller.did, now))) throw notFound('bid of yours for lot', lot_id)
  return { lot_id, state: lot.state, bids_count: await countBids(db, tenant_id, lot_id) }
}

function lotClosed({ lot_id, closes_at }: Lot) {
  return refuse(
    'policy_denied',
    `Lot ${lot_id} takes no bids any more: it closes at ${closes_at.toISOString()} or was taken back.`,
    { reason: 'lot closed' },
  )
}

/** A contract over zero cannot be settled. */
function requirePrice(price: string, field: string): bigint {
  if (BigInt(price) > 0n) return BigInt(price)
  throw refuse('invalid_payload', `${field} is 0; name at least one unit.`, {
    reason: 'price of nothing',
    faults: [{ pointer: `/${field}`, message: 'must be at least 1' }],
  })
}

async function requireAsset(asset_id: string, { db }: OperationContext): Promise<void> {
  if ((await findAssets(db, [asset_id])).size > 0) return
  throw refuse('policy_denied', `There is no asset ${asset_id}; publish it with MADE, or name another.`, {
    reason: 'unknown asset',
    asset_id,
  })
}
