// The dissolution of an organization as the engine returns it, and the call that starts one.
import type { InputOf, OutputOf } from '@svc/sdk'

export type Dissolution = OutputOf<'MAUSOLEUM', 'list'>['items'][number]
export type DissolutionDetail = NonNullable<Dissolution['detail']>
type Initiation = InputOf<'MAUSOLEUM', 'initiate'>

export interface ShareDraft {
  readonly asset_id: string
  readonly to_did: string
  readonly share_bps: string
}

export interface DissolutionDraft {
  readonly authority: string
  readonly reason: string
  readonly successor_did: string
  readonly shares: readonly ShareDraft[]
}

/** Undefined if the shares of each asset sum to 10000 basis points. */
export function unevenShare(shares: readonly ShareDraft[]): string | undefined {
  const sums = new Map<string, number>()
  for (const { asset_id, share_bps } of shares) {
    const name = asset_id.trim()
    sums.set(name, (sums.get(name) ?? 0) + Number(share_bps))
  }
  const [wrong] = [...sums].filter(([, sum_bps]) => sum_bps !== 10_000)
  return wrong && `The shares of ${wrong[0] || 'an asset'} sum to ${wrong[1]}, not to 10000.`
}

export function initiationOf({ authority, reason, successor_did, shares }: DissolutionDraft): Initiation {
  return {
    charter_authority: authority.trim(),
    reason: reason.trim(),
    schedule: {
      asset_distribution: shares.map(({ asset_id, to_did, share_bps }) => ({
        asset_id: asset_id.trim(),
        to_did: to_did.trim(),
        share_bps: Number(share_bps),
      })),
      obligation_transfer: [],
      successor_did: successor_did.trim(),
    },
  }
}
