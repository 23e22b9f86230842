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
  described,
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
    name: described(CapabilityName, 'Capability, or svc.<protocol>.* for a whole protocol.'),
    expires_at: Type.Optional(described(Timestamp, 'When it ends; absent: with the delegation.')),
    limits: Type.Optional(described(CapabilityLimits, 'Bounds on its use; those of the source are added.')),
    caveats: Type.Optional(
      described(ListOf(Text(200), 0, 16), 'Conditions such as time:09-17; those of the source are added.'),
    ),
  }),
])
const Depth = Type.Integer({
  minimum: 0,
  maximum: redelegation_depth_max,
  default: 0,
  description: 'How many further times it may be passed on.',
})
const proof_fields = {
  challenge_id: Type.Optional(
    described(Uuid, 'Challenge that you answered; needed where a policy demands it.'),
  ),
  challenge_signature: Type.Optional(
    described(Signature, "Of the challenge's signing_input; needed with challenge_id."),
  ),
  public_key: Type.Optional(
    described(PublicKey, 'Key that made your signatures; needed unless the engine keeps it.'),
  ),
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
        subject_did: described(Did, 'Who will answer: you, or an identity you derived.'),
        purpose: described(ChallengePurpose, 'What the answer is for.'),
        capabilities: Type.Optional(
          described(
            ListOf(CapabilityName, 1, delegated_capabilities_max),
            'What would be delegated; absent: not restricted.',
          ),
        ),
      }),
      output: Closed({
        challenge_id: described(Uuid, 'Names the challenge in delegate and policy.'),
        nonce: Type.String({ description: 'Random, used once.' }),
        expires_at: described(Timestamp, 'It must be answered by then.'),
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
        to_did: described(Did, 'Who receives: an identity of your organization.'),
        capabilities: described(
          ListOf(Wanted, 1, delegated_capabilities_max),
          'What to delegate: names, or names with bounds of their own.',
        ),
        max_redelegation_depth: Type.Optional(Depth),
        expires_at: described(Timestamp, 'When it ends; at most 90 days ahead.'),
        revocation_url: Type.Optional(RevocationUrl),
        parent_token: Type.Optional(
          described(Hash, 'Delegation you pass on; absent: your own capabilities.'),
        ),
        ...proof_fields,
        signature: Type.Optional(
          described(Signature, 'Of the token by your key; absent: the engine signs if it keeps your key.'),
        ),
      }),
      output: Closed({
        token: described(DelegationToken, 'The delegation as signed.'),
        token_id: described(Hash, 'Hash of the token.'),
        remaining_depth: Type.Integer({
          minimum: 0,
          description: 'How many further times it may be passed on.',
        }),
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
        action: described(
          OneOf('get', 'set', 'evaluate', 'revoke'),
          'get rules and delegations, set rules, evaluate a delegation without making it, or revoke one.',
        ),
        rules: Type.Optional(described(DelegationRules, 'For set: your new rules; they replace all before.')),
        from_did: Type.Optional(described(Did, 'For evaluate: who would delegate.')),
        to_did: Type.Optional(described(Did, 'For evaluate: who would receive.')),
        capabilities: Type.Optional(
          described(ListOf(Wanted, 1, delegated_capabilities_max), 'For evaluate: what would be delegated.'),
        ),
        max_redelegation_depth: Type.Optional(Depth),
        expires_at: Type.Optional(described(Timestamp, 'For evaluate: when it would end.')),
        parent_token: Type.Optional(described(Hash, 'For evaluate: delegation that would be passed on.')),
        token_id: Type.Optional(described(Hash, 'For revoke: the delegation to end, with all made from it.')),
        reason: Type.Optional(Text(500, { description: 'For revoke: why.' })),
        ...proof_fields,
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 100,
            default: 25,
            description: 'For get: delegations per page at most.',
          }),
        ),
        cursor: Type.Optional(Text(200, { description: 'For get: next_cursor of the previous page.' })),
      }),
      output: Closed({
        rules: Type.Optional(described(DelegationRules, 'Your rules; for get and set.')),
        version: Type.Optional(Type.Integer({ minimum: 0, description: '0 if no rules were ever set.' })),
        in_force_from: Type.Optional(described(Timestamp, 'When they were set; absent: never.')),
        delegations: Type.Optional(
          described(
            ListOf(
              Closed({
                token_id: described(Hash, 'Hash of the token.'),
                token: described(DelegationToken, 'The delegation as signed.'),
                parent_token: Type.Optional(
                  described(Hash, "Delegation it passes on; absent: the delegator's own capabilities."),
                ),
                state: DelegationState,
                issued_at: described(Timestamp, 'When it was made.'),
              }),
            ),
            'Delegations you gave or received; for get.',
          ),
        ),
        next_cursor: Type.Optional(Type.String({ description: 'There may be more delegations.' })),
        allowed: Type.Optional(Type.Boolean({ description: 'Whether it could be made; for evaluate.' })),
        reasons: Type.Optional(described(ListOf(Type.String(), 0, 1_024), 'Why not; for evaluate.')),
        revoked: Type.Optional(described(ListOf(Hash, 1, 1_024), 'Delegations that ended; for revoke.')),
        at: Type.Optional(described(Timestamp, 'When they ended; for revoke.')),
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
