// Divides the assets: creditors by rank, then heirs by share, exact to the last unit. No I/O.
import { apportion } from '@svc/contract/money/money'

export const bps_whole = 10_000

export interface Claim {
  readonly rank: number
  readonly ref: string
  readonly amount: bigint
}

export interface Heir {
  readonly did: string
  readonly share_bps: number
}

export interface Division {
  readonly paid: readonly { readonly ref: string; readonly amount: bigint }[]
  readonly shares: readonly { readonly did: string; readonly amount: bigint }[]
}

/** A rank is paid in full before the next; if funds are short, all of a rank lose proportionally. */
export function divide(total: bigint, claims: readonly Claim[], heirs: readonly Heir[]): Division {
  let rest = total
  const paid: { ref: string; amount: bigint }[] = []
  const by_rank = Map.groupBy(
    claims.filter(({ amount }) => amount > 0n),
    ({ rank }) => rank,
  )
  for (const rank of [...by_rank.keys()].sort((a, b) => a - b)) {
    const equals = by_rank.get(rank)!
    const owed = equals.map(({ amount }) => amount)
    const sum = owed.reduce((all, amount) => all + amount, 0n)
    const parts = rest >= sum ? owed : apportion(rest, owed)
    for (const [place, { ref }] of equals.entries()) paid.push({ ref, amount: parts[place]! })
    rest -= parts.reduce((all, part) => all + part, 0n)
  }
  const weights = heirs.map(({ share_bps }) => BigInt(share_bps))
  const parts = heirs.length > 0 ? apportion(rest, weights) : []
  const shares = heirs.map(({ did }, place) => ({ did, amount: parts[place]! }))
  return { paid: paid.filter(isSome), shares: shares.filter(isSome) }
}

function isSome({ amount }: { readonly amount: bigint }): boolean {
  return amount > 0n
}

export interface AssetShare extends Omit<Heir, 'did'> {
  readonly asset_id: string
  readonly to_did: string
}

export const any_asset = '*'

/** The heirs named for the asset; else those of all other assets; else the successor. */
export function heirsOf(asset_id: string, shares: readonly AssetShare[], successor_did: string): Heir[] {
  const named = shares.filter((share) => share.asset_id === asset_id)
  const chosen = named.length > 0 ? named : shares.filter((share) => share.asset_id === any_asset)
  if (chosen.length === 0) return [{ did: successor_did, share_bps: bps_whole }]
  return chosen.map(({ to_did, share_bps }) => ({ did: to_did, share_bps }))
}

/** Assets whose shares do not add up to the whole, with their sums. */
export function uneven(shares: readonly AssetShare[]): { asset_id: string; sum_bps: number }[] {
  const by_asset = Map.groupBy(shares, ({ asset_id }) => asset_id)
  return [...by_asset]
    .map(([asset_id, of]) => ({ asset_id, sum_bps: of.reduce((sum, { share_bps }) => sum + share_bps, 0) }))
    .filter(({ sum_bps }) => sum_bps !== bps_whole)
}
