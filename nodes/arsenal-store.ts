import type { Database } from '@svc/contract/database'
import { listingInput, type SignedListing, type ToolDefinition } from '@svc/contract/foreign/tool'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { type Fragment, sql } from '@svc/database/sql'
import { versionKey } from './version-key.ts'

export interface ListFilter {
  readonly kind?: string
  readonly query?: string
  readonly tag?: string
  readonly publisher_did?: string
  readonly capability?: string
  readonly limit: number
  readonly cursor?: string
}

interface ListRow {
  readonly listing: string
  readonly name: string
  readonly version_key: string
  readonly id: string
}

/** By name, newest version first; the cursor is the last row's place, so new rows shift nothing. */
export async function listTools(db: Database, filter: ListFilter) {
  const rows = await sql<ListRow>`
    SELECT listing, name, version_key, id FROM arsenal_tools
    WHERE ${sql.join(conditionsOf(filter), sql` AND `)}
    ORDER BY name, version_key DESC, id LIMIT ${filter.limit + 1}`.all(db)
  const page = rows.slice(0, filter.limit)
  const last = rows.length > filter.limit ? page.at(-1) : undefined
  return {
    items: page.map(({ listing }): SignedListing => JSON.parse(listing)),
    ...(last ? { next_cursor: writeCursor(last) } : {}),
  }
}

function conditionsOf(filter: ListFilter): Fragment[] {
  const { kind, query, tag, publisher_did, capability, cursor } = filter
  const conditions = [sql`true`]
  if (kind) conditions.push(sql`kind = ${kind}`)
  if (query) conditions.push(sql`words @@ websearch_to_tsquery('english', ${query})`)
  if (tag) conditions.push(sql`tags @> ${[tag]}::text[]`)
  if (publisher_did) conditions.push(sql`publisher_did = ${publisher_did}`)
  if (capability) conditions.push(sql`required_capabilities @> ${[capability]}::text[]`)
  if (cursor) {
    const [name, version_key, id] = readCursor(cursor)
    conditions.push(sql`name >= ${name} AND (name > ${name} OR version_key < ${version_key}
      OR (version_key = ${version_key} AND id > ${id}))`)
  }
  return conditions
}

function writeCursor({ name, version_key, id }: ListRow): string {
  return Buffer.from(JSON.stringify([name, version_key, id])).toString('base64url')
}

function readCursor(cursor: string): [string, string, string] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    const is_place = Array.isArray(parts) && parts.length === 3
    if (is_place && parts.every((part) => typeof part === 'string' && !part.includes('\0')))
      return parts as [string, string, string]
  } catch {
    // Falls through: an unreadable cursor is not ours.
  }
  throw refuse('invalid_payload', 'The cursor is none that list gave; begin again without one.', {
    reason: 'cursor',
  })
}

export interface Wanted {
  readonly id: string
  /** An exact version, or a major for its newest release; the newest release of all if absent. */
  readonly version?: string
  readonly digest?: string
}

export async function findTool(
  db: Database,
  { id, version, digest }: Wanted,
): Promise<{ listing: SignedListing; definition: ToolDefinition } | undefined> {
  const conditions = [sql`id = ${id}`]
  if (version?.includes('.')) conditions.push(sql`version = ${version}`)
  else if (version) conditions.push(sql`version LIKE ${`${version}.%`}`)
  if (digest) conditions.push(sql`digest = ${digest}`)
  // A pre-release is found only by its exact version or its digest.
  else if (!version?.includes('.')) conditions.push(sql`position('-' in version) = 0`)
  const rows = await sql<{ listing: string; definition: string }>`
    SELECT listing, definition FROM arsenal_tools WHERE ${sql.join(conditions, sql` AND `)}
    ORDER BY version_key DESC LIMIT 1`.all(db)
  const [row] = rows
  return row && { listing: JSON.parse(row.listing), definition: JSON.parse(row.definition) }
}

/** The newest version below this one. */
export async function findPrevious(
  db: Database,
  { id, version }: SignedListing,
): Promise<SignedListing | undefined> {
  const row = await sql<{ listing: string }>`
    SELECT listing FROM arsenal_tools WHERE id = ${id} AND version_key < ${versionKey(version)}
    ORDER BY version_key DESC LIMIT 1`.first(db)
  return row && JSON.parse(row.listing)
}

/** In its own transaction. A version is published once; afterwards only its deprecation may change. */
export async function keepTool(db: Database, listing: SignedListing, definition: ToolDefinition) {
  const { id, version, publisher_did, digest } = listing
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`svc arsenal ${id}`}, 0))`.execute(db)
  await requireOwnId(db, id, publisher_did)
  const tool = await findTool(db, { id, version })
  if (tool) return changeDeprecation(db, tool.listing, listing)
  const words = [listing.name, listing.summary, ...listing.tags, definition.description].join(' ')
  await sql`
    INSERT INTO arsenal_tools (id, version, version_key, name, kind, publisher_did, digest,
      required_capabilities, tags, listing, definition, words)
    VALUES (${id}, ${version}, ${versionKey(version)}, ${listing.name}, ${listing.kind}, ${publisher_did}, ${digest},
      ${listing.required_capabilities}::text[], ${listing.tags}::text[], ${canonicalJson(listing)},
      ${canonicalJson(definition)}, to_tsvector('english', ${words}))`.execute(db)
  return { published: true, id, version, digest }
}

async function requireOwnId(db: Database, id: string, publisher_did: string): Promise<void> {
  const rows = await sql`
    SELECT FROM arsenal_tools WHERE id = ${id} AND publisher_did <> ${publisher_did} LIMIT 1`.all(db)
  if (rows.length === 0) return
  throw refuse('policy_denied', `${id} belongs to another publisher; choose an id of your own.`, {
    reason: 'id belongs to another publisher',
  })
}

async function changeDeprecation(db: Database, stored_listing: SignedListing, listing: SignedListing) {
  const { id, version, digest } = listing
  const lasting = (one: SignedListing) => contentHash(listingInput({ ...one, deprecated: false }))
  if (lasting(stored_listing) !== lasting(listing)) {
    throw refuse('policy_denied', `${id} ${version} is published already; give the change a new version.`, {
      reason: 'version already published',
    })
  }
  if (stored_listing.deprecated === listing.deprecated) return { published: false, id, version, digest }
  await sql`
    UPDATE arsenal_tools SET listing = ${canonicalJson(listing)}
    WHERE id = ${id} AND version = ${version}`.execute(db)
  return { published: true, id, version, digest }
}
