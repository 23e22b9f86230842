import { CapabilityLimits } from '@svc/contract/authority/capability'
import { DelegationToken } from '@svc/contract/authority/delegation-token'
import { AgentEntityKind } from '@svc/contract/identity/identity'
import { IdentityDocument } from '@svc/contract/identity/identity-document'
import { LineageStatement, lineage_depth_max } from '@svc/contract/identity/lineage'
import { operation, protocol } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import {
  AnyObject,
  Closed,
  ConformanceLevel,
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
import { challenge_domain, isSupported, session_minutes, supported_proofs } from './challenge.ts'
import { DeriveInput } from './derivation.ts'
import { deriveIdentity } from './derive-identity.ts'
import { viewOf } from './effective-view.ts'
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
const DerivedDocument = Closed({
  ...IdentityDocument.properties,
  extended: AnyObject,
  proof: Type.Optional(Signature),
})

const ShownCapability = Closed({
  name: Type.String(),
  expires_at: Type.Optional(Timestamp),
  limits: Type.Optional(CapabilityLimits),
  caveats: ListOf(Type.String()),
  source: OneOf('declared', 'key', 'delegation', 'treaty', 'envelope', 'role'),
  source_ref: Type.Optional(Type.String()),
  satisfied_now: Type.Boolean(),
  unsatisfied: ListOf(Type.String()),
})

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
      input: Closed({ profile: Word, challenge_kind: Word, agent_did: Type.Optional(Did) }),
      output: Closed({
        session_id: Type.Optional(Uuid),
        accepted: Type.Boolean(),
        profile: Type.String(),
        challenge_kind: Type.String(),
        alternatives: ListOf(Closed({ profile: Type.String(), challenge_kind: Type.String() })),
        signature_suite: OneOf('Ed25519'),
        domain: Type.String(),
        expires_at: Type.Optional(Timestamp),
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
        session_id: Uuid,
        agent_did: Type.Optional(Did),
        audience: Type.Optional(Text(255, { description: 'Audience of the proof; default: this engine.' })),
      }),
      output: Closed({
        challenge_id: Uuid,
        nonce: Base64Url,
        audience: Type.String(),
        issued_at: Timestamp,
        expires_at: Timestamp,
        signing_input: Type.String(),
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
        challenge_id: Uuid,
        agent_did: Did,
        public_key: PublicKey,
        signature: Signature,
        lineage: Type.Optional(ListOf(LineageStatement, 0, lineage_depth_max)),
        delegation: Type.Optional(DelegationToken),
      }),
      output: Closed({
        verified: Type.Literal(true),
        did: Did,
        entity_kind: AgentEntityKind,
        human_root_did: Type.Optional(Did),
        creator_did: Type.Optional(Did),
        lineage_depth: Type.Integer({ minimum: 0 }),
        lineage_verified: Type.Boolean(),
        conformance_level: ConformanceLevel,
        session_id: Uuid,
        key_id: Type.String({ description: 'Of the token: records of calls made with it name it.' }),
        session_token: Type.String({
          description:
            'For Authorization: DPoP <session_token>, with a DPoP header signed by the proven key (RFC 9449).',
        }),
        token_expires_at: Timestamp,
        warnings: ListOf(Type.String()),
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
        agent_did: Did,
        at: Type.Optional(Timestamp),
        protocol: Type.Optional(Type.String({ pattern: '^[A-Za-z]{2,16}$' })),
      }),
      output: Closed({
        capabilities: ListOf(ShownCapability, 0, 4096),
        excluded: ListOf(
          Closed({ name: Type.String(), why: OneOf('revoked', 'expired', 'over_depth') }),
          0,
          4096,
        ),
        composed_at: Timestamp,
        cache_ttl_seconds: Type.Integer(),
      }),
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
      output: Closed({
        did: Did,
        public_key: PublicKey,
        lineage_statement: LineageStatement,
        document: DerivedDocument,
        document_hash: Type.Optional(Hash),
        document_signing_input: Type.Optional(Type.String()),
        lineage_depth: Type.Integer({ minimum: 1 }),
        created: Type.Boolean(),
        published: Type.Boolean(),
        warnings: ListOf(Type.String()),
      }),
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
