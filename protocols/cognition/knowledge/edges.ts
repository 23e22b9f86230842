// The knowledge graph for search: the entities in a text, and the sources that mention them.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { nameKey, normaliseName } from '../content/api.ts'
import { requireEntityIndex } from './entity-index.ts'

const words_read_max = 200
const name_words_max = 4
const edges_max = 2_000

/** Keys of the entities named in the text, at most four words each. */
export async function entitiesIn(
  context: Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>,
  text: string,
): Promise<string[]> {
  const words =
    normaliseName(text)
      .match(/[\p{L}\p{N}][\p{L}\p{N}'’.&_-]*/gu)
      ?.slice(0, words_read_max) ?? []
  const keys = new Set<string>()
  for (let from = 0; from < words.length; from++) {
    for (let length = 1; length <= name_words_max && from + length <= words.length; length++) {
      const name = words.slice(from, from + length).join(' ')
      keys.add(nameKey(context.vault.blind, name))
      // A full stop may end the sentence or belong to the name; so may a genitive s.
      keys.add(nameKey(context.vault.blind, name.replace(/(?:['’]s|[.'’-])$/u, '')))
    }
  }
  if (keys.size === 0) return []
  await requireEntityIndex(context)
  const rows = await sql<{ entity_key: string }>`
    SELECT DISTINCT entity_key FROM kg_entity_index
    WHERE tenant_id = ${context.tenant_id} AND name_key = ANY(${[...keys]}) ORDER BY entity_key
  `.all(context.db)
  return rows.map(({ entity_key }) => entity_key)
}

export interface FactEdge {
  /** Keys of entities. */
  readonly subject: string
  readonly object: string
  readonly confidence: number
  /** The memory, claim or snapshot that states it. */
  readonly source_ref: string
}

/** Current facts that involve any of these, most certain first. */
export async function factEdges(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  entity_keys: readonly string[],
): Promise<FactEdge[]> {
  if (entity_keys.length === 0) return []
  return sql<FactEdge>`
    SELECT s AS subject, o AS object, confidence, source_ref FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND (s = ANY(${entity_keys}) OR o = ANY(${entity_keys}))
      AND upper_inf(tx) AND status <> 'redacted'
    ORDER BY confidence DESC, row_id LIMIT ${edges_max}`.all(db)
}
