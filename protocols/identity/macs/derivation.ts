// A child identity as its parent requests it: capabilities, statement and document. Pure.
import { attenuate } from '@svc/contract/authority/attenuation'
import {
  AgentCapability,
  type HeldCapability,
  isCapabilityName,
  isOwn,
  unexpired,
} from '@svc/contract/authority/capability'
import { isOnce, requireKnownCaveats } from '@svc/contract/authority/caveat'
import { derived_kinds, root_kinds } from '@svc/contract/identity/identity'
import { IdentityDocument, type UnsignedDocument } from '@svc/contract/identity/identity-document'
import type { KeyEvent } from '@svc/contract/identity/key-events'
import {
  ChildIndex,
  Label,
  LineageStatement,
  lineage_depth_max,
  type UnsignedStatement,
} from '@svc/contract/identity/lineage'
import { refuse } from '@svc/contract/refusal'
import {
  AnyObject,
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
} from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'

export const ServiceEndpoint = Closed({
  kind: Text(64, { description: 'What is offered there, such as svc or mcp.' }),
  url: Type.String({
    pattern: '^https?://[^\\s/?#@]+([/?#][^\\s]*)?$',
    maxLength: 512,
    description: 'Where it is.',
  }),
  protocols: described(ListOf(Text(32), 0, 64), 'Protocols it serves.'),
})

export const DeriveInput = Closed({
  entity_kind: described(
    OneOf(...root_kinds, ...derived_kinds),
    'Kind of the child; roots cannot be derived.',
  ),
  label: Label,
  index: Type.Optional(described(ChildIndex, 'Tells apart children with the same label; default 0.')),
  name: Type.Optional(Text(128, { description: 'For people to read.' })),
  capabilities: Type.Optional(
    described(ListOf(AgentCapability, 0, 128), 'What the child may do; never more than you hold.'),
  ),
  service_endpoints: Type.Optional(
    described(ListOf(ServiceEndpoint, 0, 16), 'Where the child can be reached.'),
  ),
  expires_at: Type.Optional(described(Timestamp, 'The child counts until then; absent: it does not end.')),
  /** Who holds the child's key; the engine by default. */
  custody: Type.Optional(
    described(OneOf('engine', 'client'), "Who keeps the child's private key; default engine."),
  ),
  child_public_key: Type.Optional(described(PublicKey, "The child's key; needed with custody client.")),
  parent_public_key: Type.Optional(described(PublicKey, 'Your key that signs; only with custody client.')),
  created_at: Type.Optional(
    described(Timestamp, 'Time in the statement that you signed; only with custody client.'),
  ),
  signature: Type.Optional(
    described(Signature, 'Of the lineage statement by your key; only with custody client.'),
  ),
  document_proof: Type.Optional(
    described(Signature, "Of document_signing_input by the child's key; only with custody client."),
  ),
})
export type DeriveInput = Static<typeof DeriveInput>

const DerivedDocument = Closed({
  ...IdentityDocument.properties,
  extended: described(AnyObject, 'Sections that others signed, such as attestations.'),
  proof: Type.Optional(
    described(Signature, "Signature of the document; absent until the child's key signed it."),
  ),
})

export const DeriveOutput = Closed({
  did: described(Did, 'The child.'),
  public_key: described(PublicKey, 'Its key.'),
  lineage_statement: described(LineageStatement, 'Proof of descent, signed by you.'),
  document: described(DerivedDocument, "The child's identity document."),
  document_hash: Type.Optional(described(Hash, 'Hash of the document; absent until it is signed.')),
  document_signing_input: Type.Optional(
    Type.String({ description: "Text the child's key must sign; absent once signed." }),
  ),
  lineage_depth: Type.Integer({ minimum: 1, description: 'Steps from its root.' }),
  created: Type.Boolean({ description: 'False if it existed already with the same content.' }),
  published: Type.Boolean({ description: 'Whether the identity node serves its document.' }),
  warnings: described(ListOf(Type.String()), 'What is still missing, in words.'),
})

const client_fields = [
  'child_public_key',
  'parent_public_key',
  'created_at',
  'signature',
  'document_proof',
] as const

const created_minutes_max = 10

/** Checks that a schema cannot express: fields that go together, and times. */
export function requireSense(input: DeriveInput, now: string): void {
  if (!(derived_kinds as readonly string[]).includes(input.entity_kind)) {
    const sentence = `A ${input.entity_kind} is a root and cannot be derived; choose one of ${derived_kinds.join(', ')}.`
    throw refuse('policy_denied', sentence, { reason: 'root kinds cannot be derived' })
  }
  const is_client = input.custody === 'client'
  const misplaced = is_client ? undefined : client_fields.find((field) => input[field] !== undefined)
  if (misplaced)
    throw faulty(misplaced, 'is only allowed with custody "client"; otherwise the engine creates the key')
  if (is_client && input.child_public_key === undefined)
    throw faulty('child_public_key', 'is required with custody "client": the key stays with its owner')
  const [now_ms, expires_ms] = [Date.parse(now), Date.parse(input.expires_at ?? '')]
  if (input.expires_at !== undefined && !(expires_ms > now_ms))
    throw faulty('expires_at', 'is in the past; choose a later time')
  if (input.created_at === undefined) return
  const age_ms = now_ms - Date.parse(input.created_at)
  if (!(age_ms >= 0 && age_ms <= created_minutes_max * 60_000))
    throw faulty('created_at', `must be within the last ${created_minutes_max} minutes`)
}

