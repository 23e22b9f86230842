// An organization's text content: memories, facts, claims, findings. Each is sealed with its own key,
// versioned and addressed by a reference; redacted content stays as an empty version.
import { createHash } from 'node:crypto'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Fragment, sql } from '@svc/database/sql'
import { type Indexing, indexRows, withdrawFromIndex } from './content-index.ts'
import type { Triple } from './knowledge-triple.ts'
import type { Readers } from './readers.ts'

export type ContentStatus = 'current' | 'superseded' | 'redacted'

/** The sealed part: the content and its index terms, so that a lost index can be rebuilt. */
export interface Sealed {
  readonly body: unknown
  readonly index?: Indexing
  /** Why this version replaced the previous one. */
  readonly reason?: string | undefined
  /** The triples it states, including already known ones. */
  readonly triples?: readonly Triple[] | undefined
}

export interface NewContent extends Sealed {
  readonly ref: string
  /** `episodic`, `claim`, `snapshot`, …: used to filter lists and searches. */
  readonly kind: string
  readonly subject_did?: string | undefined
  readonly valid_from?: string | undefined
  /** Who may read it; undefined or null: the whole tenant. */
  readonly readers?: Readers | undefined
}

export interface StoredContent {
  readonly ref: string
  readonly version: number
  readonly kind: string
  readonly status: ContentStatus
  readonly author_did: string
  readonly subject_did: string | null
  readonly readers: Readers
  readonly commitment: string
  readonly correlation_id: string
  readonly record_id: string
  readonly valid_from: Date
  readonly recorded_at: Date
  readonly superseded_at: Date | null
  /** Undefined if it was redacted. */
  readonly body: unknown
  readonly index: Indexing | undefined
  readonly reason: string | undefined
  readonly triples: readonly Triple[] | undefined
}

export interface ContentRow extends Omit<StoredContent, 'body' | 'index' | 'reason' | 'triples'> {
  readonly sealed: Buffer
  readonly wrapped_key: Buffer | null
}

type Keeping = Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>

const looks_max = 8

/** The columns `openRow` needs, from content joined with content_key. */
export const content_columns =
  sql.raw(`content.ref, content.version, content.kind, content.status, content.author_did,
  content.subject_did, content.readers, content.commitment, content.correlation_id, content.record_id, content.valid_from,
  content.recorded_at, content.superseded_at, content.sealed, content_key.wrapped_key`)

/** With a content-addressed reference, equal content is stored once: `created` is then false. */
export async function keepContent(
  context: OperationContext<'embedder' | 'vault'>,
  content: NewContent,
): Promise<{ created: boolean; commitment: string }> {
  const { commitment, created } = await insertVersion(context, content, 1)
  if (created) return { created, commitment }
  const existing = await readContent(context, content.ref)
  return { created, commitment: existing!.commitment }
}

/** Many new contents that are not searchable, in one round trip. */
export async function keepUnindexed(
  context: OperationContext<'vault'>,
  contents: readonly Omit<NewContent, 'index' | 'valid_from' | 'readers'>[],
): Promise<void> {
  if (contents.length === 0) return
  const { tenant_id, now, record_id, caller, invoke } = context
  const boxes = contents.map((content) => ({ ...content, ...sealVersion(context, content, 1) }))
  await sql`
    WITH given AS (
      SELECT * FROM unnest(${boxes.map(({ ref }) => ref)}::text[], ${boxes.map(({ kind }) => kind)}::text[],
        ${boxes.map(({ subject_did }) => subject_did ?? null)}::text[],
        ${boxes.map(({ commitment }) => commitment)}::text[], ${boxes.map(({ sealed }) => sealed)}::bytea[],
        ${boxes.map(({ wrapped_key }) => wrapped_key)}::bytea[], ${boxes.map(({ salt }) => salt)}::bytea[])
        AS given(ref, kind, subject_did, commitment, sealed, wrapped_key, salt)),
    kept AS (
      INSERT INTO content (tenant_id, ref, version, kind, status, author_did, subject_did, commitment, sealed,
        correlation_id, record_id, valid_from, recorded_at)
      SELECT ${tenant_id}, ref, 1, kind, 'current', ${caller.did}, subject_did, commitment, sealed,
        ${invoke.correlation_id}::uuid, ${record_id}, ${now}::timestamptz, ${now}::timestamptz
      FROM given)
    INSERT INTO content_key (tenant_id, ref, version, wrapped_key, salt)
    SELECT ${tenant_id}, ref, 1, wrapped_key, salt FROM given`.execute(context.db)
}

