// Creates identities for an operator: a key in custody or handed over, a lineage signed by the parent, a published document.
import { randomBytes } from 'node:crypto'
import { keepSeed, openKeystore } from '@svc/adapters/custody/keystore'
import { type ExternalClient, externalClient } from '@svc/adapters/endpoint/external-client'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { AgentCapability } from '@svc/contract/authority/capability'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { isRootKind } from '@svc/contract/identity/identity'
import {
  documentInput,
  type IdentityDocument,
  type SignedSection,
  sectionInput,
  type UnsignedDocument,
} from '@svc/contract/identity/identity-document'
import {
  childDid,
  type LineageStatement,
  statementInput,
  type UnsignedStatement,
} from '@svc/contract/identity/lineage'
import type { Custody } from '@svc/contract/needs/custody'
import { privateKeyOf, publicKeyOf, type SigningKey, signText } from '@svc/contract/signing/signature'
import type { Clock } from '@svc/engine/ports'
import { openOasNode } from '@svc/nodes/oas-node'
import { ConfigError } from '../settings/config-error.ts'

/** Asks the identity node: the external one, or the bundled one, whose tables are in our database. */
export type AskNode = (operation: 'resolve' | 'publish', payload: object) => Promise<unknown>

export interface IdentityHome {
  readonly db: Database
  readonly root_keys: RootKeys
  readonly clock: Clock
  readonly askNode: AskNode
}

export interface WantedIdentity {
  readonly tenant_id: string
  /** As in documents: HumanRoot, Agent, … */
  readonly entity_kind: string
  readonly custody: 'engine' | 'client'
  readonly name?: string
  readonly capabilities?: readonly AgentCapability[]
  /** Required unless the kind is a root; its key must be in custody. */
  readonly parent_did?: string
  /** Distinguishes siblings: the same parent and label give the same identity. */
  readonly label?: string
}

const name_chars_max = 128

export interface MadeIdentity {
  readonly did: string
  readonly public_key: string
  /** Only with client custody: shown once and not stored. */
  readonly private_key?: string
}

/** Atomic if `home.db` is a transaction: `keep` writes the related rows; the document is published last. */
export async function makeIdentity(
  home: IdentityHome,
  identity: WantedIdentity,
  keep: (did: string) => Promise<void> = async () => {},
): Promise<MadeIdentity> {
  const custody = openKeystore(home.root_keys).open(identity.tenant_id, home.db)
  const is_root = isRootKind(identity.entity_kind)
  if (!is_root && identity.parent_did === undefined)
    throw new ConfigError(`A ${identity.entity_kind} needs a parent; name it with --parent.`)
  const label = identity.label ?? home.clock.uuid()
  const key = await makeKey(home, custody, identity, label)
  const lineage = is_root ? [] : await descend(home, custody, identity, key, label)
  await keep(key.did)
  const document = await findDocument(home.askNode, key.did)
  if (!document) await publish(home, custody, key, documentOf(home, identity, key, lineage))
  const { did, public_key, seed } = key
  return seed ? { did, public_key, private_key: seed.toString('base64url') } : { did, public_key }
}

/** The operator attests an identity whose key the engine keeps, as level L2 requires. */
export async function attestIdentity(
  { db, root_keys, clock, askNode }: IdentityHome,
  issuer: SigningKey,
  did: string,
): Promise<{ readonly did: string; readonly version: number }> {
  const document = await findDocument(askNode, did)
  if (!document) throw new ConfigError(`The identity node has no document of ${did}.`)
  const custody = openKeystore(root_keys).open(parseDid(did)!.namespace, db)
  const { proof: _, ...known } = document
  const { attestations = [], reputation = [] } = known.extended
  const next: UnsignedDocument = {
    ...known,
    extended: {
      ...known.extended,
      attestations: [...attestations, vouch(issuer, did, { statement: 'known to the operator' }, clock)],
      reputation: [...reputation, vouch(issuer, did, { standing: 'good' }, clock)],
    },
    version: known.version + 1,
    updated_at: momentOf(clock),
  }
  const signed = await custody.sign(did, documentInput(next))
  if (!signed)
    throw new ConfigError(
      `The engine keeps no key of ${did}; its owner adds attestations to its document and publishes it itself.`,
    )
  await askNode('publish', { document: { ...next, proof: signed.signature } })
  return { did, version: next.version }
}

function vouch(
  { did: issuer_did, public_key: issuer_public_key, private_key }: SigningKey,
  subject_did: string,
  body: Record<string, unknown>,
  clock: Clock,
): SignedSection {
  const section = { issuer_did, issuer_public_key, body, issued_at: momentOf(clock) }
  return { ...section, signature: signText(private_key, sectionInput(section, subject_did)) }
}

