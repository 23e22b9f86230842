// What the Aegis delegate operation issues: part of one agent's authority, lent to another for a while.
import { type Static, Type } from 'typebox'
import { Closed, Did, ListOf, Signature, Timestamp } from '../schema.ts'
import { contentHash } from '../signing/canonical-json.ts'
import { signingInput } from '../signing/signature.ts'
import { earlier } from './attenuation.ts'
import { AgentCapability } from './capability.ts'

export const redelegation_depth_max = 8
export const delegated_capabilities_max = 64
export const delegation_days_max = 90

/** Https only: whoever asks whether a token still stands must not be answered by someone on the way. */
export const RevocationUrl = Type.String({
  pattern: '^https://[^\\s/?#@]+([/?#][^\\s@]*)?$',
  maxLength: 512,
  description: 'Where to ask whether this token still stands.',
})

export const DelegationToken = Closed(
  {
    from_did: Did,
    to_did: Did,
    capabilities: ListOf(AgentCapability, 1, delegated_capabilities_max),
    max_redelegation_depth: Type.Integer({
      minimum: 0,
      maximum: redelegation_depth_max,
      description: 'How often this may be lent on; 0 means never.',
    }),
    expires_at: Timestamp,
    revocation_url: Type.Optional(RevocationUrl),
    signature: Signature,
  },
  {
    description:
      'Part of one agent’s authority, lent to another until a time. Never more than the lender holds.',
  },
)
export type DelegationToken = Static<typeof DelegationToken>
export type UnsignedToken = Omit<DelegationToken, 'signature'>

/** The exact text its lender signs. */
export function tokenInput(token: UnsignedToken | DelegationToken): string {
  return signingInput('svc-delegation-v1', withoutSignature(token))
}

/** The same loan has the same id, whoever asks and however often. */
export function tokenId(token: UnsignedToken | DelegationToken): string {
  return contentHash(withoutSignature(token))
}

/** What a token lends, each with the end it really has: its own, or the token's where that comes first. */
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
