// Rows of memory cells beside their sealed content: used for counting, filtering and ageing.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { type InsertedVersion, keepContentOf, noteCall, type Readers, type Triple } from '../content/api.ts'
import type { MemoryKind } from './cell.ts'

export interface NewCell {
  readonly ref: string
  readonly kind: MemoryKind
  readonly payload: unknown
  readonly payload_bytes: number
  readonly namespace: string
  readonly readers: Readers
  readonly text: string
  readonly vector: boolean
  readonly occurred_at: string
  readonly expires_at: string | undefined
  readonly importance: number
  readonly confidence: number
  readonly source_ref: string | undefined
  readonly subject_did: string | undefined
  readonly triples?: readonly Triple[] | undefined
  /** Null if equal content may be stored twice. */
  readonly same_key: string | null
}

export interface StoredCell {
  readonly ref: string
  readonly version: number
  readonly commitment: string
  readonly duplicate_of: string | undefined
  /** Whether its vector is already computed. */
  readonly embedded: boolean
}

/** If the cell with equal content has ended meanwhile, a second attempt succeeds. */
const attempts_max = 2

/** A namespace's keyed hash for logged tables. Each circle of readers has its own: it neither evicts nor equals what others keep. */
export function namespaceKey(
  { vault }: Pick<OperationContext<'vault'>, 'vault'>,
  namespace: string,
  readers: Readers,
): string {
  // A namespace is any text: it must not be able to spell out a circle.
  return vault.blind(
    readers === null ? `mind namespace ${namespace}` : `mind circle ${JSON.stringify([namespace, readers])}`,
  )
}

/** Content, key, index and cell in one statement. The second of two concurrent calls finds the first. */
export async function keepCell(
  context: OperationContext<'embedder' | 'vault'>,
  cell: NewCell,
): Promise<StoredCell> {
  for (let attempt = 0; attempt < attempts_max; attempt++) {
    const { created, ref, commitment, embedded } = await insertCell(context, cell)
    if (created) return { ref, version: 1, commitment, embedded, duplicate_of: undefined }
    const same = await supportedCell(context, ref)
    if (same) return same
  }
  throw new Error(`the place of ${cell.ref} was free, and it was not put there`)
}

async function insertCell(
  context: OperationContext<'embedder' | 'vault'>,
  cell: NewCell,
): Promise<InsertedVersion> {
  const { tenant_id, now } = context
  const { ref, kind, payload, same_key, subject_did, occurred_at, expires_at, importance, readers } = cell
  const { namespace, text, vector, confidence, source_ref } = cell
  const ending = expires_at === undefined ? {} : { active_until: expires_at }
  const index = { namespace, text, vector, occurred_at, importance, ...ending }
  return await keepContentOf(
    context,
    { ref, kind, body: payload, index, triples: cell.triples, subject_did, readers, valid_from: occurred_at },
    sql`INSERT INTO mind_cell AS cell (tenant_id, ref, kind, namespace_key, importance, confidence, occurred_at,
        created_at, expires_at, source_ref, same_key, readers)
      VALUES (${tenant_id}, ${ref}, ${kind}, ${namespaceKey(context, namespace, readers)}, ${importance},
        ${confidence}, ${occurred_at}, ${now}, ${expires_at ?? null}, ${source_ref ?? null}, ${same_key}, ${readers})
      ON CONFLICT (tenant_id, kind, namespace_key, same_key) DO UPDATE SET support = cell.support + 1
      RETURNING ref`,
  )
}

/** Undefined if it cannot be recalled any more: then equal content is new. */
async function supportedCell(context: OperationContext, ref: string): Promise<StoredCell | undefined> {
  const { db, tenant_id, now } = context
  const row = await sql<{ version: number; commitment: string; embedded: boolean | null }>`
    SELECT content.version, content.commitment, found.embedding IS NOT NULL AS embedded
    FROM mind_cell JOIN content USING (tenant_id, ref)
    LEFT JOIN content_index AS found USING (tenant_id, ref)
    WHERE tenant_id = ${tenant_id} AND ref = ${ref} AND mind_cell.status = 'active'
      AND (mind_cell.expires_at IS NULL OR mind_cell.expires_at > ${now})
      AND content.status = 'current' AND content.superseded_at IS NULL`.first(db)
  const duplicate = row
  if (duplicate) {
    // The repeated call's input has the same content: redaction must find it, too.
    await noteCall(context, ref)
    return { ...duplicate, embedded: duplicate.embedded ?? false, ref, duplicate_of: ref }
  }
  await sql`UPDATE mind_cell SET same_key = NULL, support = support - 1
    WHERE tenant_id = ${tenant_id} AND ref = ${ref}`.execute(db)
  return undefined
}
