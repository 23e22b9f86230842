// Reads the registry: finds visible entries, fetches them under the same rule, and verifies their hashes.

import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import {
  type EntryBody,
  type EntryKind,
  type EntrySignature,
  intactBody,
  type Life,
  nameKey,
  type Position,
  tagTerm,
  termsCovering,
  type Visibility,
} from './entry.ts'

/** A page ends early rather than exceed this. */
const page_bytes_max = 4 * 1024 * 1024

export interface EntryFilter {
  readonly entry?: string
  readonly subject?: string
  readonly kind?: EntryKind
  readonly name_prefix?: string
  readonly tag?: string
  readonly tenant_id?: string
  /** Must be covered by an advertised capability. */
  readonly capability?: string
  /** Free text: matches any word, ranks by all. With a capability it only ranks. */
  readonly need?: string
  /** The versions wanted: current, in force or known at a time, alive at a time, or all. */
  readonly versions: 'current' | 'all' | { readonly [at in 'in_force_at' | 'known_at' | 'live_at']?: string }
  readonly own_only?: boolean
  readonly after?: Position
}

export interface EntryHealth {
  readonly healthy: boolean | null
  readonly health_bps: number | null
  readonly latency_p50_ms: number | null
}

interface EntryRow extends Life {
  readonly tenant_id: string
  readonly hash: string
  readonly kind: EntryKind
  readonly subject: string
  readonly version: number
  readonly previous: string | null
  readonly visibility: Visibility
  readonly signature: EntrySignature
  readonly registered_at: Date
  /** By url. */
  readonly health: Readonly<Record<string, EntryHealth>>
}

export interface FoundEntry extends EntryRow {
  readonly body: EntryBody
  readonly rank: number
}

export interface FoundPage {
  readonly entries: FoundEntry[]
  /** Set if more entries may follow. */
  readonly next?: Position
}

type Reader = Pick<OperationContext<'telemetry'>, 'db' | 'telemetry' | 'alarm'>

/** Oldest first, so that entries registered while paging come last. */
export async function findPage(context: Reader, filter: EntryFilter, limit: number): Promise<FoundPage> {
  const hits = await findHits(context.db, filter, limit + 1)
  const page = withinBytes(hits.slice(0, limit))
  const entries = await fetchIntact(context, page)
  const last = page.at(-1)
  if (!last || page.length === hits.length) return { entries }
  return { entries, next: { registered_at: last.registered_at.toISOString(), hash: last.hash } }
}

/** The best of the reader's own entries and the best of others', each up to the limit. */
export async function findCandidates(
  context: Reader,
  filter: EntryFilter,
  limit: number,
): Promise<FoundEntry[]> {
  return fetchIntact(context, await findHits(context.db, filter, limit))
}

interface Hit {
  readonly hash: string
  readonly registered_at: Date
  readonly bytes: number
  readonly rank: number
}

async function findHits(db: Database, filter: EntryFilter, found_max: number): Promise<Hit[]> {
  return sql<Hit>`
    SELECT hash, registered_at, bytes, rank
    FROM svc_find_entries(${JSON.stringify(askedOf(filter))}::jsonb, ${found_max})`.all(db)
}

/** The filter as the database function expects it: one condition per key present. */
function askedOf(filter: EntryFilter): Record<string, unknown> {
  const { entry, subject, kind, tenant_id, name_prefix, tag, capability, need, versions, after } = filter
  return {
    entry,
    subject,
    kind,
    tenant_id,
    need,
    name_prefix: name_prefix === undefined ? undefined : nameKey(name_prefix),
    tag: tag === undefined ? undefined : tagTerm(tag),
    any_term: capability === undefined ? undefined : termsCovering(capability),
    own_only: filter.own_only || undefined,
    after_at: after?.registered_at,
    after_hash: after?.hash,
    ...(versions === 'all' ? {} : versions === 'current' ? { current: true } : versions),
  }
}

function withinBytes(hits: readonly Hit[]): readonly Hit[] {
  let bytes = 0
  const fitting = hits.findIndex((hit, index) => {
    bytes += hit.bytes
    return bytes > page_bytes_max && index > 0
  })
  return fitting === -1 ? hits : hits.slice(0, fitting)
}

/** In the order of the hits. An entry that does not match its hash is omitted, alarmed and counted. */
async function fetchIntact(context: Reader, hits: readonly Hit[]): Promise<FoundEntry[]> {
  if (hits.length === 0) return []
  const rows = await fetchRows(
    context.db,
    hits.map(({ hash }) => hash),
  )
  const by_hash = new Map(rows.map((row) => [row.hash, row]))
  return hits.flatMap(({ hash, rank }) => {
    const row = by_hash.get(hash)
    if (!row) return []
    const body = intactBody(hash, row.body)
    if (body && isOf(body, row)) return [{ ...row, body, rank }]
    context.telemetry.count('svc_registry_hash_mismatch_total')
    context.alarm('registry entry altered', { entry: hash })
    return []
  })
}

/** The other columns are copies: if one differs from the body, the row was altered. */
function isOf(body: EntryBody, row: EntryRow): boolean {
  const columns = ['tenant_id', 'kind', 'subject', 'version', 'previous', 'visibility'] as const
  return columns.every((name) => body[name] === row[name])
}

async function fetchRows(
  db: Database,
  hashes: readonly string[],
): Promise<(EntryRow & { readonly body: string })[]> {
  return sql<EntryRow & { body: string }>`
    SELECT tenant_id, hash, kind, subject, version, previous, visibility, state, body, signature,
      registered_at, ended_at, expires_at, svc_health_of(hash) AS health
    FROM registry_entries WHERE hash = ANY(${hashes})
    UNION ALL SELECT * FROM svc_open_entries(${hashes})`.all(db)
}

/** Whether an agent of one of these organizations offers a capability to everybody. Runs as the engine. */
export async function isOffered(
  db: Database,
  tenant_ids: readonly string[],
  capability: string,
  now: Date,
): Promise<boolean> {
  return sql`
    SELECT FROM registry_entries WHERE tenant_id = ANY(${tenant_ids}) AND kind = 'agent' AND visibility = 'public'
      AND state = 'LIVE' AND ended_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
      AND terms && ${termsCovering(capability)}::text[] LIMIT 1`.exists(db)
}

export interface PublicEntry {
  readonly subject: string
  readonly tenant_id: string
  readonly version: number
  readonly registered_at: string
  readonly content: EntryBody['content']
}

/** An agent whose newest entry is visible to everybody. Runs as the engine: whoever asks is unknown. */
export async function findPublicAgent(db: Database, subject: string): Promise<PublicEntry | undefined> {
  const tenant_id = parseDid(subject)?.namespace
  if (tenant_id === undefined) return undefined
  const row = await sql<{ hash: string; body: string; version: number; registered_at: Date }>`
    SELECT hash, body, version, registered_at FROM registry_entries WHERE tenant_id = ${tenant_id} AND kind = 'agent'
      AND subject = ${subject} AND visibility = 'public' AND state = 'LIVE'
    ORDER BY version DESC LIMIT 1`.first(db)
  const body = row && intactBody(row.hash, row.body)
  if (!body) return undefined
  const { version, registered_at } = row
  return { subject, tenant_id, version, registered_at: registered_at.toISOString(), content: body.content }
}
