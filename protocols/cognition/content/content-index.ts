// The search index: words, structure and a vector, in an UNLOGGED table derived from the sealed content.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Fragment, sql } from '@svc/database/sql'
import type { Readers } from './readers.ts'

export interface Indexing {
  readonly namespace: string
  readonly text: string
  readonly vector: boolean
  /** Search filters: a later version that omits one inherits it. */
  readonly occurred_at?: string
  readonly importance?: number
  readonly active_until?: string
}

export interface Indexed {
  readonly ref: string
  readonly version: number
  readonly kind: string
  readonly body: unknown
  readonly index: Indexing
  readonly readers: Readers
}

type Searching = Pick<OperationContext<'embedder'>, 'db' | 'tenant_id' | 'embedder' | 'signal'>

/** Indexes the words and vector, replacing an earlier version. */
export async function indexContent(context: Searching, content: Indexed): Promise<void> {
  await indexContents(context, [content])
}

/** Indexes the words and vectors, replacing earlier versions. */
export async function indexContents(context: Searching, contents: readonly Indexed[]): Promise<void> {
  if (contents.length === 0) return
  const { statement } = await indexRows(context, contents)
  await statement.execute(context.db)
}

/** Rows stay as tombstones, so that every engine's copy learns of it. Returns how many were indexed. */
export async function withdrawFromIndex(
  { db, tenant_id }: Pick<Searching, 'db' | 'tenant_id'>,
  refs: readonly string[],
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE content_index SET present = false, text = NULL, lexemes = NULL, doc = NULL, embedding = NULL,
      embedder_id = NULL, revision = pg_current_xact_id()
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs}) AND present`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** An unavailable remote embedder does not fail the store: the vector is added later. */
async function embedOrWait(
  { embedder, signal }: Searching,
  texts: readonly string[],
): Promise<readonly (Int8Array | null)[]> {
  if (texts.length === 0) return []
  try {
    return await embedder.embed(texts, signal)
  } catch {
    signal.throwIfAborted()
    return texts.map(() => null)
  }
}

/** The statement as a part of another; it applies only if `only_if` has a row. */
export async function indexRows(
  context: Searching,
  contents: readonly Indexed[],
  only_if: Fragment = sql`(SELECT) AS always`,
): Promise<{ statement: Fragment; embedded: boolean }> {
  const { tenant_id, embedder } = context
  const meant = contents.filter(({ index }) => index.vector)
  const vectors = await embedOrWait(
    context,
    meant.map(({ index }) => index.text),
  )
  const vector_of = new Map(meant.map((content, place) => [content, vectors[place]]))
  const rows = contents.map((content) => asRow(content, vector_of.get(content), embedder.id))
  const statement = sql`
    INSERT INTO content_index AS found (tenant_id, ref, version, kind, namespace, text, lexemes, doc, embedding,
      embedder_id, occurred_at, importance, active_until, readers)
    SELECT ${tenant_id}, ref, version, kind, namespace, text, to_tsvector('english', concat_ws(' ', text, happened)), doc,
      decode(embedding, 'hex'), embedder_id, occurred_at, importance, active_until, readers
    FROM jsonb_to_recordset(${asJsonb(rows)}::jsonb) AS given(ref text, version integer, kind text, namespace text,
      text text, happened text, doc jsonb, embedding text, embedder_id text, occurred_at timestamptz, importance float8,
      active_until timestamptz, readers text[]), ${only_if}
    ON CONFLICT (tenant_id, ref) DO UPDATE SET version = excluded.version, kind = excluded.kind,
      namespace = excluded.namespace, present = true, text = excluded.text, lexemes = excluded.lexemes,
      readers = excluded.readers, doc = excluded.doc, embedding = excluded.embedding, embedder_id = excluded.embedder_id,
      occurred_at = coalesce(excluded.occurred_at, found.occurred_at),
      importance = coalesce(excluded.importance, found.importance),
      active_until = coalesce(excluded.active_until, found.active_until), revision = pg_current_xact_id()
    WHERE found.version <= excluded.version`
  return { statement, embedded: meant.length > 0 && vectors.every((vector) => vector !== null) }
}

function asRow(
  { ref, version, kind, body, index, readers }: Indexed,
  vector: Int8Array | null | undefined,
  id: string,
) {
  const { namespace, text, occurred_at, importance, active_until } = index
  return {
    ref,
    version,
    kind,
    namespace,
    text,
    happened: kind === 'episodic' && occurred_at ? dayOf(occurred_at) : null,
    doc: body,
    embedding: vector
      ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString('hex')
      : null,
    embedder_id: index.vector ? id : null,
    occurred_at,
    importance,
    active_until,
    readers,
  }
}

// biome-ignore format: a list of words
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December']

/** As people write dates: a search for "May" then also finds episodes that do not contain the word. */
function dayOf(time: string): string {
  const day = new Date(time)
  return `${day.getUTCDate()} ${months[day.getUTCMonth()]} ${day.getUTCFullYear()}`
}

/** PostgreSQL's jsonb accepts neither NUL nor a lone surrogate. An escaped backslash before them stays. */
function asJsonb(value: unknown): string {
  return JSON.stringify(value).replace(/\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g, (escaped) =>
    escaped.length === 2 ? escaped : ' ',
  )
}
