// Step-up: before a sensitive capability is delegated, the delegator signs a fresh nonce, so an API key alone is not enough.
import { type Static, Type } from 'typebox'
import { isEverKeyOf, KeyEvent, key_events_max } from '../identity/key-events.ts'
import {
  CapabilityName,
  Closed,
  Did,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Timestamp,
  Uuid,
} from '../schema.ts'
import { isSignedBy, signingInput } from '../signing/signature.ts'
import { covers } from './capability.ts'

export const ChallengePurpose = OneOf('delegate', 'accept', 'revoke')

export const DelegationChallenge = Closed({
  challenge_id: Uuid,
  nonce: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: '32 random bytes, base64url.' }),
  subject_did: Did,
  purpose: ChallengePurpose,
  /** The use it is bound to; absent where any use of its purpose is allowed. */
  capabilities: Type.Optional(ListOf(CapabilityName, 1, 64)),
  expires_at: Timestamp,
})
export type DelegationChallenge = Static<typeof DelegationChallenge>

/** A stored challenge. */
export const StoredChallenge = Closed({ challenge: DelegationChallenge, used: Type.Boolean() })
export type StoredChallenge = Static<typeof StoredChallenge>

export const ChallengeAnswer = Closed({
  challenge_id: Uuid,
  public_key: PublicKey,
  /** How the subject came to this key, unless it is its first. */
  key_events: Type.Optional(ListOf(KeyEvent, 1, key_events_max)),
  signature: Signature,
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
