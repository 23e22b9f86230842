// Links between memories: one row per validity period, stronger each time the link is repeated.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import type { ContentStatus, Readers } from '../content/api.ts'

type Keeping = Pick<OperationContext, 'db' | 'tenant_id'>

/** Half-open; null means unbounded. */
export interface Span {
  readonly from: string | null
  readonly until: string | null
}

interface NewEdge {
  readonly source: string
  readonly target: string
  readonly relation: string
  readonly weight: number
  readonly valid: Span
  readonly readers: Readers
}

const learning_rate = 0.2
/** Repetition alone never makes a link certain. */
const reinforced_max = 0.999999
const path_edges_max = 50_000

/** Serializes changes of a relation until the transaction ends. */
export async function lockRelation({ db, tenant_id }: Keeping, name: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`mind edge|${tenant_id}|${name}`}, 0))`.execute(
    db,
  )
}

export interface LinkEnd {
  readonly ref: string
  readonly status: ContentStatus
  readonly readers: Readers
}

/** Of the newest version; memories this caller cannot read are omitted. */
export async function endsOf(
  { db, tenant_id }: Keeping,
  refs: readonly string[],
): Promise<Map<string, LinkEnd>> {
  const rows = await sql<LinkEnd>`
    SELECT ref, status, readers FROM content
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs}) AND superseded_at IS NULL`.all(db)
  return new Map(rows.map((end) => [end.ref, end]))
}

/** Hebbian: a repeated link with an overlapping period gains a share of the remaining strength. */
export async function keepEdge(
  context: OperationContext,
  { source, target, relation, weight, valid, readers }: NewEdge,
): Promise<{ association_id: string; weight: number; reinforced: boolean }> {
  const { db, tenant_id, caller, now } = context
  const span = sql`tstzrange(${valid.from}::timestamptz, ${valid.until}::timestamptz)`
  const row = await sql<{ association_id: string; weight: number; reinforced: boolean }>`
    WITH known AS (
      SELECT association_id FROM mind_edge
      WHERE tenant_id = ${tenant_id} AND source = ${source} AND target = ${target} AND relation = ${relation}
        AND valid && ${span} ORDER BY created_at, association_id LIMIT 1),
    stronger AS (
      UPDATE mind_edge AS edge SET reinforced = edge.reinforced + 1,
        weight = least(edge.weight + (1 - edge.weight) * ${learning_rate}::float8 * ${weight}::float8,
          greatest(edge.weight, ${reinforced_max}::float8))
      FROM known WHERE edge.tenant_id = ${tenant_id} AND edge.association_id = known.association_id
      RETURNING edge.association_id, edge.weight),
    created AS (
      INSERT INTO mind_edge (tenant_id, association_id, source, target, relation, weight, valid, author_did, created_at,
        readers)
      SELECT ${tenant_id}, ${context.newId()}::uuid, ${source}, ${target}, ${relation}, ${weight}::float8, ${span},
        ${caller.did}, ${now}::timestamptz, ${readers}::text[]
      WHERE NOT EXISTS (SELECT FROM known) RETURNING association_id, weight)
    SELECT association_id, weight, true AS reinforced FROM stronger
    UNION ALL SELECT association_id, weight, false FROM created`.first(db)
  return row!
}

/** The shortest path between two memories along this relation, at any time; undefined if there is none. */
export async function pathBetween(
  { db, tenant_id }: Keeping,
  from: string,
  to: string,
  relation: string,
): Promise<string[] | undefined> {
  const rows = await sql<{ source: string; target: string }>`
    WITH RECURSIVE reached AS (
      SELECT source, target FROM mind_edge
      WHERE tenant_id = ${tenant_id} AND relation = ${relation} AND source = ${from}
      UNION
      SELECT edge.source, edge.target FROM reached JOIN mind_edge AS edge ON edge.source = reached.target
      WHERE edge.tenant_id = ${tenant_id} AND edge.relation = ${relation})
    SELECT source, target FROM reached
    WHERE EXISTS (SELECT FROM reached AS last WHERE last.target = ${to}) LIMIT ${path_edges_max}`.all(db)
  if (rows.length === 0) return undefined
  return shortestPath(rows, from, to) ?? [from, to]
}

function shortestPath(
  edges: readonly { readonly source: string; readonly target: string }[],
  from: string,
  to: string,
): string[] | undefined {
  const next = Map.groupBy(edges, ({ source }) => source)
  const before = new Map<string, string>()
  const waiting = [from]
  for (const node of waiting) {
    for (const { target } of next.get(node) ?? []) {
      if (before.has(target) || target === from) continue
      before.set(target, node)
      waiting.push(target)
    }
  }
  if (!before.has(to)) return undefined
  const path = [to]
  while (path[0] !== from) path.unshift(before.get(path[0]!)!)
  return path
}
