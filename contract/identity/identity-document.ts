// An identity document, signed by its own key, and what we derive from it. Nothing in it is trusted without the signatures.
import { type Static, Type } from 'typebox'
import { AgentCapability } from '../authority/capability.ts'
import {
  AnyObject,
  Closed,
  type ConformanceLevel,
  Did,
  described,
  ListOf,
  PublicKey,
  Signature,
  Text,
  Timestamp,
} from '../schema.ts'
import { contentHash } from '../signing/canonical-json.ts'
import { isKeyOf, isSignedBy, type SigningKey, signingInput, signText } from '../signing/signature.ts'
import { parseDid } from './did.ts'
import { AgentEntityKind, AgentServiceEndpoint, type ResolvedAgentIdentity } from './identity.ts'
import { KeyEvent, key_events_max, keyEventsFault } from './key-events.ts'
import {
  familyPlace,
  kindSegment,
  LineageStatement,
  type LineageVerdict,
  lineage_depth_max,
} from './lineage.ts'

/** A statement of another about the subject: an attestation, or its reputation. */
export const SignedSection = Closed({
  issuer_did: described(Did, 'Who attests.'),
  issuer_public_key: described(PublicKey, 'Key that signed it.'),
  body: described(AnyObject, "What is attested; its form is the issuer's own."),
  issued_at: described(Timestamp, 'When it was attested.'),
  expires_at: Type.Optional(described(Timestamp, 'It counts until then; absent: it does not end.')),
  signature: described(Signature, 'By the issuer, base64url.'),
})
export type SignedSection = Static<typeof SignedSection>

export const IdentityDocument = Closed(
  {
    id: described(Did, 'The identity.'),
    entity_kind: AgentEntityKind,
    name: Type.Optional(Text(128, { description: 'For people to read.' })),
    public_key: described(PublicKey, 'Its current key.'),
    creator_did: Type.Optional(described(Did, 'Parent that derived it; absent for a root.')),
    lineage: described(
      ListOf(LineageStatement, 0, lineage_depth_max),
      'Statements from this identity up to its root.',
    ),
    capabilities: described(ListOf(AgentCapability, 0, 128), 'What it may do, as granted by its parent.'),
    service_endpoints: described(ListOf(AgentServiceEndpoint, 0, 16), 'Where it can be reached.'),
    revoked: Type.Boolean({ description: 'True once it was revoked for good.' }),
    extended: Type.Object(
      {
        attestations: Type.Optional(described(ListOf(SignedSection, 0, 32), 'What others attest about it.')),
        reputation: Type.Optional(described(ListOf(SignedSection, 0, 32), 'How others rate it.')),
      },
      { additionalProperties: true, description: 'Sections that others signed.' },
    ),
    version: Type.Integer({ minimum: 1, description: 'Grows with each change.' }),
    updated_at: described(Timestamp, 'When this version was made.'),
    /** They prove themselves, so the proof does not cover them. */
    key_events: Type.Optional(
      described(
        ListOf(KeyEvent, 1, key_events_max),
        'How it came to its current key; absent: it has its first.',
      ),
    ),
    proof: described(Signature, 'Signature of the document by its current key.'),
  },
  {
    description:
      'An identity document, signed by the key whose digest is in its DID, or by a successor of it.',
  },
)
export type IdentityDocument = Static<typeof IdentityDocument>
export type UnsignedDocument = Omit<IdentityDocument, 'proof'>

export function signDocument(document: UnsignedDocument, subject: SigningKey): IdentityDocument {
  return { ...document, proof: signText(subject.private_key, documentInput(document)) }
}

export function documentInput(document: UnsignedDocument | IdentityDocument): string {
  const { proof: _, key_events: __, ...unsigned } = document as IdentityDocument
  return signingInput('svc-document-v1', unsigned)
}

export function documentHash(document: IdentityDocument): string {
  return contentHash(document)
}

/** Why the subject did not sign this well-formed document; undefined where it did. */
export function documentFault(document: IdentityDocument, did: string): string | undefined {
  if (document.id !== did) return 'it is the document of another identity'
  const { key_events = [] } = document
  const events_fault = keyEventsFault(did, key_events)
  if (events_fault) return events_fault
  const last = key_events.at(-1)
  if (last ? last.public_key !== document.public_key : !isKeyOf(did, document.public_key))
    return 'public key does not match DID'
  if (parseDid(did)?.entity_kind !== kindSegment(document.entity_kind)) return 'the DID names another kind'
  if (!isSignedBy(document.public_key, documentInput(document), document.proof)) return 'proof invalid'
  return undefined
}

export function sectionInput(section: Omit<SignedSection, 'signature'>, subject_did: string): string {
  const { issuer_did, issuer_public_key, body, issued_at, expires_at } = section
  return signingInput('svc-attestation-v1', {
    subject_did,
    issuer_did,
    issuer_public_key,
    body,
    issued_at,
    expires_at,
  })
}

export interface Trust {
  /** RFC 3339 UTC. */
  readonly now: string
  /** Anyone can make a second key and attest the first: only trusted issuers count. */
  isTrustedIssuer(issuer_did: string): boolean
}

/** L0: it exists. L1: it is a root, or its lineage is verified. L2: trusted issuers also attest it and its reputation. */
export function levelOf(document: IdentityDocument, lineage: LineageVerdict, trust: Trust): ConformanceLevel {
  if (!lineage.verified) return 'L0'
  const { attestations = [], reputation = [] } = document.extended
  const counts = (section: SignedSection) => isGenuine(section, document.id, trust)
  return attestations.some(counts) && reputation.some(counts) ? 'L2' : 'L1'
}

function isGenuine(section: SignedSection, subject_did: string, { now, isTrustedIssuer }: Trust): boolean {
  const { issuer_did, issuer_public_key, issued_at, expires_at, signature } = section
  const in_time =
    Date.parse(issued_at) <= Date.parse(now) &&
    (expires_at === undefined || Date.parse(expires_at) > Date.parse(now))
  return (
    in_time &&
    issuer_did !== subject_did &&
    isTrustedIssuer(issuer_did) &&
    isKeyOf(issuer_did, issuer_public_key) &&
    isSignedBy(issuer_public_key, sectionInput(section, subject_did), signature)
  )
}

/** The identity of a verified document. Where the lineage fails it is known, but at L0. */
export function identityOf(
  document: IdentityDocument,
  lineage: LineageVerdict,
  trust: Trust,
): ResolvedAgentIdentity {
  return {
    did: document.id,
    entity_kind: document.entity_kind,
    ...(document.name === undefined ? {} : { name: document.name }),
    ...familyPlace(document, lineage),
    conformance_level: levelOf(document, lineage, trust),
    capabilities: document.revoked ? [] : document.capabilities,
    service_endpoints: document.service_endpoints,
    revoked: document.revoked,
    auth_method: 'did',
    extended: document.extended,
  }
}
