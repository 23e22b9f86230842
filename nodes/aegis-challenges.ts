// Challenges of the Aegis node: each can be answered once.
import {
  type ChallengeAnswer,
  ChallengePurpose,
  type ChallengeUse,
  challengeFault,
  type DelegationChallenge,
} from '@svc/contract/authority/delegation-challenge'
import type { Database } from '@svc/contract/database'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, Did, ListOf } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { countOpenChallenges, findChallenge, insertChallenge, useChallenge } from './aegis-rules-store.ts'
import { lockSubject } from './aegis-store.ts'

const challenge_life_ms = 300_000
const challenges_open_max = 16

/** The engine's Clock fits. */
export interface Chance {
  uuid(): string
  randomBytes(count: number): Buffer
}

export const NewChallenge = Closed({
  subject_did: Did,
  purpose: ChallengePurpose,
  capabilities: Type.Optional(ListOf(CapabilityName, 1, 64)),
})

export async function makeChallenge(
  db: Database,
  { subject_did, purpose, capabilities }: Static<typeof NewChallenge>,
  { tenant_id, timestamp }: InvokeContext,
  chance: Chance,
): Promise<DelegationChallenge> {
  await lockSubject(db, subject_did)
  if ((await countOpenChallenges(db, tenant_id, subject_did, timestamp)) >= challenges_open_max) {
    throw refuse(
      'policy_denied',
      `${subject_did} has ${challenges_open_max} open challenges; answer one or wait until they lapse.`,
      { reason: 'too many open challenges' },
    )
  }
  const challenge: DelegationChallenge = {
    challenge_id: chance.uuid(),
    nonce: chance.randomBytes(32).toString('base64url'),
    subject_did,
    purpose,
    ...(capabilities ? { capabilities } : {}),
    expires_at: new Date(Date.parse(timestamp) + challenge_life_ms).toISOString(),
  }
  await insertChallenge(db, tenant_id, challenge)
  return challenge
}

/** Consumes the challenge for one of these uses; returns which, or refuses. */
export async function meetChallenge(
  db: Database,
  tenant_id: string,
  answer: ChallengeAnswer,
  uses: readonly ChallengeUse[],
): Promise<ChallengeUse> {
  const challenge = await findChallenge(db, tenant_id, answer.challenge_id)
  if (!challenge) throw notFound('challenge', answer.challenge_id)
  const use = uses.find(({ purpose }) => purpose === challenge.challenge.purpose) ?? uses[0]!
  const reason = challengeFault(challenge, answer, use)
  if (reason) {
    const sentence = `The challenge ${answer.challenge_id} is not met: ${reason}; ask for a new one.`
    throw refuse('policy_denied', sentence, { reason })
  }
  await useChallenge(db, answer.challenge_id, use.now)
  return use
}