export interface InsertedVersion {
  readonly created: boolean
  readonly commitment: string
  readonly ref: string
  /** Whether its vector is already computed. */
  readonly embedded: boolean
}

/** One statement with the caller's own rows: `gate` writes those and returns the reference. */
export async function keepContentOf(
  context: OperationContext<'embedder' | 'vault'>,
  content: NewContent,
  gate: Fragment<{ ref: string }>,
): Promise<InsertedVersion> {
  return await insertVersion(context, content, 1, gate)
}

/** The newest or the requested version; undefined if this tenant has none. Redacted ones have no body. */
export async function readContent(
  context: Keeping,
  ref: string,
  at: { readonly version?: number; readonly known_at?: string } = {},
): Promise<StoredContent | undefined> {
  const fragment =
    at.version !== undefined
      ? sql`content.version = ${at.version}`
      : at.known_at !== undefined
        ? sql`content.recorded_at <= ${at.known_at}
            AND (content.superseded_at IS NULL OR content.superseded_at > ${at.known_at})`
        : sql`content.superseded_at IS NULL`
  const row = await sql<ContentRow>`
    SELECT ${content_columns} FROM content JOIN content_key USING (tenant_id, ref, version)
    WHERE tenant_id = ${context.tenant_id} AND ref = ${ref} AND ${fragment}`.first(context.db)
  return row && openRow(context, row)
}

/** Who wrote the newest version of each; missing ones are omitted. Opens nothing. */
export async function authorsOf(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  refs: readonly string[],
): Promise<Map<string, string>> {
  if (refs.length === 0) return new Map()
  const rows = await sql<{ ref: string; author_did: string }>`
    SELECT ref, author_did FROM content
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs}) AND superseded_at IS NULL`.all(db)
  return new Map(rows.map(({ ref, author_did }) => [ref, author_did]))
}

/** Newest versions by reference; missing ones are omitted. */
export async function readContents(
  context: Keeping,
  refs: readonly string[],
): Promise<Map<string, StoredContent>> {
  const rows = await sql<ContentRow>`
    SELECT ${content_columns} FROM content JOIN content_key USING (tenant_id, ref, version)
    WHERE tenant_id = ${context.tenant_id} AND ref = ANY(${refs}) AND content.superseded_at IS NULL
  `.all(context.db)
  return new Map(rows.map((row) => [row.ref, openRow(context, row)]))
}

export interface Replacement extends Sealed {
  readonly ref: string
  readonly expected_version: number
  readonly valid_from?: string | undefined
}

/** Adds the next version; the previous one stays readable. Refused on a concurrent change. */
export async function replaceContent(
  context: OperationContext<'embedder' | 'vault'>,
  { ref, expected_version, valid_from, ...next }: Replacement,
): Promise<{ version: number; commitment: string }> {
  const newest = await lockNewest(context, ref)
  if (!newest) throw notFound('content', ref)
  if (newest.status === 'redacted')
    throw refuse('policy_denied', `${ref} was redacted; it has no content to change.`, {
      reason: 'content is redacted; a change needs current content',
    })
  if (newest.version !== expected_version) {
    throw refuse(
      'invalid_payload',
      `${ref} is at version ${newest.version}, not ${expected_version}; read the current version and repeat the change.`,
      { reason: 'version_conflict' },
    )
  }
  await sql`UPDATE content SET status = 'superseded', superseded_at = ${context.now}
    WHERE tenant_id = ${context.tenant_id} AND ref = ${ref} AND version = ${newest.version}`.execute(
    context.db,
  )
  const { kind, subject_did, readers } = newest
  const version = newest.version + 1
  const content = { ref, kind, subject_did: subject_did ?? undefined, valid_from, readers, ...next }
  const { commitment } = await insertVersion(context, content, version)
  if (!next.index) await withdrawFromIndex(context, [ref])
  return { version, commitment }
}

type Newest = Pick<ContentRow, 'kind' | 'status' | 'subject_did' | 'readers' | 'version'>

