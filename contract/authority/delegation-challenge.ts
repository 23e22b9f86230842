// Step-up: before a sensitive capability is delegated, the delegator signs a fresh nonce, so an API key alone is not enough.
import { type Static, Type } from 'typebox'
import { isEverKeyOf, KeyEvent, key_events_max } from '../identity/key-events.ts'
import {
  CapabilityName,
  Closed,
  Did,
  described,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Timestamp,
  Uuid,
} from '../schema.ts'
import { isSignedBy, signingInput } from '../signing/signature.ts'
import { covers } from './capability.ts'

export const ChallengePurpose = described(OneOf('delegate', 'accept', 'revoke'), 'What the answer is for.')

export const DelegationChallenge = Closed({
  challenge_id: described(Uuid, 'Names the challenge.'),
  nonce: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: '32 random bytes, base64url.' }),
  subject_did: described(Did, 'Who must answer.'),
  purpose: ChallengePurpose,
  /** The use it is bound to; absent where any use of its purpose is allowed. */
  capabilities: Type.Optional(
    described(ListOf(CapabilityName, 1, 64), 'What would be delegated; absent: not restricted.'),
  ),
  expires_at: described(Timestamp, 'It must be answered by then.'),
})
export type DelegationChallenge = Static<typeof DelegationChallenge>

/** A stored challenge. */
export const StoredChallenge = Closed({
  challenge: described(DelegationChallenge, 'The challenge.'),
  used: Type.Boolean({ description: 'Whether it was answered already.' }),
})
export type StoredChallenge = Static<typeof StoredChallenge>

export const ChallengeAnswer = Closed({
  challenge_id: described(Uuid, 'The challenge that is answered.'),
  public_key: described(PublicKey, 'Key that signed.'),
  /** How the subject came to this key, unless it is its first. */
  key_events: Type.Optional(
    described(
      ListOf(KeyEvent, 1, key_events_max),
      'How the signer came to that key; absent: it is its first.',
    ),
  ),
  signature: described(Signature, "Of the challenge's signing_input."),
})
export type ChallengeAnswer = Static<typeof ChallengeAnswer>

/** The exact text its subject signs. */
export function challengeInput(challenge: DelegationChallenge): string {
  return signingInput('svc-delegation-v1', challenge)
}

export interface ChallengeUse {
  /** RFC 3339 UTC. */
  readonly now: string
  readonly subject_did: string
  readonly purpose: DelegationChallenge['purpose']
  readonly capabilities: readonly string[]
}

/** Why this answer does not meet this challenge for this use; undefined where it does. */
export function challengeFault(
  { challenge, used }: StoredChallenge,
  answer: ChallengeAnswer,
  use: ChallengeUse,
): string | undefined {
  if (used) return 'challenge already used'
  if (!(Date.parse(challenge.expires_at) > Date.parse(use.now))) return 'challenge expired'
  const { subject_did, purpose, capabilities } = challenge
  const is_for_this =
    challenge.challenge_id === answer.challenge_id &&
    subject_did === use.subject_did &&
    purpose === use.purpose &&
    (capabilities === undefined ||
      use.capabilities.every((requested) => capabilities.some((name) => covers(name, requested))))
  if (!is_for_this) return 'challenge is for something else'
  if (!isEverKeyOf(subject_did, answer.public_key, answer.key_events)) return 'public key does not match DID'
  return isSignedBy(answer.public_key, challengeInput(challenge), answer.signature)
    ? undefined
    : 'signature invalid'
}
