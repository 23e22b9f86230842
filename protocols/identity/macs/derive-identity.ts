// MACS derive: a child key, the parent's signed statement, the document and the registry entry.
import { parseDid } from '@svc/contract/identity/did'
import { isRootKind } from '@svc/contract/identity/identity'
import { documentHash, documentInput, type IdentityDocument } from '@svc/contract/identity/identity-document'
import type { KeyEvent } from '@svc/contract/identity/key-events'
import {
  childDid,
  type LineageStatement,
  statementInput,
  type UnsignedStatement,
  verifyLineage,
} from '@svc/contract/identity/lineage'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { isKeyOf, isSignedBy } from '@svc/contract/signing/signature'
import { keepKeyEvents, keyEventsOf } from '../keys/api.ts'
import {
  askedDigest,
  type ChildFacts,
  capabilitiesFor,
  type DeriveInput,
  documentFor,
  endOf,
  isSignedDocument,
  ownedBy,
  requireDepth,
  requireSense,
  statementFor,
} from './derivation.ts'
import { type Derived, insertDerived, lockDerived, updateDerived } from './derivation-store.ts'
import { keepLineage, lineageOf } from './lineage-store.ts'
import { commitKept } from './rotate-key.ts'

interface Key {
  readonly did: string
  readonly public_key: string
}

type ParentKey = Key & { readonly key_events: readonly KeyEvent[] }

export async function deriveIdentity(
  input: DeriveInput,
  context: OperationContext<'authority' | 'custody' | 'publishIdentity'>,
) {
  requireSense(input, context.now)
  const { caller } = context
  const { held } = await context.authority.ofCaller()
  const capabilities = capabilitiesFor(input.capabilities ?? [], ownedBy(held, context.now))
  const parent = await findParentKey(input, context)
  const parent_lineage = await findParentLineage(context)
  const depth = (parent_lineage?.length ?? caller.lineage_depth) + 1
  requireDepth(depth)
  const child = await makeChildKey(input, context)
  const facts: ChildFacts = {
    input,
    capabilities,
    parent_lineage: parent_lineage ?? [],
    is_anchored: parent_lineage !== undefined,
  }
  const warnings = parent_lineage ? [] : ['the parent’s lineage is unknown here, so the child has none']
  const { derived, created } = await keepChild(parent, child, facts, context)
  const { is_published, document } = await publishChild(input, derived, warnings, context)
  if (created)
    recordChild(
      document.capabilities.map(({ name }) => name),
      derived.statement,
      depth,
      context,
    )
  context.metadata.published = is_published
  context.afterCommit(() => registerChild(input, derived.statement, document, context))
  const signed = isSignedDocument(document) ? document : undefined
  return {
    did: child.did,
    public_key: child.public_key,
    lineage_statement: derived.statement,
    document,
    ...(signed
      ? { document_hash: documentHash(signed) }
      : { document_signing_input: documentInput(document) }),
    lineage_depth: depth,
    created,
    published: is_published,
    warnings,
  }
}

/** The parent's key: in custody or, if the client signs, sent by it and certified by the DID. */
async function findParentKey(input: DeriveInput, context: OperationContext<'custody'>): Promise<ParentKey> {
  const { did } = context.caller
  const public_key = (await context.custody.publicKeyOf(did)) ?? input.parent_public_key
  if (public_key === undefined) throw notInCustody(did)
  const key_events = await keyEventsOf(context.db, did)
  const current = key_events.at(-1)?.public_key
  if (current === undefined ? isKeyOf(did, public_key) : current === public_key)
    return { did, public_key, key_events }
  context.alarm('public key does not match DID', { parent_did: did })
  throw refuse('policy_denied', `The parent_public_key is not the key of ${did}; send the right one.`, {
    reason: 'public key does not match DID',
  })
}

function notInCustody(did: string): Refusal {
  return refuse(
    'policy_denied',
    `The engine has no key of ${did}, so it cannot derive from it; use custody "client" with parent_public_key and signature.`,
    { reason: 'parent key not in custody' },
  )
}