/** After waiting for a concurrent change, the locked row is superseded and the next must be read. */
async function lockNewest(
  { db, tenant_id }: Pick<Keeping, 'db' | 'tenant_id'>,
  ref: string,
): Promise<Newest | undefined> {
  for (let look = 0; look < looks_max; look++) {
    const row = await sql<Newest>`
      SELECT kind, status, subject_did, readers, version FROM content
      WHERE tenant_id = ${tenant_id} AND ref = ${ref} AND superseded_at IS NULL FOR UPDATE`.first(db)
    if (row) return row
  }
  return undefined
}

/** Box, key and index row in one round trip. Not created if this version exists or the gate names another. */
async function insertVersion(
  context: OperationContext<'embedder' | 'vault'>,
  content: NewContent,
  version: number,
  gate: Fragment<{ ref: string }> = sql`SELECT ${content.ref}::text AS ref`,
): Promise<InsertedVersion> {
  const { ref, kind, body, index, subject_did, valid_from, readers = null } = content
  const { sealed, wrapped_key, salt, commitment } = sealVersion(context, content, version)
  const { tenant_id, now, record_id, caller, invoke } = context
  const indexed =
    index && (await indexRows(context, [{ ref, version, kind, body, index, readers }], sql`kept`))
  const row = await sql<{ created: boolean; ref: string }>`
    WITH gate AS (${gate}),
    kept AS (
      INSERT INTO content (tenant_id, ref, version, kind, status, author_did, subject_did, commitment, sealed,
        correlation_id, record_id, valid_from, recorded_at, readers)
      SELECT ${tenant_id}, ${ref}, ${version}::integer, ${kind}, 'current', ${caller.did}, ${subject_did ?? null}::text,
        ${commitment}, ${sealed}::bytea, ${invoke.correlation_id}::uuid, ${record_id},
        ${valid_from ?? now}::timestamptz, ${now}::timestamptz, ${readers}::text[]
      FROM gate WHERE gate.ref = ${ref}
      ON CONFLICT DO NOTHING RETURNING true AS done),
    ${indexed ? sql`indexed AS (${indexed.statement}),` : sql``}
    keyed AS (
      INSERT INTO content_key (tenant_id, ref, version, wrapped_key, salt)
      SELECT ${tenant_id}, ${ref}, ${version}::integer, ${wrapped_key}::bytea, ${salt}::bytea FROM kept)
    SELECT gate.ref, EXISTS (SELECT FROM kept) AS created FROM gate
  `.first(context.db)
  return { ...row!, commitment, embedded: indexed?.embedded ?? false }
}

function sealVersion(
  { vault }: Pick<Keeping, 'vault'>,
  { ref, body, index, reason, triples }: Pick<NewContent, 'ref' | keyof Sealed>,
  version: number,
) {
  // Canonical JSON of a large body is expensive: computed once, for the box and the commitment.
  const body_text = canonicalJson(body)
  const rest = canonicalJson({ index, reason, triples })
  const text = `{"body":${body_text}${rest === '{}' ? '' : ','}${rest.slice(1)}`
  const salt = vault.salt()
  return { ...vault.seal(boxName(ref, version), text), salt, commitment: commitToText(salt, body_text) }
}

/** sha256(salt || canonical JSON), in hex. */
export function commitTo(salt: Uint8Array, body: unknown): string {
  return commitToText(salt, canonicalJson(body))
}

function commitToText(salt: Uint8Array, text: string): string {
  return createHash('sha256').update(salt).update(text).digest('hex')
}

const nothing = { body: undefined, index: undefined, reason: undefined, triples: undefined }

/** Decrypts a row of content and its key. */
export function openRow(
  { vault }: Pick<Keeping, 'vault'>,
  { sealed, wrapped_key, ...row }: ContentRow,
): StoredContent {
  if (!wrapped_key) return { ...row, status: 'redacted', ...nothing }
  const text = vault.open(boxName(row.ref, row.version), { sealed, wrapped_key }).toString('utf8')
  const { body, index, reason, triples }: Sealed = JSON.parse(text)
  return { ...row, body, index, reason, triples }
}

function boxName(ref: string, version: number): string {
  return `content ${ref} v${version}`
}
