// The agreement required for cross-tenant calls. Its id is the hash of its body, so signing the id signs the terms.
import { type Static, Type } from 'typebox'
import { CapabilityName, Closed, Did, Hash, ListOf, Signature, TenantId, Text, Timestamp } from '../schema.ts'
import { CapabilityLimits } from './capability.ts'

export const TreatyParty = Closed(
  { tenant: TenantId, did: Did },
  { description: 'A tenant and the DID that represents it.' },
)

/** A treaty may also limit the weekly cost of calls, which a capability alone cannot. */
export const TreatyLimits = Closed({
  ...CapabilityLimits.properties,
  weekly_budget_usd: Type.Optional(
    Type.String({ pattern: '^\\d{1,12}(\\.\\d{1,6})?$', description: 'Decimal USD per ISO week.' }),
  ),
})

export const TreatyGrant = Closed({
  to: TenantId,
  capability: CapabilityName,
  caveats: Type.Optional(ListOf(Text(200), 0, 16)),
  limits: Type.Optional(TreatyLimits),
})

export const TreatySettlement = Closed({
  rail: Text(64),
  currency: Text(32),
  clearing_fee_bps: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'Basis points of the settled amount.',
  }),
})

export const TreatyRates = Closed({
  per_hour: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  per_day: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
})

const DisputeResolution = Closed({ via: Text(64), venue: Text(256) })

export const TreatySignature = Closed({ signed_by: Did, timestamp: Timestamp, signature: Signature })

export const Treaty = Closed(
  {
    id: Hash,
    parties: ListOf(TreatyParty, 2, 2),
    grants: ListOf(TreatyGrant, 1, 256),
    settlement: TreatySettlement,
    dispute_resolution: DisputeResolution,
    effective_from: Timestamp,
    expires_at: Timestamp,
    signatures: ListOf(TreatySignature, 0, 2),
  },
  { description: 'What two organizations allow each other, content-addressed and signed by both.' },
)
export type Treaty = Static<typeof Treaty>

/** What is hashed and signed. Parties are ordered by tenant, so the same terms and nonce have one id. */
export const TreatyBody = Closed({
  v: Type.Literal(1),
  parent: Type.Union([Hash, Type.Null()]),
  parties: ListOf(TreatyParty, 2, 2),
  grants: ListOf(TreatyGrant, 1, 256),
  rate_limits: TreatyRates,
  settlement: TreatySettlement,
  dispute_resolution: DisputeResolution,
  effective_from: Timestamp,
  expires_at: Timestamp,
  nonce: Text(256),
})
export type TreatyBody = Static<typeof TreatyBody>

export const treaty_states = [
  'PROPOSED',
  'PARTIALLY_SIGNED',
  'SIGNED',
  'ACTIVE',
  'SUSPENDED',
  'EXPIRED',
  'TERMINATED',
  'SUPERSEDED',
  'WITHDRAWN',
  'LAPSED',
] as const
export type TreatyState = (typeof treaty_states)[number]

/** A treaty with its state. Both parties see the same. */
export interface StandingTreaty extends Treaty, Pick<TreatyBody, 'rate_limits'> {
  /** The first treaty of its line: usage counts against it across amendments. */
  readonly root_id: string
  /** As last written; time may have changed it since (`treatyStateAt`). */
  readonly state: TreatyState
  /** When the second signature was made; null before. */
  readonly activated_at: string | null
  /** `until` is when it ends by itself. */
  readonly suspended: { readonly from: string; readonly until: string } | null
  /** When it was terminated, superseded, withdrawn or lapsed. */
  readonly ended_at: string | null
}
