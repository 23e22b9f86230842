// The token the Aegis delegate operation issues: part of one agent's authority, delegated to another for a limited time.
import { type Static, Type } from 'typebox'
import { Closed, Did, described, ListOf, Signature, Timestamp } from '../schema.ts'
import { contentHash } from '../signing/canonical-json.ts'
import { signingInput } from '../signing/signature.ts'
import { earlier } from './attenuation.ts'
import { AgentCapability } from './capability.ts'
import { redelegation_depth_max } from './delegation-depth.ts'

export const delegated_capabilities_max = 64
export const delegation_days_max = 90

/** Https only, so that nobody on the way can answer a revocation check. */
export const RevocationUrl = Type.String({
  pattern: '^https://[^\\s/?#@]+([/?#][^\\s@]*)?$',
  maxLength: 512,
  description: 'Where to check whether this token is revoked.',
})

export const DelegationToken = Closed(
  {
    from_did: described(Did, 'Who delegates.'),
    to_did: described(Did, 'Who receives.'),
    capabilities: described(
      ListOf(AgentCapability, 1, delegated_capabilities_max),
      'What is delegated; never more than the delegator holds.',
    ),
    max_redelegation_depth: Type.Integer({
      minimum: 0,
      maximum: redelegation_depth_max,
      description: 'How many times this may be delegated further; 0 means never.',
    }),
    expires_at: described(Timestamp, 'It ends then.'),
    revocation_url: Type.Optional(RevocationUrl),
    signature: described(Signature, 'By the delegator, base64url.'),
  },
  {
    description:
      'Part of one agent’s authority, delegated to another until a given time. Never more than the delegator holds.',
  },
)
export type DelegationToken = Static<typeof DelegationToken>
export type UnsignedToken = Omit<DelegationToken, 'signature'>

/** The exact text the delegator signs. */
export function tokenInput(token: UnsignedToken | DelegationToken): string {
  return signingInput('svc-delegation-v1', withoutSignature(token))
}

/** The same delegation always has the same id. */
export function tokenId(token: UnsignedToken | DelegationToken): string {
  return contentHash(withoutSignature(token))
}

/** What a token delegates, each capability with its effective expiry: its own or the token's, whichever is earlier. */
export function delegatedBy(token: UnsignedToken): AgentCapability[] {
  return token.capabilities.map((delegated) => ({
    ...delegated,
    expires_at: earlier(delegated.expires_at, token.expires_at),
  }))
}

function withoutSignature(token: UnsignedToken | DelegationToken): UnsignedToken {
  const { signature: _, ...unsigned } = token as DelegationToken
  return unsigned
}
