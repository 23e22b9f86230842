// What binds a tenant: what was paid in, its prices, its departments' envelopes, what is frozen, whether it still stands, and whether it has rules.
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

/** How much of the runway is left, as far as anybody was told of it. */
export type RunwayLevel = 'ample' | 'low' | 'critical' | 'exhausted'

export interface Books {
  /** From the oldest to the newest, without the base rate. */
  readonly rates: readonly RateVersion[]
  /** All that was ever paid into the runway. Spending is counted against it, so booking what was spent changes nothing here. */
  readonly paid_in_micro_usd: bigint
  /** Null where the tier says it. */
  readonly credit_line_micro_usd: bigint | null
  readonly level: RunwayLevel
  /** Active ones, the oldest first. */
  readonly envelopes: readonly Envelope[]
  readonly holds: readonly Hold[]
  readonly standing: Standing
  /** False where nothing is forbidden beyond capabilities: then no rule is even looked for. */
  readonly has_policies: boolean
}

/** An organization that is being wound up takes on nothing new; one that is sealed does nothing any more. */
export type Standing = 'active' | 'dissolving' | 'sealed'

export const empty_books: Books = {
  rates: [],
  paid_in_micro_usd: 0n,
  credit_line_micro_usd: null,
  level: 'ample',
  envelopes: [],
  holds: [],
  standing: 'active',
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
