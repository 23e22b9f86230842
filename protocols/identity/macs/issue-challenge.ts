// MACS generate_challenge: a new nonce for a session that may still get one.
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import {
  type Challenge,
  challenge_seconds,
  challengeInput,
  challenges_per_minute_max,
  open_challenges_max,
  stateAt,
} from './challenge.ts'
import { countChallenges, keepChallenge, lockSession, type Session } from './macs-store.ts'

const nonce_bytes = 32

export interface Wish {
  readonly session_id: string
  readonly agent_did?: string
  readonly audience?: string
}

export async function issueChallenge(wish: Wish, context: OperationContext<'engine'>) {
  const session = await findSession(wish, context)
  await requireRoom(session, context)
  const issued_at = new Date(context.now)
  const challenge: Challenge = {
    challenge_id: context.newId(),
    agent_did: session.agent_did,
    audience: wish.audience ?? context.engine.did,
    nonce: context.randomBytes(nonce_bytes).toString('base64url'),
    challenge_kind: session.challenge_kind,
    issued_at,
    expires_at: new Date(issued_at.getTime() + challenge_seconds * 1000),
    failures: 0,
    is_burnt: false,
  }
  await keepChallenge(context.db, context.tenant_id, session.session_id, challenge)
  const { challenge_id, agent_did, nonce, audience, expires_at } = challenge
  // Without the nonce: a reader of the audit log must not be able to answer.
  context.audit('ChallengeIssued', { challenge_id, agent_did })
  return {
    challenge_id,
    nonce,
    audience,
    issued_at: issued_at.toISOString(),
    expires_at: expires_at.toISOString(),
    signing_input: challengeInput(challenge),
  }
}

async function findSession({ session_id, agent_did }: Wish, context: OperationContext): Promise<Session> {
  const session = await lockSession(context.db, session_id)
  const { did } = context.caller
  // A session is visible only to its agent and its opener.
  if (!session || (did !== session.agent_did && did !== session.opened_by))
    throw notFound('session', session_id)
  const state = stateAt(session, context.now)
  // A proven session is renewed by another proof.
  if (state !== 'NEGOTIATED' && state !== 'CHALLENGED' && state !== 'VERIFIED') {
    throw refuse('policy_denied', `Session ${session_id} is ${state}; negotiate a new one.`, {
      reason: `session is ${state}; generate_challenge needs NEGOTIATED, CHALLENGED or VERIFIED`,
    })
  }
  if (agent_did === undefined || agent_did === session.agent_did) return session
  throw refuse(
    'policy_denied',
    `Session ${session_id} was negotiated for another DID; negotiate a session for this one.`,
    {
      reason: 'session is of another DID',
    },
  )
}

async function requireRoom(session: Session, context: OperationContext): Promise<void> {
  const { open_in_session, of_agent_in_minute } = await countChallenges(context.db, session, context.now)
  if (open_in_session < open_challenges_max && of_agent_in_minute < challenges_per_minute_max) return
  throw refuse(
    'policy_denied',
    `${session.agent_did} has ${open_in_session} open challenges in this session (at most ${open_challenges_max}) and received ${of_agent_in_minute} in the last minute (at most ${challenges_per_minute_max}); answer one, or wait.`,
    { reason: 'too many open challenges' },
  )
}
