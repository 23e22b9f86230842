// Facts as believed at one time about another (bitemporal), followed hop by hop.
import { sql } from '@svc/database/sql'
import { type EntityReading, factRef } from './entity-index.ts'
import { groupKeys } from './entity-resolution.ts'

const facts_followed_max = 1_000

export interface Slice {
  /** When it holds. */
  readonly as_of: string
  /** As known then; as known now if omitted. */
  readonly known_at?: string | undefined
  readonly include_superseded: boolean
  readonly min_confidence: number
  /** Key of the only predicate to follow. */
  readonly predicate?: string | undefined
}

export interface SlicedFact {
  readonly row_id: string
  readonly fact_ref: string
  readonly object: string
  readonly valid_from: Date | null
  readonly valid_to: Date | null
  readonly recorded_at: Date
  readonly superseded_at: Date | null
  readonly confidence: number
  readonly source_ref: string
  readonly status: 'current' | 'superseded' | 'contested'
}

interface Row extends Omit<SlicedFact, 'fact_ref' | 'status'> {
  readonly fact_id: string
  readonly contested: boolean
}

/** Breadth first from an entity, the most certain of each round first. */
export async function followFacts(
  context: EntityReading,
  entity_key: string,
  depth: number,
  slice: Slice,
): Promise<{ facts: SlicedFact[]; truncated: boolean }> {
  const facts: SlicedFact[] = []
  const reached = new Set<string>()
  let keys = await groupKeys(context, [entity_key])
  for (let round = 1; round <= depth && keys.length > 0; round++) {
    for (const key of keys) reached.add(key)
    const room = facts_followed_max - facts.length
    const rows = await readRound(context, keys, slice, room + 1)
    facts.push(...rows.slice(0, room).map((row) => factOf(row)))
    if (rows.length > room) return { facts, truncated: true }
    const next = [...new Set(rows.map(({ object }) => object))].filter((key) => !reached.has(key))
    keys = round < depth ? (await groupKeys(context, next)).filter((key) => !reached.has(key)) : []
  }
  return { facts, truncated: false }
}

async function readRound(
  { db, tenant_id }: EntityReading,
  keys: readonly string[],
  { as_of, known_at, include_superseded, min_confidence, predicate }: Slice,
  limit: number,
): Promise<Row[]> {
  const believed = include_superseded
    ? sql`(${known_at ?? null}::timestamptz IS NULL OR lower(tx) <= ${known_at ?? null}::timestamptz)`
    : known_at === undefined
      ? sql`upper_inf(tx)`
      : sql`tx @> ${known_at}::timestamptz`
  // An end recorded after that time was not known then.
  const ended = known_at === undefined ? sql`true` : sql`upper(tx) <= ${known_at}::timestamptz`
  return sql<Row>`
    SELECT row_id, fact_id, o AS object, lower(valid) AS valid_from, upper(valid) AS valid_to,
      lower(tx) AS recorded_at, CASE WHEN ${ended} THEN upper(tx) END AS superseded_at, confidence, source_ref,
      status = 'contested' AS contested
    FROM kg_fact
    WHERE tenant_id = ${tenant_id} AND s = ANY(${keys}) AND status IN ('current', 'contested')
      ${predicate === undefined ? sql`` : sql`AND p = ${predicate}`}
      AND confidence >= ${min_confidence} AND valid @> ${as_of}::timestamptz AND ${believed}
    ORDER BY confidence DESC, row_id LIMIT ${limit}`.all(db)
}

function factOf({ fact_id, contested, ...row }: Row): SlicedFact {
  const status = row.superseded_at ? 'superseded' : contested ? 'contested' : 'current'
  return { ...row, fact_ref: factRef(fact_id), status }
}
