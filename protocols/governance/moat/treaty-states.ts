// State transitions of a treaty. The database enforces the same table for every code path.
import type { TreatyState } from '@svc/contract/authority/treaty'

export const transitions: Readonly<Record<TreatyState, readonly TreatyState[]>> = {
  PROPOSED: ['PARTIALLY_SIGNED', 'WITHDRAWN', 'LAPSED'],
  PARTIALLY_SIGNED: ['SIGNED', 'ACTIVE', 'WITHDRAWN', 'LAPSED'],
  SIGNED: ['ACTIVE', 'TERMINATED'],
  ACTIVE: ['SUSPENDED', 'EXPIRED', 'TERMINATED', 'SUPERSEDED'],
  SUSPENDED: ['ACTIVE', 'EXPIRED', 'TERMINATED', 'SUPERSEDED'],
  EXPIRED: [],
  TERMINATED: [],
  SUPERSEDED: [],
  WITHDRAWN: [],
  LAPSED: [],
}

/** Not signed by both yet: either side may still withdraw. */
export const pending_states = ['PROPOSED', 'PARTIALLY_SIGNED'] as const
/** Signed by both and not ended. A line has at most one such version. */
export const standing_states = ['SIGNED', 'ACTIVE', 'SUSPENDED'] as const

export function isPending(state: TreatyState): boolean {
  return (pending_states as readonly string[]).includes(state)
}

export function isStanding(state: TreatyState): boolean {
  return (standing_states as readonly string[]).includes(state)
}
