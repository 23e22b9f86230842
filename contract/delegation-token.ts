// What the Aegis delegate operation issues: part of one agent's authority, lent to another for a while.
import { type Static, Type } from 'typebox'
import { AgentCapability } from './capability.ts'
import { Closed, Did, ListOf, Signature, Timestamp } from './schema.ts'

/** Https only: whoever asks whether a token still stands must not be answered by someone on the way. */
const RevocationUrl = Type.String({
  pattern: '^https://[^\\s/?#@]+([/?#][^\\s@]*)?$',
  maxLength: 512,
  description: 'Where to ask whether this token still stands.',
})

export const DelegationToken = Closed(
  {
    from_did: Did,
    to_did: Did,
    capabilities: ListOf(AgentCapability, 1, 64),
    max_redelegation_depth: Type.Integer({
      minimum: 0,
      maximum: 8,
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
