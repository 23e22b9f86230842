// What binds a tenant: its payments, prices, envelopes, holds, state, its people's roles, and whether it has policies.
import { no_roles, type TenantRoles } from '../authority/role.ts'
import type { RateVersion } from './charge.ts'

export interface Envelope {
  readonly envelope_id: string
  readonly department: string
  readonly created_ms: number
  readonly day_limit_micro_usd: bigint
  readonly month_limit_micro_usd: bigint
  readonly members: ReadonlySet<string>
  /** Capabilities its members hold while it is active. */
  readonly granted: readonly string[]
  readonly throttles: readonly Throttle[]
}

/** `match` is a capability, a protocol's wildcard, or `*`. */
export interface Throttle {
  readonly match: string
  readonly factor_bps: number
}

export interface Hold {
  readonly hold_id: string
  /** `tenant`, `envelope:<id>`, `agent:<did>` or `protocol:<ID>`. */
  readonly scope: string
  readonly reason: string
  readonly until_ms: number
}

/** How much of the runway is left, as last notified. */
export type RunwayLevel = 'ample' | 'low' | 'critical' | 'exhausted'

export interface Books {
  /** Oldest first, without the base rate. */
  readonly rates: readonly RateVersion[]
  /** Everything ever paid into the runway. Spending is counted against it, so booking an expense changes nothing here. */
  readonly paid_in_micro_usd: bigint
  /** Null where the tier decides. */
  readonly credit_line_micro_usd: bigint | null
  readonly level: RunwayLevel
  /** Active ones, the oldest first. */
  readonly envelopes: readonly Envelope[]
  readonly holds: readonly Hold[]
  readonly standing: Standing
  readonly roles: TenantRoles
  /** False where nothing is forbidden beyond capabilities: then no policy is looked up. */
  readonly has_policies: boolean
}

/** A dissolving organization takes on nothing new; a sealed one does nothing. */
export type Standing = 'active' | 'dissolving' | 'sealed'

export const empty_books: Books = {
  rates: [],
  paid_in_micro_usd: 0n,
  credit_line_micro_usd: null,
  level: 'ample',
  envelopes: [],
  holds: [],
  standing: 'active',
  roles: no_roles,
  has_policies: false,
}

/** The envelope a caller's spending counts against: the one it names, else its oldest. */
export function envelopeOf(
  { envelopes }: Books,
  did: string,
  named: unknown = undefined,
): Envelope | undefined {
  const own = envelopes.filter(({ members }) => members.has(did))
  return own.find(({ envelope_id }) => envelope_id === named) ?? own[0]
}
