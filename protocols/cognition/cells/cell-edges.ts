// Associations of memories, and the graph of associations and facts around the entities of a text.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { entitiesIn, factEdges } from '../knowledge/api.ts'
import { type GraphEdge, rankFrom } from './memory-graph.ts'

type Reading = Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault' | 'now'>

const edges_max = 2_000
const linked_max = 10_000

/** Content by its distance to the entities a text names, nearest first. */
export async function rankByGraph(context: Reading, text: string): Promise<string[]> {
  const seeds = await entitiesIn(context, text)
  if (seeds.length === 0) return []
  const near = await factEdges(context, seeds)
  const further = [...new Set(near.flatMap(({ subject, object }) => [subject, object]))]
  const facts = [...near, ...(await factEdges(context, further))]
  const sources = [...new Set(facts.map(({ source_ref }) => source_ref))]
  const edges: GraphEdge[] = facts.flatMap(({ subject, object, confidence, source_ref }) => [
    { one: subject, other: object, weight: confidence },
    { one: source_ref, other: subject, weight: confidence },
    { one: source_ref, other: object, weight: confidence },
  ])
  edges.push(...(await edgesAt(context, sources)))
  const shares = rankFrom(seeds, edges)
  return [...shares]
    .filter(([node, share]) => share > 0 && node.includes('://'))
    .sort(([one, nearer], [other, near]) => near - nearer || (one < other ? -1 : 1))
    .map(([node]) => node)
}

/** Current associations of any of these, strongest first. */
async function edgesAt({ db, tenant_id, now }: Reading, refs: readonly string[]): Promise<GraphEdge[]> {
  return sql<GraphEdge>`
    SELECT source AS one, target AS other, weight FROM mind_edge
    WHERE tenant_id = ${tenant_id} AND (source = ANY(${refs}) OR target = ANY(${refs}))
      AND valid @> ${now}::timestamptz
    ORDER BY weight DESC, association_id LIMIT ${edges_max}`.all(db)
}

export interface Link {
  readonly linked_to: string
  readonly relation?: string | undefined
  readonly hops: number
  /** When the association must hold. */
  readonly at: string
}

/** Cells connected within this many steps, in either direction; without the start. */
export async function linkedTo(
  { db, tenant_id }: Pick<Reading, 'db' | 'tenant_id'>,
  { linked_to, relation, hops, at }: Link,
): Promise<string[]> {
  const fits = sql`edge.tenant_id = ${tenant_id} AND edge.valid @> ${at}::timestamptz
    AND (${relation ?? null}::text IS NULL OR edge.relation = ${relation ?? null})`
  const rows = await sql<{ ref: string }>`
    WITH RECURSIVE near (ref, hop) AS (
      SELECT ${linked_to}::text COLLATE "C", 0
      UNION
      SELECT step.ref, near.hop + 1 FROM near CROSS JOIN LATERAL (
        SELECT edge.target AS ref FROM mind_edge AS edge WHERE edge.source = near.ref AND ${fits}
        UNION ALL
        SELECT edge.source FROM mind_edge AS edge WHERE edge.target = near.ref AND ${fits}) AS step
      WHERE near.hop < ${hops})
    SELECT DISTINCT ref FROM near WHERE ref <> ${linked_to} LIMIT ${linked_max}`.all(db)
  return rows.map(({ ref }) => ref)
}

/** Memories that state something about the entity of this name. */
export async function mentionsOf(context: Reading, name: string): Promise<string[]> {
  const edges = await factEdges(context, await entitiesIn(context, name))
  return [...new Set(edges.map(({ source_ref }) => source_ref))]
}
