// Sealed-bid tenders: the lowest bid wins, and is paid the second-lowest price.
import { contentHash } from '@svc/contract/signing/canonical-json'

/** The default merit without a history, so that only the order of bids breaks ties. */
const merit_neutral = 5_000

export type LotState = 'OPEN' | 'AWARDED' | 'CANCELLED' | 'EXPIRED'

export interface Lot {
  readonly lot_id: string
  readonly solicitor_did: string
  readonly task: string
  readonly capability: string
  readonly asset_id: string
  readonly reserve_price: bigint
  readonly visibility: 'tenant' | 'treaty'
  readonly opened_at: Date
  readonly closes_at: Date
  readonly state: LotState
  readonly bids_made: number
  readonly winning_seq: number | null
  readonly clearing_price: bigint | null
  readonly contract_id: string | null
}

export interface Bid {
  readonly seq: number
  readonly bid_id: string
  readonly bidder_did: string
  readonly price: bigint
  readonly eta_seconds: number
  readonly valid_until: Date | null
  readonly treaty_id: string | null
  readonly salt: string
  readonly commitment: string
  /** 0 to 10000. */
  readonly merit?: number
}

export type Award = Pick<Lot, 'state' | 'winning_seq' | 'clearing_price'>

/** Judged at the closing time, so that the result never changes. `bids` are those not withdrawn. */
export function outcomeOf({ reserve_price, closes_at }: Lot, bids: readonly Bid[]): Award {
  const ranked = bids
    .filter(({ price }) => price <= reserve_price)
    .filter(({ valid_until }) => valid_until === null || valid_until >= closes_at)
    .sort(byRank)
  const [winner, second] = ranked
  if (!winner) return { state: 'EXPIRED', winning_seq: null, clearing_price: null }
  return { state: 'AWARDED', winning_seq: winner.seq, clearing_price: second?.price ?? reserve_price }
}

function byRank(a: Bid, b: Bid): number {
  if (a.price !== b.price) return a.price < b.price ? -1 : 1
  return (b.merit ?? merit_neutral) - (a.merit ?? merit_neutral) || a.seq - b.seq
}

export function isClosed({ state, closes_at }: Lot, now: string): boolean {
  return state !== 'OPEN' || closes_at.getTime() <= Date.parse(now)
}

/** A lot at a given time, swept or not. */
export function advance(lot: Lot, bids: readonly Bid[], now: string): Lot {
  return lot.state === 'OPEN' && isClosed(lot, now) ? { ...lot, ...outcomeOf(lot, bids) } : lot
}

/** The audit log's entry of a sealed bid. The salt is published with the bid, so anyone can verify it. */
export function commitmentTo(lot_id: string, bid: Omit<Bid, 'seq' | 'commitment' | 'merit'>): string {
  const { bid_id, bidder_did, price, eta_seconds, valid_until, treaty_id, salt } = bid
  return contentHash({
    lot_id,
    bid_id,
    bidder_did,
    price: String(price),
    eta_seconds,
    valid_until: valid_until?.toISOString() ?? null,
    treaty_id,
    salt,
  })
}
