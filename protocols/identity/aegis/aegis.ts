import { CapabilityLimits } from '@svc/contract/authority/capability'
import { DelegationState } from '@svc/contract/authority/delegation-chain'
import { ChallengePurpose, challengeInput } from '@svc/contract/authority/delegation-challenge'
import { redelegation_depth_max } from '@svc/contract/authority/delegation-depth'
import { DelegationRules } from '@svc/contract/authority/delegation-policy'
import {
  DelegationToken,
  delegated_capabilities_max,
  RevocationUrl,
} from '@svc/contract/authority/delegation-token'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { type SceneStep, stand_ins } from '@svc/contract/scene'
import {
  CapabilityName,
  Closed,
  Did,
  Hash,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { Type } from 'typebox'
import { askNode, requireOwnDid } from './aegis-answers.ts'
import { requireFields, seeRules, setRules, testDelegation, withdraw } from './delegation-rules.ts'
import { makeDelegation } from './make-delegation.ts'

const clerk_did = `did:oas:acme:agent:${'c7'.repeat(32)}`
const clerk_exists: readonly SceneStep[] = [
  {
    call: 'MACS.derive',
    input: { entity_kind: 'Agent', label: 'night-clerk', name: 'Night clerk' },
    answer: { did: clerk_did },
  },
]
const delegation = {
  to_did: clerk_did,
  capabilities: ['svc.mind.recall_memory', { name: 'svc.max.audit_query', caveats: ['time:09-17'] }],
  expires_at: stand_ins.in_a_month,
}

const Wanted = Type.Union([
  CapabilityName,
  Closed({
    name: CapabilityName,
    expires_at: Type.Optional(Timestamp),
    limits: Type.Optional(CapabilityLimits),
    caveats: Type.Optional(ListOf(Text(200), 0, 16)),
  }),
])
const Depth = Type.Integer({ minimum: 0, maximum: redelegation_depth_max, default: 0 })
const proof_fields = {
  challenge_id: Type.Optional(Uuid),
  challenge_signature: Type.Optional(Signature),
  public_key: Type.Optional(PublicKey),
}

export const aegis = protocol({
  id: 'Aegis',
  version: 'v1.0.0',
  plane: 'identity',
  estate: 'adapter',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Delegation: give another identity part of your authority, never more than you hold.',

  operations: {
    challenge: operation({
      summary: 'Get a nonce to sign before a sensitive delegation.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      secret_output: true,
      needs: ['authority', 'remote'],
      input: Closed({
        subject_did: Did,
        purpose: ChallengePurpose,
        capabilities: Type.Optional(ListOf(CapabilityName, 1, delegated_capabilities_max)),
      }),
      output: Closed({
        challenge_id: Uuid,
        nonce: Type.String(),
        expires_at: Timestamp,
        signing_input: Type.String({ description: 'The exact text to sign with the key of the subject.' }),
      }),
      example: { subject_did: stand_ins.did, purpose: 'delegate', capabilities: ['svc.mind.recall_memory'] },

      async handle(input, context) {
        await requireSubject(input.subject_did, context)
        const challenge = await askNode(context, 'challenge', input)
        const { challenge_id, nonce, expires_at } = challenge
        return { challenge_id, nonce, expires_at, signing_input: challengeInput(challenge) }
      },
    }),

    delegate: operation({
      summary: 'Delegate part of your authority to another identity of your tenant, until a time.',
      effect: 'write',
      level: 'L1',
      engages: true,
      hands_on: true,
      meters: ['seconds'],
      needs: ['authority', 'custody', 'remote'],
      input: Closed({
        to_did: Did,
        capabilities: ListOf(Wanted, 1, delegated_capabilities_max),
        max_redelegation_depth: Type.Optional(Depth),
        expires_at: Timestamp,
        revocation_url: Type.Optional(RevocationUrl),
        parent_token: Type.Optional(Hash),
        ...proof_fields,
        signature: Type.Optional(Signature),
      }),
      output: Closed({
        token: DelegationToken,
        token_id: Hash,
        remaining_depth: Type.Integer({ minimum: 0 }),
        attenuated: Type.Boolean({ description: 'Bounds of the source were added to the request.' }),
      }),
      example: delegation,
      scene: clerk_exists,
      handle: makeDelegation,
    }),

    policy: operation({
      summary: 'See, set, test or withdraw your delegations.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      needs: ['authority', 'charter', 'custody', 'remote'],
      input: Closed({
        action: OneOf('get', 'set', 'evaluate', 'revoke'),
        rules: Type.Optional(DelegationRules),
        from_did: Type.Optional(Did),
        to_did: Type.Optional(Did),
        capabilities: Type.Optional(ListOf(Wanted, 1, delegated_capabilities_max)),
        max_redelegation_depth: Type.Optional(Depth),
        expires_at: Type.Optional(Timestamp),
        parent_token: Type.Optional(Hash),
        token_id: Type.Optional(Hash),
        reason: Type.Optional(Text(500)),
        ...proof_fields,
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25 })),
        cursor: Type.Optional(Text(200)),
      }),
      output: Closed({
        rules: Type.Optional(DelegationRules),
        version: Type.Optional(Type.Integer({ minimum: 0, description: '0 if no rules were ever set.' })),
        in_force_from: Type.Optional(Timestamp),
        delegations: Type.Optional(
          ListOf(
            Closed({
              token_id: Hash,
              token: DelegationToken,
              parent_token: Type.Optional(Hash),
              state: DelegationState,
              issued_at: Timestamp,
            }),
          ),
        ),
        next_cursor: Type.Optional(Type.String()),
        allowed: Type.Optional(Type.Boolean()),
        reasons: Type.Optional(ListOf(Type.String(), 0, 1_024)),
        revoked: Type.Optional(ListOf(Hash, 1, 1_024)),
        at: Type.Optional(Timestamp),
      }),
      example: { action: 'get' },
      scene: [...clerk_exists, { call: 'Aegis.delegate', input: delegation }],

      handle(input, context) {
        requireFields(input)
        const actions = { get: seeRules, set: setRules, evaluate: testDelegation, revoke: withdraw }
        return actions[input.action](input, context)
      },
    }),
  },
})

/** An identity may request a challenge for itself and for identities it created. */
async function requireSubject(subject_did: string, context: OperationContext<'authority'>): Promise<void> {
  requireOwnDid(context, subject_did)
  const { did } = context.caller
  if (subject_did === did) return
  const { identity } = await context.authority.of(subject_did)
  if (identity.creator_did === did || identity.human_root_did === did) return
  throw refuse(
    'policy_denied',
    'Only the subject of a challenge or its creator may request it; call as one of them.',
    { reason: 'not the subject or its parent' },
  )
}
