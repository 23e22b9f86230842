// The outcome of a lot, and the resulting contract.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { Tick } from '@svc/contract/tick'
import type { FieldsOf } from './bid-input.ts'
import { advance, type Bid, isClosed, type Lot } from './lot.ts'
import { requireLot } from './lot-access.ts'
import { endLot, findBids, nameContract, takeDue } from './lot-store.ts'
import { outcomeAnswer } from './lot-view.ts'

const memo_length_max = 2_000
const day_ms = 86_400_000
/** How long the winner may consider the offer. */
const offer_ms = 7 * day_ms

/** Idempotent; also creates the contract if the sweeper had no right to. */
export async function awardLot({ lot_id, ...word }: FieldsOf<'award'>, context: OperationContext) {
  const { db, tenant_id, caller, now } = context
  const lot = await requireLot(lot_id, context)
  if (caller.did !== lot.solicitor_did) {
    throw refuse(
      'policy_denied',
      `Only who opened lot ${lot_id} may award it; after closing, view shows the outcome.`,
      {
        reason: 'not the solicitor',
      },
    )
  }
  if (!isClosed(lot, now) || lot.state === 'CANCELLED') {
    throw refuse(
      'policy_denied',
      `Lot ${lot_id} is ${lot.state} and closes at ${lot.closes_at.toISOString()}; award it after that.`,
      { reason: `lot is ${lot.state}; award needs a closed lot` },
    )
  }
  const bids = await findBids(db, tenant_id, lot_id)
  const ended = advance(lot, bids, now)
  if (lot.state === 'OPEN') {
    await endLot(db, tenant_id, lot_id, ended)
    if (ended.state === 'AWARDED') context.audit('LotAwarded', awardMeta(ended, bids))
  }
  const contracted = ended.state === 'AWARDED' ? await withContract(ended, bids, word, context) : ended
  return outcomeAnswer(contracted, bids, caller.did)
}

/** The offer is an ordinary MADE call by the solicitor, within its own rights. */
async function withContract(
  lot: Lot,
  bids: readonly Bid[],
  word: Omit<FieldsOf<'award'>, 'lot_id'>,
  context: OperationContext,
): Promise<Lot> {
  if (lot.contract_id !== null) return lot
  const offer = { ...offerFor(lot, winnerOf(lot, bids), context.now), ...word }
  const made = (await context.call('MADE', 'economic_contract_create', offer)) as { contract_id: string }
  await nameContract(context.db, context.tenant_id, lot.lot_id, made.contract_id)
  return { ...lot, contract_id: made.contract_id }
}

function winnerOf({ winning_seq }: Lot, bids: readonly Bid[]): Bid {
  const winner = bids.find(({ seq }) => seq === winning_seq)
  if (!winner) throw new Error(`the bid that won, ${winning_seq}, is not among those of the lot`)
  return winner
}

/** The same terms on every call, so that they can be signed, and one award makes one contract. */
export function offerFor(lot: Lot, winner: Bid, now: string) {
  const { lot_id, task, asset_id, clearing_price } = lot
  const eta_ms = winner.eta_seconds * 1000
  const from_ms = beginOf(lot, Math.min(eta_ms, offer_ms), Date.parse(now))
  return {
    counterparty_did: winner.bidder_did,
    obligations: [
      {
        id: 'payment',
        from: 'proposer',
        asset_id,
        amount: String(clearing_price),
        due_at: new Date(from_ms + eta_ms).toISOString(),
      },
    ],
    escrow: true,
    ...(winner.treaty_id !== null && { treaty_id: winner.treaty_id }),
    expires_at: new Date(from_ms + offer_ms).toISOString(),
    memo: `Lot ${lot_id}: ${task}`.slice(0, memo_length_max).toWellFormed(),
    nonce: `lot-${lot_id}`,
  }
}

/** The closing time, or the next midnight UTC if the offer would already have expired. */
function beginOf({ closes_at }: Lot, least_ms: number, now_ms: number): number {
  if (closes_at.getTime() + least_ms > now_ms) return closes_at.getTime()
  return now_ms - (now_ms % day_ms) + day_ms
}

function awardMeta(lot: Lot, bids: readonly Bid[]) {
  return {
    lot_id: lot.lot_id,
    winner_did: winnerOf(lot, bids).bidder_did,
    asset_id: lot.asset_id,
    clearing_price: String(lot.clearing_price),
    commitments: bids.map(({ commitment }) => commitment),
  }
}

/** Runs as the engine's role. Decides the winner; only the solicitor can offer the contract. */
export async function sweepLots(db: Database, tick: Tick): Promise<number> {
  const { now } = tick
  return db.transaction(async (transaction) => {
    const due = await takeDue(transaction, now)
    for (const lot of due) {
      const { tenant_id, lot_id } = lot
      const bids = await findBids(transaction, tenant_id, lot_id)
      const ended = advance(lot, bids, now.toISOString())
      await endLot(transaction, tenant_id, lot_id, ended)
      if (ended.state !== 'AWARDED') continue
      await leaveInOutbox(transaction, {
        id: tick.newId(),
        event_type: 'LotAwarded',
        correlation_id: tick.newId(),
        timestamp: now.toISOString(),
        tenant_id,
        caller_did: 'engine',
        protocol: 'MANA',
        outcome: 'success',
        latency_ms: 0,
        meta: awardMeta(ended, bids),
      })
    }
    return due.length
  })
}
