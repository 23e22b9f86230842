// How content is found: words, structure and a vector, in an UNLOGGED table that is a copy of what is sealed.
import type { OperationContext } from '@svc/contract/operation-context'
import { type RawBuilder, sql } from 'kysely'

export interface Indexing {
  readonly namespace: string
  readonly text: string
  readonly vector: boolean
  /** What a search chooses by: where a later version does not say, what was said before holds. */
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
}

type Searching = Pick<OperationContext, 'db' | 'tenant_id' | 'embedder' | 'signal'>

/** Puts it where its words and its meaning find it, in place of an earlier version. */
export async function indexContent(context: Searching, content: Indexed): Promise<void> {
  await (await indexRow(context, content)).execute(context.db)
}

/** Rows stay as a mark that they are gone: every engine's copy must hear of it. Answers how many were there. */
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

/** A remote embedder that is away never fails a store: the vector comes later. */
async function embedOrWait(
  { embedder, signal }: Searching,
  texts: readonly string[],
): Promise<readonly (Int8Array | null)[]> {
  try {
    return await embedder.embed(texts, signal)
  } catch {
    signal.throwIfAborted()
    return texts.map(() => null)
  }
}

/** The statement that does it, so that others can make it part of theirs; `only_if` names a row it takes to be done. */
export async function indexRow(
  context: Searching,
  { ref, version, kind, body, index }: Indexed,
  only_if: RawBuilder<unknown> = sql`(SELECT) AS always`,
): Promise<RawBuilder<unknown>> {
  const { tenant_id, embedder } = context
  const [vector] = index.vector ? await embedOrWait(context, [index.text]) : []
  const embedding = vector ? Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength) : null
  return sql`
    INSERT INTO content_index AS found (tenant_id, ref, version, kind, namespace, text, lexemes, doc, embedding,
      embedder_id, occurred_at, importance, active_until)
    SELECT ${tenant_id}, ${ref}, ${version}::integer, ${kind}, ${index.namespace}, given.text,
      to_tsvector('english', given.text), ${asJsonb(body)}::jsonb, ${embedding}::bytea,
      ${index.vector ? embedder.id : null}::text, ${index.occurred_at ?? null}::timestamptz,
      ${index.importance ?? null}::double precision, ${index.active_until ?? null}::timestamptz
    FROM (SELECT ${withoutNul(index.text)}::text AS text) AS given, ${only_if}
    ON CONFLICT (tenant_id, ref) DO UPDATE SET version = excluded.version, kind = excluded.kind,
      namespace = excluded.namespace, present = true, text = excluded.text, lexemes = excluded.lexemes,
      doc = excluded.doc, embedding = excluded.embedding, embedder_id = excluded.embedder_id,
      occurred_at = coalesce(excluded.occurred_at, found.occurred_at),
      importance = coalesce(excluded.importance, found.importance),
      active_until = coalesce(excluded.active_until, found.active_until), revision = pg_current_xact_id()
    WHERE found.version <= excluded.version`
}

function withoutNul(text: string): string {
  return text.replaceAll('\0', ' ')
}

/** PostgreSQL's jsonb takes neither NUL nor half of a surrogate pair. An escaped backslash before them stays. */
function asJsonb(body: unknown): string {
  return JSON.stringify(body).replace(/\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g, (escaped) =>
    escaped.length === 2 ? escaped : ' ',
  )
}
