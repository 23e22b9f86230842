// The agreement without which one organization may not call another. Its id is the hash of its body, so signing the id signs the terms.
import { type Static, Type } from 'typebox'
import { CapabilityName, Closed, Did, Hash, ListOf, Signature, TenantId, Text, Timestamp } from '../schema.ts'
import { CapabilityLimits } from './capability.ts'

export const TreatyParty = Closed(
  { tenant: TenantId, did: Did },
  { description: 'A tenant and the DID that represents it.' },
)

/** A treaty may also cap what a week of calls costs, which a capability by itself cannot. */
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
    description: 'Basis points of what is settled.',
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
  { description: 'What two organizations let each other do, content-addressed and signed by both.' },
)
export type Treaty = Static<typeof Treaty>

/** What is hashed and signed. The parties stand in the order of their tenants, so the same terms have one id. */
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

/** A treaty with what became of it. Both parties see the same. */
export interface StandingTreaty extends Treaty, Pick<TreatyBody, 'rate_limits'> {
  /** The first of its line: what was used counts against this, whatever was amended since. */
  readonly root_id: string
  /** As it was last written; time may have gone on since (`treatyStateAt`). */
  readonly state: TreatyState
  /** When the second signature came; null before. */
  readonly activated_at: string | null
  /** `until` is when it goes on by itself. */
  readonly suspended: { readonly from: string; readonly until: string } | null
  /** When it was terminated, superseded, withdrawn or lapsed. */
  readonly ended_at: string | null
}