interface NewKey {
  readonly did: string
  readonly public_key: string
  /** Undefined if the engine keeps it. */
  readonly seed: Buffer | undefined
}

async function makeKey(
  home: IdentityHome,
  custody: Custody,
  { tenant_id, entity_kind, custody: keeper, parent_did }: WantedIdentity,
  label: string,
): Promise<NewKey> {
  if (keeper === 'engine' && parent_did !== undefined) {
    const child = await custody.derive(parent_did, { entity_kind, label, index: 0 })
    if (child) return { ...child, seed: undefined }
    throw notKept(parent_did)
  }
  const seed = randomBytes(32)
  const public_key = publicKeyOf(privateKeyOf(seed))
  const did = childDid(tenant_id, entity_kind, public_key)
  if (keeper === 'client') return { did, public_key, seed }
  await keepSeed(home.db, home.root_keys, tenant_id, did, seed)
  return { did, public_key, seed: undefined }
}

async function descend(
  home: IdentityHome,
  custody: Custody,
  { entity_kind, parent_did }: WantedIdentity,
  child: NewKey,
  label: string,
): Promise<readonly LineageStatement[]> {
  const parent = parent_did!
  const parent_public_key = await custody.publicKeyOf(parent)
  if (parent_public_key === undefined) throw notKept(parent)
  const statement: UnsignedStatement = {
    child_did: child.did,
    child_public_key: child.public_key,
    parent_did: parent,
    parent_public_key,
    entity_kind,
    label,
    index: 0,
    created_at: momentOf(home.clock),
  }
  const signed = await custody.sign(parent, statementInput(statement))
  const above = (await findDocument(home.askNode, parent))?.lineage ?? []
  return [{ ...statement, signature: signed!.signature }, ...above]
}

function documentOf(
  { clock }: IdentityHome,
  { entity_kind, name, capabilities = [], parent_did }: WantedIdentity,
  { did, public_key }: NewKey,
  lineage: readonly LineageStatement[],
): UnsignedDocument {
  return {
    id: did,
    entity_kind,
    ...(name === undefined ? {} : { name: name.slice(0, name_chars_max) }),
    public_key,
    ...(parent_did === undefined ? {} : { creator_did: parent_did }),
    lineage: [...lineage],
    capabilities: [...capabilities],
    service_endpoints: [],
    revoked: false,
    extended: {},
    version: 1,
    updated_at: momentOf(clock),
  }
}

async function publish(
  { askNode }: IdentityHome,
  custody: Custody,
  { did, seed }: NewKey,
  document: UnsignedDocument,
): Promise<void> {
  const text = documentInput(document)
  const proof = seed ? signText(privateKeyOf(seed), text) : (await custody.sign(did, text))!.signature
  await askNode('publish', { document: { ...document, proof } })
}

export async function findDocument(askNode: AskNode, did: string): Promise<IdentityDocument | undefined> {
  const { document } = (await askNode('resolve', { did })) as { document: IdentityDocument | null }
  return document ?? undefined
}

function notKept(parent_did: string): ConfigError {
  return new ConfigError(
    `The engine keeps no key of ${parent_did}, so nothing can descend from it here; its owner derives with MACS derive.`,
  )
}

/** The bundled node without its HTTP endpoint: access to the database is enough authority. */
export function askBundledNode(db: Database, clock: Clock): AskNode {
  const { operations } = openOasNode(db)
  return (operation, payload) => operations[operation]!.handle(payload as never, contextOf(clock, 'operator'))
}

/** The external node, authenticated with did-auth as this engine. */
export function askNodeAt(url: string, signer: SigningKey | undefined, clock: Clock): AskNode {
  const client = externalClient({ protocol: 'OAS', url, timeout_ms: node_ms_max, signer }, clock)
  return askThrough(client, signer?.did ?? 'operator', clock)
}

const node_ms_max = 5_000

export function askThrough(client: ExternalClient, agent_did: string, clock: Clock): AskNode {
  return (operation, payload) => client.invoke(operation, payload, contextOf(clock, agent_did))
}

function contextOf(clock: Clock, agent_did: string) {
  const timestamp = momentOf(clock)
  return { correlation_id: clock.uuid(), tenant_id: 'operator', agent_did, timestamp, metadata: {} }
}

function momentOf(clock: Clock): string {
  return new Date(clock.now_ms()).toISOString()
}
