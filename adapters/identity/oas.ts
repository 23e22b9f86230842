// Resolves a DID: its document from the identity node, its descent proved offline, revocations above both. Every
// signature is verified.
import { parseDid } from '@svc/contract/identity/did'
import { type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import {
  type IdentityDocument,
  identityOf,
  type SignedSection,
} from '@svc/contract/identity/identity-document'
import type { KeyEvent } from '@svc/contract/identity/key-events'
import { type LineageStatement, type LineageVerdict, verifyLineage } from '@svc/contract/identity/lineage'
import { readDocument } from '@svc/contract/identity/received-document'
import type { InvokeContext } from '@svc/contract/invoke-context'
import type { Resolution } from '@svc/engine/known'
import { type Recent, recent } from '@svc/engine/limits/recent'
import type { Clock, IdentityResolver, Log } from '@svc/engine/ports'
import type { Ended } from '../access/revocations.ts'
import { lookup_ms_max, within } from '../clock/within.ts'
import type { ExternalClient } from '../endpoint/external-client.ts'
import { node_wait_ms_max, nodeWatch } from '../endpoint/node-watch.ts'
import { type Documents, document_cached_ms, documentsOf, type Read, unknown_cached_ms } from './documents.ts'

const identities_cached_max = 10_000
const lookups_max = 1_000
/** How long a failed lookup is not repeated. */
const outage_ms = 500

export interface OasOptions {
  readonly client: ExternalClient | undefined
  readonly clock: Clock
  readonly log: Log
  /** The identity that the engine asks as. */
  readonly own: { readonly tenant_id: string; readonly did: string }
  /** Whose attestations count for a subject of this tenant. */
  isTrustedIssuer(issuer_did: string, tenant_id: string): boolean | Promise<boolean>
  revocations(dids: readonly string[]): Promise<ReadonlyMap<string, Ended>>
  /** Follows the keys of an identity that has changed them. False where its document tells of others than were seen first. */
  learnKeys(did: string, events: readonly KeyEvent[]): Promise<boolean>
  /** Statements stored here, for documents without valid ones. */
  lineageOf(did: string): Promise<readonly LineageStatement[]>
  /** True while probes report the node as away: then nobody waits for it. */
  isAway?(): boolean
}

export interface OasResolver extends IdentityResolver {
  forgetAll(): void
  /** Changes may have been missed: everything is read again; the last answer is used only while our own tables are away. */
  doubtAll(): void
  /** The node for the handlers of OAS, with the same cache. */
  readonly client: ExternalClient | undefined
}

interface Cached {
  readonly resolution: Resolution
  readonly until_ms: number
}

export function oasResolver(options: OasOptions): OasResolver {
  const { client, clock, log } = options
  const documents = client && documentsOf(client, clock, () => ownContext(options))
  const read = documentReader(documents, options)
  let cache = recent<Cached>(identities_cached_max)
  let doubted: Recent<Cached> | undefined
  let loading = new Map<string, Promise<Resolution>>()
  const load = async (did: string) => {
    const began_with = cache
    const result = await within(lookup_ms_max, resolve(did, options, read)).catch((error) => {
      log.warn({ err: error, did }, 'revocations cannot be read; an identity known a minute ago is good')
      return lastOf(doubted?.get(did), clock)
    })
    // A revocation received during the lookup may be newer than its result.
    if (cache === began_with) cache.set(did, result)
    return result.resolution
  }
  const forget = () => {
    documents?.forgetAll()
    cache = recent<Cached>(identities_cached_max)
    loading = new Map()
  }
  return {
    client: documents && forgetting(documents.client, (did) => cache.delete(did)),
    resolve(did) {
      const cached = cache.get(did)
      if (cached && cached.until_ms > clock.monotonic_ms()) return cached.resolution
      const under_way = loading.get(did)
      if (under_way) return under_way
      if (loading.size >= lookups_max) return unavailable('too many lookups', 'revocation', clock).resolution
      const these = loading
      const began = load(did).finally(() => these.delete(did))
      these.set(did, began)
      return began
    },
    forgetAll() {
      doubted = undefined
      forget()
    },
    doubtAll() {
      // Called repeatedly during an outage: what was known before it stays.
      if (cache.size > 0) doubted = cache
      forget()
    },
  }
}

/** A document published through this engine is visible at once. */
function forgetting(client: ExternalClient, forget: (did: string) => void): ExternalClient {
  return {
    ...client,
    async invoke(operation, payload, context, signal) {
      const answer = await client.invoke(operation, payload, context, signal)
      if (operation === 'publish') forget((payload as { document: IdentityDocument }).document.id)
      return answer
    },
  }
}

/** During an outage of our own tables, identities known within the minute stay known. */
function lastOf(last: Cached | undefined, clock: Clock): Cached {
  const now_ms = clock.monotonic_ms()
  if (!last || last.until_ms <= now_ms)
    return unavailable('the identity could not be looked up', 'revocation', clock)
  return { ...last, until_ms: Math.min(last.until_ms, now_ms + outage_ms) }
}

async function resolve(did: string, options: OasOptions, readFrom: ReadFrom): Promise<Cached> {
  const { clock } = options
  const [read, stored] = await Promise.all([readFrom(did), options.lineageOf(did)])
  const document = 'missing' in read ? read.missing : readDocument(read.document, did)
  if (typeof document === 'string') {
    const revoked = await options.revocations([did])
    if (!revoked.has(did))
      return 'could_not_ask' in read ? unavailable(document, 'document', clock) : failed(document, clock)
    const identity = endedAs(unresolved(did), revoked.get(did))
    return {
      resolution: { outcome: 'Resolved', identity },
      until_ms: clock.monotonic_ms() + document_cached_ms,
    }
  }
  if (document.key_events && !(await options.learnKeys(did, document.key_events)))
    return failed('its document tells of other keys than were seen first', clock)
  const revoked = await options.revocations(membersOf(document, stored))
  const ended = new Set(revoked.keys())
  const first = judge(document, stored, ended, clock)
  const ancestors = await readAncestors(first, readFrom)
  if ('could_not_ask' in ancestors) return unavailable('an ancestor could not be read', 'document', clock)
  const verdict =
    ancestors.revoked.length === 0
      ? first
      : judge(document, stored, new Set([...ended, ...ancestors.revoked]), clock)
  const identity = await identify(document, verdict, revoked.get(did), options)
  const until_ms = Math.min((read as Read).until_ms, ancestors.until_ms, soonestEnd(document, stored, clock))
  return { resolution: asResolution(identity, verdict), until_ms }
}

/** Why there is no document, and whether the node itself said so. */
interface Missing {
  readonly missing: string
  readonly could_not_ask?: true
}

type ReadFrom = (did: string) => Promise<Read | Missing>

/** The node's answer, or why there is none. */
function documentReader(documents: Documents | undefined, options: OasOptions): ReadFrom {
  const { isAway, log } = options
  const away: Missing = { missing: 'the identity node is away', could_not_ask: true }
  const node = nodeWatch('OAS', log)
  return async (did) => {
    if (!documents) return { missing: 'no identity node is bound' }
    if (isAway?.()) return away
    const cached = documents.cached(did)
    if (!cached && node.is_away && node.is_asked) return away
    try {
      const askNode = () => node.ask(() => documents.read(did))
      const read = cached ?? (await within(node_wait_ms_max, askNode()))
      return read.document === null ? { missing: 'the identity node has no document of it' } : read
    } catch {
      return { missing: 'the identity node gave no document', could_not_ask: true }
    }
  }
}

function membersOf(document: IdentityDocument, stored: readonly LineageStatement[]): string[] {
  return [document.id, ...[...document.lineage, ...stored].map(({ parent_did }) => parent_did)]
}

/** Proven ancestors that revoked themselves in their documents; those without a document did not. */
async function readAncestors(
  { verified, chain }: LineageVerdict,
  readFrom: ReadFrom,
): Promise<{ readonly revoked: readonly string[]; readonly until_ms: number } | { could_not_ask: true }> {
  const dids = verified ? chain.slice(1) : []
  const reads = await Promise.all(dids.map(readFrom))
  if (reads.some((read) => 'could_not_ask' in read)) return { could_not_ask: true }
  const documents = reads.map((read, place) =>
    'missing' in read ? '' : readDocument(read.document, dids[place]!),
  )
  return {
    revoked: documents.flatMap((document) =>
      typeof document === 'object' && document.revoked ? [document.id] : [],
    ),
    until_ms: Math.min(...reads.map((read) => ('missing' in read ? Infinity : read.until_ms))),
  }
}

/** The lineage of the document, else the one stored here: the first valid one. */
function judge(
  document: IdentityDocument,
  stored: readonly LineageStatement[],
  revoked: ReadonlySet<string>,
  clock: Clock,
): LineageVerdict {
  const facts = {
    now: new Date(clock.now_ms()).toISOString(),
    isRevoked: (did: string) => revoked.has(did),
  }
  const own = verifyLineage(document.id, document.lineage, facts)
  if (own.verified || stored.length === 0) return own
  const of_stored = verifyLineage(document.id, stored, facts)
  return of_stored.verified || document.lineage.length === 0 ? of_stored : own
}

async function identify(
  document: IdentityDocument,
  verdict: LineageVerdict,
  ended: Ended | undefined,
  { clock, isTrustedIssuer }: OasOptions,
): Promise<ResolvedAgentIdentity> {
  const tenant_id = parseDid(document.id)!.namespace
  const issuers = [...new Set(sectionsOf(document).map(({ issuer_did }) => issuer_did))]
  const judged = await Promise.all(issuers.map((issuer) => isTrustedIssuer(issuer, tenant_id)))
  const trusted = new Set(issuers.filter((_, i) => judged[i]))
  const identity = identityOf(document, verdict, {
    now: new Date(clock.now_ms()).toISOString(),
    isTrustedIssuer: (issuer_did) => trusted.has(issuer_did),
  })
  return endedAs(identity, ended)
}

/** Whoever is suspended may do as little as whoever is revoked. */
function endedAs(identity: ResolvedAgentIdentity, ended: Ended | undefined): ResolvedAgentIdentity {
  if (!ended) return identity
  return { ...identity, revoked: true, capabilities: [], ...(ended === 'suspended' && { suspended: true }) }
}

function asResolution(identity: ResolvedAgentIdentity, verdict: LineageVerdict): Resolution {
  if (verdict.verified || identity.revoked) return { outcome: 'Resolved', identity, lineage: verdict }
  const warning = `lineage broken at depth ${verdict.broken_at}: ${verdict.reason}`
  return { outcome: 'Partial', identity, lineage: verdict, warnings: [warning] }
}

function sectionsOf({ extended }: IdentityDocument): readonly SignedSection[] {
  return [...(extended.attestations ?? []), ...(extended.reputation ?? [])]
}

/** A statement or attestation that expires within the minute limits the cache time. */
function soonestEnd(document: IdentityDocument, stored: readonly LineageStatement[], clock: Clock): number {
  const now_ms = clock.now_ms()
  const ends_in_ms = [...document.lineage, ...stored, ...sectionsOf(document)]
    .map(({ expires_at }) => (expires_at === undefined ? Number.NaN : Date.parse(expires_at) - now_ms))
    .filter((in_ms) => in_ms > 0)
  return clock.monotonic_ms() + Math.min(document_cached_ms, ...ends_in_ms)
}

function unavailable(reason: string, unknown: 'document' | 'revocation', clock: Clock): Cached {
  const until_ms = clock.monotonic_ms() + outage_ms
  return { resolution: { outcome: 'Unavailable', reason, unknown }, until_ms }
}

function failed(reason: string, clock: Clock): Cached {
  return { resolution: { outcome: 'Failed', reason }, until_ms: clock.monotonic_ms() + unknown_cached_ms }
}

/** The engine asks as itself, for any caller. */
function ownContext({ clock, own }: OasOptions): InvokeContext {
  return {
    correlation_id: clock.uuid(),
    tenant_id: own.tenant_id,
    agent_did: own.did,
    timestamp: new Date(clock.now_ms()).toISOString(),
    metadata: {},
  }
}
