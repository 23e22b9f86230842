// The agreement required for cross-tenant calls. Its id is the hash of its body, so signing the id signs the terms.
import { type Static, Type } from 'typebox'
import {
  CapabilityName,
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  Signature,
  TenantId,
  Text,
  Timestamp,
} from '../schema.ts'
import { CapabilityLimits } from './capability.ts'

export const TreatyParty = Closed(
  { tenant: described(TenantId, 'The organization.'), did: described(Did, 'DID that represents it.') },
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
  to: described(TenantId, 'Organization that may make the calls.'),
  capability: described(CapabilityName, 'What it may call: svc.<protocol>.<operation>, or svc.<protocol>.*.'),
  caveats: Type.Optional(
    described(
      ListOf(Text(200), 0, 16),
      'Conditions such as time:09-17 or jurisdiction:DE; each must hold for a call.',
    ),
  ),
  limits: Type.Optional(described(TreatyLimits, "Bounds on this grant's use; absent: none.")),
})

export const TreatySettlement = Closed({
  rail: Text(64, { description: 'How payments move; internal is the ledger of this engine.' }),
  currency: Text(32, { description: 'Asset in which the parties settle.' }),
  clearing_fee_bps: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'Basis points of the settled amount.',
  }),
})

export const TreatyRates = Closed({
  per_hour: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Calls of one party in an hour, all grants together; absent: no limit.',
    }),
  ),
  per_day: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Calls of one party in a UTC day, all grants together; absent: no limit.',
    }),
  ),
})

const DisputeResolution = Closed({
  via: Text(64, { description: 'Protocol that hears disputes.' }),
  venue: Text(256, { description: 'Tenant or DID where disputes are heard.' }),
})

export const TreatySignature = Closed({
  signed_by: described(Did, 'DID that signed.'),
  timestamp: described(Timestamp, 'When it was signed; part of the signed text.'),
  signature: described(Signature, 'Ed25519 signature over treaty id, tenant and timestamp, base64url.'),
})

export const Treaty = Closed(
  {
    id: described(Hash, 'Hash of the terms.'),
    parties: described(ListOf(TreatyParty, 2, 2), 'The two organizations, ordered by tenant.'),
    grants: described(ListOf(TreatyGrant, 1, 256), 'What each organization may call at the other.'),
    settlement: described(TreatySettlement, 'How payments between the parties are settled.'),
    dispute_resolution: described(DisputeResolution, 'Where disputes are heard.'),
    effective_from: described(Timestamp, 'Start of the term.'),
    expires_at: described(Timestamp, 'End of the term.'),
    signatures: described(ListOf(TreatySignature, 0, 2), 'One for each party that has signed.'),
  },
  { description: 'What two organizations allow each other, content-addressed and signed by both.' },
)
export type Treaty = Static<typeof Treaty>

/** What is hashed and signed. Parties are ordered by tenant, so the same terms and nonce have one id. */
export const TreatyBody = Closed({
  v: Type.Literal(1, { description: 'Version of this form.' }),
  parent: Type.Union([Hash, Type.Null()], {
    description: 'Treaty that this amendment replaces; null in a new treaty.',
  }),
  parties: described(ListOf(TreatyParty, 2, 2), 'The two organizations, ordered by tenant.'),
  grants: described(ListOf(TreatyGrant, 1, 256), 'What each organization may call at the other.'),
  rate_limits: described(TreatyRates, 'Bounds on all calls of a party together.'),
  settlement: described(TreatySettlement, 'How payments between the parties are settled.'),
  dispute_resolution: described(DisputeResolution, 'Where disputes are heard.'),
  effective_from: described(Timestamp, 'Start of the term.'),
  expires_at: described(Timestamp, 'End of the term.'),
  nonce: Text(256, { description: 'Makes the id of otherwise equal terms differ.' }),
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
export const TreatyState = described(
  OneOf(...treaty_states),
  'Only ACTIVE grants calls. LAPSED: not signed in time. WITHDRAWN: ended unsigned. SUPERSEDED: by an amendment.',
)
export type TreatyState = Static<typeof TreatyState>

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
