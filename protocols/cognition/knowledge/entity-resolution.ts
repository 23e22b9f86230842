// Resolves a name: by id, else label, else alias, else similar spelling; lists candidates if ambiguous.
import { sql } from '@svc/database/sql'
import {
  entityId,
  entityKey,
  nameKey,
  normaliseName,
  readContents,
  type Triple,
  typeKeys,
} from '../content/api.ts'
import { type EntityReading, factRef, requireEntityIndex } from './entity-index.ts'

const similarity_min = 0.6
/** Candidates this close to the best are ambiguous. */
const similarity_gap = 0.05
const alike_max = 50
const candidates_max = 20
const aliases_max = 50
const group_max = 1_000

export interface Candidate {
  readonly id: string
  readonly label: string
  readonly similarity: number
}

export interface Entity {
  readonly id: string
  readonly label: string
  readonly type: string | null
  readonly aliases: readonly string[]
}

export type Resolved =
  | { readonly entity_key: string }
  | { readonly candidates: readonly Candidate[] }
  | undefined

export async function resolveEntity(context: EntityReading, name: string): Promise<Resolved> {
  await requireEntityIndex(context)
  const { db, tenant_id, vault } = context
  const key = nameKey(vault.blind, name)
  const rows = await sql<{ entity_key: string }>`
    SELECT entity_key FROM kg_entity_index WHERE tenant_id = ${tenant_id} AND name_key = ${key}
    ORDER BY entity_key LIMIT ${alike_max}`.all(db)
  const others = rows.filter(({ entity_key }) => entity_key !== key)
  // An alias of exactly one entity resolves to it; with several it stays itself.
  if (others.length === 1) return { entity_key: others[0]!.entity_key }
  if (rows.length > others.length) return { entity_key: key }
  if (others.length > 1) return { candidates: await labelled(context, others.map(withSimilarity)) }
  return entityKey(name) === undefined ? await resolveAlike(context, name) : undefined
}

function withSimilarity({ entity_key }: { entity_key: string }) {
  return { entity_key, similarity: 1 }
}

async function resolveAlike(context: EntityReading, name: string): Promise<Resolved> {
  const rows = await sql<{ entity_key: string; similarity: number }>`
    SELECT entity_key, max(similarity) AS similarity
    FROM svc_entities_like(${normaliseName(name)}, ${alike_max}) WHERE similarity >= ${similarity_min}
    GROUP BY entity_key ORDER BY similarity DESC, entity_key`.all(context.db)
  const [nearest] = rows
  if (!nearest) return undefined
  const near = rows.filter(({ similarity }) => nearest.similarity - similarity <= similarity_gap)
  if (near.length === 1) return { entity_key: nearest.entity_key }
  return { candidates: await labelled(context, near.slice(0, candidates_max)) }
}

async function labelled(
  { db, tenant_id }: EntityReading,
  matches: readonly { readonly entity_key: string; readonly similarity: number }[],
): Promise<Candidate[]> {
  const rows = await sql<{ entity_key: string; name: string }>`
    SELECT entity_key, name FROM kg_entity_index WHERE tenant_id = ${tenant_id}
      AND entity_key = ANY(${matches.map(({ entity_key }) => entity_key)}) AND name_key = entity_key`.all(db)
  const labels = new Map(rows.map(({ entity_key, name }) => [entity_key, name]))
  return matches.map(({ entity_key, similarity }) => ({
    id: entityId(entity_key),
    label: labels.get(entity_key) ?? entityId(entity_key),
    similarity: Math.round(similarity * 1e4) / 1e4,
  }))
}

/** Every key under which facts of these entities are stored: their own and those of their aliases. */
export async function groupKeys(
  { db, tenant_id }: EntityReading,
  keys: readonly string[],
): Promise<string[]> {
  const rows = await sql<{ key: string }>`
    SELECT DISTINCT unnest(ARRAY[name_key, entity_key]) AS key FROM kg_entity_index
    WHERE tenant_id = ${tenant_id} AND entity_key IN (
      SELECT entity_key FROM kg_entity_index WHERE tenant_id = ${tenant_id} AND name_key = ANY(${keys}))
    ORDER BY key LIMIT ${group_max}`.all(db)
  return [...new Set([...keys, ...rows.map(({ key }) => key)])]
}

export async function describeEntity(context: EntityReading, entity_key: string): Promise<Entity> {
  const { db, tenant_id } = context
  const rows = await sql<{ name: string; is_label: boolean }>`
    SELECT name, name_key = entity_key AS is_label FROM kg_entity_index
    WHERE tenant_id = ${tenant_id} AND entity_key = ${entity_key}
    ORDER BY is_label DESC, name LIMIT ${aliases_max + 1}`.all(db)
  const label = rows.find(({ is_label }) => is_label)?.name ?? entityId(entity_key)
  const aliases = rows.filter(({ is_label }) => !is_label).map(({ name }) => name)
  return { id: entityId(entity_key), label, type: await typeOf(context, entity_key), aliases }
}

/** The type stated last, if any. */
async function typeOf(context: EntityReading, entity_key: string): Promise<string | null> {
  const { db, tenant_id, vault } = context
  const row = await sql<{ fact_id: string }>`
    SELECT fact_id FROM kg_fact WHERE tenant_id = ${tenant_id} AND s = ${entity_key}
      AND p = ANY(${typeKeys(vault.blind)}) AND upper_inf(tx) AND status = 'current'
    ORDER BY row_id DESC LIMIT 1`.first(db)
  if (!row) return null
  const ref = factRef(row.fact_id)
  const words = (await readContents(context, [ref])).get(ref)?.body as Triple | undefined
  return words ? String(words.object) : null
}
