// A challenge and the evaluation of a response to it. Pure, so that every order of events can be tested.
import { isSignedBy, signingInput } from '@svc/contract/signing/signature'

export const session_minutes = 10
export const challenge_seconds = 120
export const token_minutes = 15
export const failures_max = 5
export const open_challenges_max = 5
export const challenges_per_minute_max = 30

export const challenge_domain = 'svc-macs-challenge-v1'

export interface Proof {
  readonly profile: string
  readonly challenge_kind: string
}

/** Not API keys: they are verified with the request and sign nothing. */
export const supported_proofs: readonly Proof[] = [
  { profile: 'DidAuth', challenge_kind: 'Nonce' },
  { profile: 'DidAuth', challenge_kind: 'TimestampedNonce' },
  { profile: 'DelegatedAuth', challenge_kind: 'Nonce' },
  { profile: 'DelegatedAuth', challenge_kind: 'TimestampedNonce' },
]

export function isSupported({ profile, challenge_kind }: Proof): boolean {
  return supported_proofs.some(
    (proof) => proof.profile === profile && proof.challenge_kind === challenge_kind,
  )
}

export const session_states = [
  'NEGOTIATED',
  'CHALLENGED',
  'VERIFIED',
  'EXPIRED',
  'REVOKED',
  'FAILED',
] as const
export type SessionState = (typeof session_states)[number]

const ended: ReadonlySet<SessionState> = new Set(['EXPIRED', 'REVOKED', 'FAILED'])

/** The state at this time, even if no sweep has run since. */
export function stateAt(
  session: { readonly state: SessionState; readonly expires_at: Date },
  now: string,
): SessionState {
  if (ended.has(session.state)) return session.state
  return session.expires_at.getTime() > Date.parse(now) ? session.state : 'EXPIRED'
}

export interface Challenge {
  readonly challenge_id: string
  readonly agent_did: string
  readonly audience: string
  readonly nonce: string
  readonly challenge_kind: string
  readonly issued_at: Date
  readonly expires_at: Date
  readonly failures: number
  /** Burnt by the first success or by the last failure. */
  readonly is_burnt: boolean
}

/** The exact text the agent signs. A timestamped nonce also covers its times. */
export function challengeInput(challenge: Challenge): string {
  const { challenge_id, agent_did, audience, nonce } = challenge
  const named = { challenge_id, agent_did, audience, nonce }
  if (challenge.challenge_kind !== 'TimestampedNonce') return signingInput(challenge_domain, named)
  const moments = {
    issued_at: challenge.issued_at.toISOString(),
    expires_at: challenge.expires_at.toISOString(),
  }
  return signingInput(challenge_domain, { ...named, ...moments })
}

export interface Response {
  readonly agent_did: string
  readonly public_key: string
  readonly signature: string
}

export type ResponseFault =
  | 'challenge expired'
  | 'challenge already used'
  | 'public key does not match DID'
  | 'signature invalid'

/** The first reason why a response does not prove its DID; undefined if it does. */
export function responseFault(
  challenge: Challenge,
  response: Response,
  now: string,
  is_current_key: boolean,
): ResponseFault | undefined {
  if (!(challenge.expires_at.getTime() > Date.parse(now))) return 'challenge expired'
  if (challenge.is_burnt) return 'challenge already used'
  // Compared with the challenged DID: a valid key of another agent is wrong as well.
  if (response.agent_did !== challenge.agent_did) return 'public key does not match DID'
  if (!is_current_key) return 'public key does not match DID'
  const is_signed = isSignedBy(response.public_key, challengeInput(challenge), response.signature)
  return is_signed ? undefined : 'signature invalid'
}

/** Only attempts at an open challenge count as failures, not late or repeated ones. */
export function countsAsFailure(fault: string): boolean {
  return fault !== 'challenge expired' && fault !== 'challenge already used'
}
