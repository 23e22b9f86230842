// The agreement without which one organization may not call another. Its id is the hash of its body, so signing the id signs the terms.
import { type Static, Type } from 'typebox'
import { CapabilityLimits } from './capability.ts'
import { CapabilityName, Closed, Did, Hash, ListOf, Signature, TenantId, Text, Timestamp } from './schema.ts'

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

export const TreatySignature = Closed({ signed_by: Did, timestamp: Timestamp, signature: Signature })

export const Treaty = Closed(
  {
    id: Hash,
    parties: ListOf(TreatyParty, 2, 2),
    grants: ListOf(TreatyGrant, 1, 256),
    settlement: TreatySettlement,
    dispute_resolution: Closed({ via: Text(64), venue: Text(256) }),
    effective_from: Timestamp,
    expires_at: Timestamp,
    signatures: ListOf(TreatySignature, 0, 2),
  },
  { description: 'What two organizations let each other do, content-addressed and signed by both.' },
)
export type Treaty = Static<typeof Treaty>
