// How content is found: words, structure and a vector, in an UNLOGGED table that is a copy of what is sealed.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from 'kysely'

export interface Indexing {
  readonly namespace: string
  readonly text: string
  readonly vector: boolean
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
  const [vector] = content.index.vector ? await embedOrWait(context, [content.index.text]) : [null]
  await writeRow(context, content, vector ?? null)
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

async function writeRow(
  { db, tenant_id, embedder }: Searching,
  { ref, version, kind, body, index }: Indexed,
  vector: Int8Array | null,
): Promise<void> {
  const embedding = vector && Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
  const text = index.text.replaceAll('\0', ' ')
  const doc = withoutNul(JSON.stringify(body))
  await sql`
    INSERT INTO content_index AS found (tenant_id, ref, version, kind, namespace, text, lexemes, doc, embedding,
      embedder_id)
    VALUES (${tenant_id}, ${ref}, ${version}, ${kind}, ${index.namespace}, ${text},
      to_tsvector('english', ${text}), ${doc}::jsonb, ${embedding}, ${index.vector ? embedder.id : null})
    ON CONFLICT (tenant_id, ref) DO UPDATE SET version = excluded.version, kind = excluded.kind,
      namespace = excluded.namespace, present = true, text = excluded.text, lexemes = excluded.lexemes,
      doc = excluded.doc, embedding = excluded.embedding, embedder_id = excluded.embedder_id,
      revision = pg_current_xact_id()
    WHERE found.version <= excluded.version`.execute(db)
}

/** PostgreSQL's jsonb takes no NUL. An escaped backslash before `u0000` is a backslash, and stays. */
function withoutNul(json: string): string {
  return json.replace(/\\\\|\\u0000/g, (escaped) => (escaped.length === 2 ? escaped : ' '))
}
