import { DelegationToken } from '@svc/contract/authority/delegation-token'
import { AgentEntityKind } from '@svc/contract/identity/identity'
import { LineageStatement, lineage_depth_max } from '@svc/contract/identity/lineage'
import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import {
  Closed,
  ConformanceLevel,
  Did,
  described,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { Type } from 'typebox'
import { challenge_domain, isSupported, session_minutes, supported_proofs } from './challenge.ts'
import { DeriveInput, DeriveOutput } from './derivation.ts'
import { deriveIdentity } from './derive-identity.ts'
import { AuthorizationOutput, viewOf } from './effective-view.ts'
import { ExplainInput, ExplainOutput, explainAccess } from './explain-access.ts'
import { issueChallenge } from './issue-challenge.ts'
import { key_operations } from './key-operations.ts'
import { life_operations } from './life-operations.ts'
import { ListInput, ListOutput, listIdentities } from './list-identities.ts'
import { openSession, type Session } from './macs-store.ts'
import { people_operations } from './people-operations.ts'
import { proveIdentity } from './prove-identity.ts'
import { challenge_signed, courier_proof, session_id, session_negotiated } from './scenes.ts'
import { momentOf, visibleAuthority } from './visible-authority.ts'
import { workload_operations } from './workload-operations.ts'

const cache_ttl_seconds = 60
/** Any word: an unsupported one is answered with the supported ones, not with an error. */
const Word = Type.String({ pattern: '^[A-Za-z][A-Za-z0-9-]{0,63}$' })
const Base64Url = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$', description: '32 bytes, base64url.' })

export const macs = protocol({
  id: 'MACS',
  version: 'v1.0.0',
  plane: 'identity',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary:
    'Proves an agent’s identity by its key and lineage, reports its capabilities, derives child identities, and manages people and roles.',

  operations: {
    auth_negotiation: operation({
      summary: 'Agree on how this agent will prove its identity.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      open_to: 'anyone',
      essential: true,
      input: Closed({
        profile: described(
          Word,
          'How to prove: DidAuth with its own key, DelegatedAuth with a delegation too.',
        ),
        challenge_kind: described(Word, 'What to sign: Nonce, or TimestampedNonce with times too.'),
        agent_did: Type.Optional(described(Did, 'Who will prove itself; default: the caller.')),
      }),
      output: Closed({
        session_id: Type.Optional(described(Uuid, 'Session to ask a challenge for; absent if not accepted.')),
        accepted: Type.Boolean({ description: 'False if the pair is not supported; see alternatives.' }),
        profile: Type.String({ description: 'As in the request.' }),
        challenge_kind: Type.String({ description: 'As in the request.' }),
        alternatives: described(
          ListOf(
            Closed({
              profile: Type.String({ description: 'How to prove.' }),
              challenge_kind: Type.String({ description: 'What to sign.' }),
            }),
          ),
          'Pairs that are supported; empty if accepted.',
        ),
        signature_suite: described(OneOf('Ed25519'), 'Kind of signature.'),
        domain: Type.String({ description: 'First line of every text to sign.' }),
        expires_at: Type.Optional(described(Timestamp, 'The session ends then, unless proven.')),
      }),
      example: { profile: 'DidAuth', challenge_kind: 'Nonce' },

      async handle({ profile, challenge_kind, agent_did }, context) {
        const proof = { profile, challenge_kind }
        const answer = { ...proof, signature_suite: 'Ed25519' as const, domain: challenge_domain }
        if (!isSupported(proof)) return { ...answer, accepted: false, alternatives: [...supported_proofs] }
        const session: Session = {
          session_id: context.newId(),
          agent_did: agent_did ?? context.caller.did,
          opened_by: context.caller.did,
          ...proof,
          state: 'NEGOTIATED',
          expires_at: new Date(Date.parse(context.now) + session_minutes * 60_000),
        }
        await openSession(context.db, context.tenant_id, session, context.now)
        const { session_id, expires_at } = session
        return {
          ...answer,
          session_id,
          accepted: true,
          alternatives: [],
          expires_at: expires_at.toISOString(),
        }
      },
    }),

    generate_challenge: operation({
      summary: 'Get the nonce to sign.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      open_to: 'anyone',
      essential: true,
      secret_output: true,
      needs: ['engine'],
      input: Closed({
        session_id: described(Uuid, 'Session of auth_negotiation.'),
        agent_did: Type.Optional(described(Did, 'Who will prove itself; default: that of the session.')),
        audience: Type.Optional(Text(255, { description: 'Audience of the proof; default: this engine.' })),
      }),
      output: Closed({
        challenge_id: described(Uuid, 'Names the challenge in verify_response.'),
        nonce: described(Base64Url, 'Random, used once; 32 bytes, base64url.'),
        audience: Type.String({ description: 'For whom the proof is.' }),
        issued_at: described(Timestamp, 'When it was made.'),
        expires_at: described(Timestamp, 'It must be answered by then.'),
        signing_input: Type.String({ description: 'The text to sign, byte for byte.' }),
      }),
      example: { session_id },
      scene: session_negotiated,

      handle: issueChallenge,
    }),

    verify_response: operation({
      summary: 'Prove that an agent holds its key, and verify its lineage.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      open_to: 'anyone',
      essential: true,
      keep_input: false,
      secret_output: true,
      needs: ['authority', 'keys', 'lineages'],
      input: Closed({
        challenge_id: described(Uuid, 'The challenge to answer; it can be used once.'),
        agent_did: described(Did, 'Who proves itself.'),
        public_key: described(PublicKey, 'Its current key.'),
        signature: described(Signature, "Of the challenge's signing_input by this key."),
        lineage: Type.Optional(
          described(
            ListOf(LineageStatement, 0, lineage_depth_max),
            'Statements up to a root; default: those of its document.',
          ),
        ),
        delegation: Type.Optional(described(DelegationToken, 'Needed if DelegatedAuth was negotiated.')),
      }),
      output: Closed({
        verified: Type.Literal(true, { description: 'Always true; otherwise the call is refused.' }),
        did: described(Did, 'Who was verified.'),
        entity_kind: AgentEntityKind,
        human_root_did: Type.Optional(
          described(Did, 'Human or organization at the root; absent: lineage not verified.'),
        ),
        creator_did: Type.Optional(described(Did, 'Parent that derived it; absent for a root.')),
        lineage_depth: Type.Integer({ minimum: 0, description: 'Steps from its root; 0 for a root.' }),
        lineage_verified: Type.Boolean({ description: 'Whether its descent from a root is proven.' }),
        conformance_level: ConformanceLevel,
        session_id: described(Uuid, 'The session, as list_keys shows it.'),
        key_id: Type.String({ description: 'Of the token: records of calls made with it name it.' }),
        session_token: Type.String({
          description:
            'For Authorization: DPoP <session_token>, with a DPoP header signed by the proven key (RFC 9449).',
        }),
        token_expires_at: described(Timestamp, "The session's token is accepted until then."),
        warnings: described(ListOf(Type.String()), 'What could not be verified, in words.'),
      }),
      example: courier_proof,
      scene: challenge_signed,
      handle: proveIdentity,
    }),

    authorization_request: operation({
      summary: 'Ask what an agent may do right now.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['authority'],
      input: Closed({
        agent_did: described(Did, 'Whose capabilities to list.'),
        at: Type.Optional(described(Timestamp, 'Time to judge by; default now.')),
        protocol: Type.Optional(
          Type.String({ pattern: '^[A-Za-z]{2,16}$', description: 'Only capabilities of this protocol.' }),
        ),
      }),
      output: AuthorizationOutput,
      example: { agent_did: stand_ins.did, protocol: 'MIND' },

      async handle({ agent_did, at, protocol: only }, context) {
        const authority = await visibleAuthority(agent_did, context)
        const view = viewOf(authority, await momentOf(authority, at ?? context.now, context), only)
        return { ...view, composed_at: context.now, cache_ttl_seconds }
      },
    }),

    explain_access: operation({
      summary:
        'Explain why an identity may call an operation or not: every path of authority, and the one used.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['authority'],
      input: ExplainInput,
      output: ExplainOutput,
      example: { agent_did: stand_ins.did, protocol: 'MARS', operation: 'query_registry' },
      handle: explainAccess,
    }),

    derive: operation({
      summary: 'Create a child identity under the caller, with at most the capabilities of the caller.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      essential: true,
      hands_on: true,
      needs: ['authority', 'custody', 'publishIdentity'],
      input: DeriveInput,
      output: DeriveOutput,
      example: {
        entity_kind: 'AgentInstance',
        label: 'worker',
        index: 0,
        capabilities: [{ name: 'svc.macs.auth_negotiation', caveats: [] }],
      },
      handle: deriveIdentity,
    }),

    ...key_operations,
    ...life_operations,
    ...workload_operations,

    ...people_operations,

    list: operation({
      summary: 'List the identities of your organization with parent, level, state and means of access.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      essential: true,
      needs: ['authority', 'charter', 'membership'],
      input: ListInput,
      output: ListOutput,
      example: { entity_kind: 'Agent', limit: 10 },
      handle: listIdentities,
    }),
  },
})
