// Voting needs a capability of one's own; delegated ones do not count.
import { covers, type HeldCapability } from '@svc/contract/authority/capability'

export const vote_capability = 'svc.mace.deliberate'

export function mayVoteItself(capabilities: readonly HeldCapability[], now: string): boolean {
  return capabilities.some(
    ({ name, source, expires_at }) =>
      source !== 'delegation' &&
      covers(name, vote_capability) &&
      (expires_at === undefined || Date.parse(expires_at) > Date.parse(now)),
  )
}
