// What may become of a treaty. The database holds the same table, so that no path of code goes round it.
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

/** Not yet agreed: either side may still let go of it. */
export const pending_states = ['PROPOSED', 'PARTIALLY_SIGNED'] as const
/** Agreed by both, and not over. Of one line there is never more than one such. */
export const standing_states = ['SIGNED', 'ACTIVE', 'SUSPENDED'] as const

export function isPending(state: TreatyState): boolean {
  return (pending_states as readonly string[]).includes(state)
}

export function isStanding(state: TreatyState): boolean {
  return (standing_states as readonly string[]).includes(state)
}