function faulty(field: string, message: string) {
  return refuse('invalid_payload', `The input of svc.macs.derive is invalid: /${field} ${message}.`, {
    reason: 'invalid derivation',
    faults: [{ pointer: `/${field}`, message }],
  })
}

/** Authority by delegation, treaty or envelope is not passed to a child: it would outlive its source. */
export function ownedBy(capabilities: readonly HeldCapability[], now: string): HeldCapability[] {
  // A right to a single call would be one for each child.
  return unexpired(capabilities, now).filter((grant) => !grant.caveats.some(isOnce) && isOwn(grant))
}

/** Each must lie within one the parent holds, and gets its bounds; the first that does not is refused. */
export function capabilitiesFor(
  capabilities: readonly AgentCapability[],
  owned: readonly HeldCapability[],
): AgentCapability[] {
  for (const [place, { caveats }] of capabilities.entries())
    requireKnownCaveats(caveats, `/capabilities/${place}/caveats`)
  return capabilities.map((requested) => {
    const is_name = isCapabilityName(requested.name)
    const delegated = is_name ? attenuate(requested, owned) : undefined
    if (delegated) return delegated.capability
    // Reasons are recorded in the audit log, so text that is not a capability name is left out.
    const reason = is_name ? `capability amplification: ${requested.name}` : 'capability amplification'
    const sentence = `The child cannot have ${requested.name}: no capability of its parent covers it in name, time and limits, and what a role gives is not passed on; request less.`
    throw refuse('policy_denied', sentence, { reason })
  })
}

/** The child expires no later than its parent; after that its lineage would be broken. */
export function endOf(
  requested_end: string | undefined,
  parent: readonly LineageStatement[],
): string | undefined {
  const ends = parent.flatMap(({ expires_at }) => expires_at ?? [])
  const first = ends.sort((a, b) => Date.parse(a) - Date.parse(b))[0]
  if (requested_end === undefined || first === undefined) return requested_end ?? first
  if (Date.parse(requested_end) <= Date.parse(first)) return requested_end
  throw refuse(
    'policy_denied',
    `The parent’s lineage expires at ${first}; choose an earlier end for the child.`,
    {
      reason: 'child outlives its parent',
    },
  )
}

export function requireDepth(depth: number): void {
  if (depth <= lineage_depth_max) return
  throw refuse(
    'policy_denied',
    `The child would be ${depth} levels below its root; at most ${lineage_depth_max} are allowed. Derive it from a higher identity.`,
    { reason: 'lineage too deep' },
  )
}

/** Identifies equal requests: covers all that shapes the child, not what only proves it. */
export function askedDigest(parent_did: string, input: DeriveInput): string {
  const { parent_public_key: _k, created_at: _c, signature: _s, document_proof: _p, ...asked } = input
  const { index = 0, capabilities = [], service_endpoints = [], custody = 'engine' } = asked
  return contentHash({ ...asked, parent_did, index, capabilities, service_endpoints, custody })
}

export interface ChildFacts {
  readonly input: DeriveInput
  readonly capabilities: readonly AgentCapability[]
  /** From the parent up to its root; empty if unknown. */
  readonly parent_lineage: readonly LineageStatement[]
  readonly is_anchored: boolean
}

/** Depends only on the request and the statement, so that repeating it gives the same bytes. */
export function documentFor(statement: LineageStatement, facts: ChildFacts): UnsignedDocument {
  const { input, capabilities, parent_lineage, is_anchored } = facts
  return {
    id: statement.child_did,
    entity_kind: statement.entity_kind,
    ...(input.name === undefined ? {} : { name: input.name }),
    public_key: statement.child_public_key,
    creator_did: statement.parent_did,
    // A lineage that does not reach a root proves nothing, and the identity node would refuse it.
    lineage: is_anchored ? [statement, ...parent_lineage] : [],
    capabilities: [...capabilities],
    service_endpoints: input.service_endpoints ?? [],
    revoked: false,
    extended: {},
    version: 1,
    updated_at: statement.created_at,
  }
}

export function isSignedDocument(
  document: UnsignedDocument | IdentityDocument,
): document is IdentityDocument {
  return 'proof' in document
}

export function statementFor(
  parent: {
    readonly did: string
    readonly public_key: string
    readonly key_events: readonly KeyEvent[]
  },
  child: { readonly did: string; readonly public_key: string },
  input: DeriveInput,
  created_at: string,
  expires_at: string | undefined,
): UnsignedStatement {
  return {
    child_did: child.did,
    child_public_key: child.public_key,
    parent_did: parent.did,
    parent_public_key: parent.public_key,
    entity_kind: input.entity_kind,
    label: input.label,
    index: input.index ?? 0,
    created_at,
    ...(expires_at === undefined ? {} : { expires_at }),
    // Its first key needs no events.
    ...(parent.key_events.length > 1 && { parent_key_events: [...parent.key_events] }),
  }
}