/** From the parent to its root, verified: empty for a root, undefined if no valid lineage is known. */
async function findParentLineage(context: OperationContext): Promise<LineageStatement[] | undefined> {
  const { caller, now } = context
  if (isRootKind(caller.entity_kind)) return []
  const holds = (chain: readonly LineageStatement[]) => verifyLineage(caller.did, chain, { now }).verified
  const lineages = await lineageOf(context.db, caller.did)
  if (holds(lineages)) return lineages
  try {
    const answer = (await context.call('OAS', 'resolve', { did: caller.did })) as {
      document?: IdentityDocument
    }
    const published = answer.document?.lineage ?? []
    return holds(published) ? published : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

async function makeChildKey(input: DeriveInput, context: OperationContext<'custody'>): Promise<Key> {
  const { did } = context.caller
  if (input.custody !== 'client') {
    const { entity_kind, label, index = 0 } = input
    const made = await context.custody.derive(did, { entity_kind, label, index })
    if (!made) throw notInCustody(did)
    return made
  }
  const public_key = input.child_public_key!
  // Another encoding of the same bytes would be a different text under the same DID.
  const child_did = childDid(parseDid(did)!.namespace, input.entity_kind, public_key)
  if (isKeyOf(child_did, public_key) && child_did !== did) return { did: child_did, public_key }
  throw refuse(
    'invalid_payload',
    'The child_public_key must be an Ed25519 key in base64url, not the parent’s.',
    {
      reason: 'invalid derivation',
      faults: [{ pointer: '/child_public_key', message: 'is not a valid key for a child' }],
    },
  )
}

async function keepChild(
  parent: ParentKey,
  child: Key,
  facts: ChildFacts,
  context: OperationContext<'custody'>,
) {
  const { input, parent_lineage } = facts
  const asked_digest = askedDigest(parent.did, input)
  const existing = await lockDerived(context.db, child.did, parent.did)
  if (existing) return { derived: requireSame(existing, asked_digest), created: false }
  const expires_at = endOf(input.expires_at, parent_lineage)
  const unsigned = statementFor(parent, child, input, input.created_at ?? context.now, expires_at)
  const statement = await signStatement(unsigned, input, context)
  const document = documentFor(statement, facts)
  const is_kept = input.custody !== 'client'
  const signed = is_kept ? await context.custody.sign(child.did, documentInput(document)) : undefined
  // Whose key the engine keeps can change it from the first day.
  const key_events = is_kept ? await commitKept({ did: child.did, document }, context) : undefined
  const derived: Derived = {
    asked_digest,
    statement,
    document: signed ? { ...document, key_events: key_events!, proof: signed.signature } : document,
    is_published: false,
  }
  if (await insertDerived(context.db, context.tenant_id, derived)) {
    if (signed) await keepLineage(context.db, context.tenant_id, document.lineage)
    if (key_events) await keepKeyEvents(context.db, child.did, key_events)
    return { derived, created: true }
  }
  const other = (await lockDerived(context.db, child.did, parent.did))!
  return { derived: requireSame(other, asked_digest), created: false }
}

function requireSame(existing: Derived, asked_digest: string): Derived {
  if (existing.asked_digest === asked_digest) return existing
  throw refuse(
    'policy_denied',
    `${existing.statement.child_did} was already derived with other inputs; choose another label or index.`,
    { reason: 'already derived with other inputs' },
  )
}

async function signStatement(
  unsigned: UnsignedStatement,
  input: DeriveInput,
  context: OperationContext<'custody'>,
): Promise<LineageStatement> {
  const text = statementInput(unsigned)
  const signature = input.signature ?? (await context.custody.sign(unsigned.parent_did, text))?.signature
  if (signature === undefined) {
    throw refuse(
      'invalid_payload',
      `The parent must sign the statement: send created_at ${unsigned.created_at} and, as signature, its Ed25519 signature of these bytes: ${text}`,
      { reason: 'signature required', faults: [{ pointer: '/signature', message: text }] },
    )
  }
  if (isSignedBy(unsigned.parent_public_key, text, signature)) return { ...unsigned, signature }
  context.alarm('signature invalid', { parent_did: unsigned.parent_did, child_did: unsigned.child_did })
  throw refuse(
    'policy_denied',
    `The signature is not the parent’s signature of the statement with created_at ${unsigned.created_at}; sign it again.`,
    { reason: 'signature invalid' },
  )
}

/** A document is published once its subject has signed it. Until then each repeated call tries again. */
async function publishChild(
  { document_proof }: DeriveInput,
  derived: Derived,
  warnings: string[],
  context: OperationContext<'publishIdentity'>,
): Promise<Derived> {
  const document = withProof(derived, document_proof, context)
  if (!isSignedDocument(document)) {
    warnings.push(
      'the document is not published: sign document_signing_input with the child’s key and call again with document_proof',
    )
    return derived
  }
  if (derived.is_published) return derived
  if (document_proof) await keepLineage(context.db, context.tenant_id, document.lineage)
  const why_not = await context.publishIdentity(document)
  if (why_not !== undefined) warnings.push(`the document is not published: ${why_not}`)
  const now = { ...derived, document, is_published: why_not === undefined }
  await updateDerived(context.db, now)
  return now
}

function withProof({ document }: Derived, proof: string | undefined, context: OperationContext) {
  if (proof === undefined || isSignedDocument(document)) return document
  if (isSignedBy(document.public_key, documentInput(document), proof)) return { ...document, proof }
  context.alarm('signature invalid', { child_did: document.id })
  throw refuse(
    'policy_denied',
    'The document_proof is not the child’s signature of document_signing_input; sign that text, byte for byte.',
    { reason: 'signature invalid' },
  )
}

function recordChild(
  capabilities: readonly string[],
  { child_did, parent_did, entity_kind, label, index }: LineageStatement,
  lineage_depth: number,
  context: OperationContext,
): void {
  context.audit('IdentityDerived', { child_did, parent_did, entity_kind, label, index, lineage_depth })
  for (const capability of capabilities)
    context.audit('CapabilityGrant', { from: parent_did, to: child_did, capability, by: 'derive' })
}

/** Runs after the commit, because the registry looks up the child. A failure only adds a warning. */
async function registerChild(
  input: DeriveInput,
  { child_did }: LineageStatement,
  document: Derived['document'],
  context: OperationContext,
): Promise<void> {
  try {
    await context.call('MARS', 'register_agent', {
      agent_did: child_did,
      name: input.name ?? input.label,
      entity_kind: input.entity_kind,
      capabilities: document.capabilities.map(({ name }) => name),
      service_endpoints: document.service_endpoints,
      visibility: 'tenant',
    })
    context.metadata.registered = true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    context.metadata.registered = false
    context.metadata.not_registered_because = error.details.reason ?? error.code
  }
}
