// The rows that consolidation reads and writes; idempotent over runs.
import type { OperationContext } from '@svc/contract/operation-context'
import { type NotNull, sql } from '@svc/database/sql'
import type { Readers } from '../content/api.ts'

type Keeping = Pick<OperationContext, 'db' | 'tenant_id' | 'now'>

/** How late a slower engine may commit, compared with its clock. */
const overlap = '1 minute'

export interface CellRow {
  readonly ref: string
  readonly status: string
  readonly occurred_at: Date
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly last_access: Date | null
  readonly access_count: string
  /** Examined by an earlier run. */
  readonly is_known: boolean
}

export interface Window {
  readonly from: string
  readonly to: string
}

const columns =
  sql.raw(`cell.ref, cell.status, cell.occurred_at, cell.created_at, cell.expires_at, cell.last_access,
  cell.access_count, EXISTS (SELECT FROM mantle_member AS known
    WHERE known.tenant_id = cell.tenant_id AND known.cell_ref = cell.ref) AS is_known`)

/** Serializes runs per namespace. Returns the time up to which it is consolidated. */
export async function beginRun({ db, tenant_id }: Keeping, namespace_key: string): Promise<Date | undefined> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`mantle ${tenant_id} ${namespace_key}`}, 0))`.execute(
    db,
  )
  const row = await sql<{ watermark: Date }>`SELECT watermark FROM mantle_watermark
    WHERE tenant_id = ${tenant_id} AND namespace_key = ${namespace_key}`.first(db)
  return row?.watermark
}

export interface Circle {
  readonly namespace_key: string
  readonly readers: Readers
}

/** With a window, by time of the event; otherwise those recorded since the watermark and not yet examined. */
export async function findCells(
  { db, tenant_id }: Keeping,
  { namespace_key, readers }: Circle,
  kind: 'working' | 'episodic',
  within: Window | undefined,
  watermark: Date | undefined,
  limit: number,
): Promise<CellRow[]> {
  const since = kind === 'episodic' && watermark ? watermark : '-infinity'
  const fragment = within
    ? sql`cell.occurred_at >= ${within.from} AND cell.occurred_at < ${within.to} ORDER BY cell.occurred_at, cell.ref`
    : sql`cell.created_at > ${since}::timestamptz - ${overlap}::interval AND NOT EXISTS (
        SELECT FROM mantle_member AS known WHERE known.tenant_id = cell.tenant_id AND known.cell_ref = cell.ref)
      ORDER BY cell.created_at, cell.ref`
  return sql<CellRow>`
    SELECT ${columns} FROM mind_cell AS cell
    WHERE cell.tenant_id = ${tenant_id} AND cell.namespace_key = ${namespace_key} AND cell.kind = ${kind}
      AND cell.readers IS NOT DISTINCT FROM ${readers}::text[] AND cell.status <> 'redacted' AND ${fragment} LIMIT ${limit}`.all(
    db,
  )
}

/** Cells unused for long enough to be archived. */
export async function findUnused(
  { db, tenant_id }: Keeping,
  namespace_key: string,
  before: Date,
  limit: number,
): Promise<CellRow[]> {
  return sql<CellRow>`
    SELECT ${columns} FROM mind_cell AS cell
    WHERE cell.tenant_id = ${tenant_id} AND cell.namespace_key = ${namespace_key} AND cell.status = 'active'
      AND cell.kind IN ('episodic', 'semantic', 'procedural') AND cell.created_at < ${before}
      AND (cell.last_access IS NULL OR cell.last_access < ${before})
    ORDER BY cell.created_at, cell.ref LIMIT ${limit}`.all(db)
}

/** Vectors of the current embedder; cells without one are omitted. */
export async function vectorsOf(
  { db, tenant_id, embedder }: Pick<OperationContext<'embedder'>, 'db' | 'tenant_id' | 'embedder'>,
  refs: readonly string[],
): Promise<Map<string, Int8Array>> {
  const rows = await sql<{ ref: string; embedding: NotNull<Buffer> }>`
    SELECT ref, embedding FROM content_index WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs})
      AND present AND embedding IS NOT NULL AND embedder_id = ${embedder.id}`.all(db)
  return new Map(rows.map(({ ref, embedding }) => [ref, Int8Array.from(new Int8Array(embedding))]))
}

/** Working memories become episodic and no longer expire. */
export async function promoteCells({ db, tenant_id }: Keeping, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return
  await sql`UPDATE mind_cell SET kind = 'episodic', status = 'active', expires_at = NULL, same_key = NULL
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs})`.execute(db)
  await sql`UPDATE content SET kind = 'episodic'
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs})`.execute(db)
  await sql`UPDATE content_index SET kind = 'episodic', active_until = NULL, revision = pg_current_xact_id()
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs})`.execute(db)
}

/** Archived cells rank last in searches and are never removed. */
export async function archiveCells({ db, tenant_id }: Keeping, refs: readonly string[]): Promise<void> {
  if (refs.length === 0) return
  await sql`UPDATE mind_cell SET status = 'archived'
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs}) AND status = 'active'`.execute(db)
  await sql`UPDATE content_index SET importance = 0, revision = pg_current_xact_id()
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs}) AND present`.execute(db)
}

export async function keepMembers(
  { db, tenant_id }: Keeping,
  members: readonly { readonly cell_ref: string; readonly episode_ref: string | null }[],
): Promise<void> {
  await sql`INSERT INTO mantle_member (tenant_id, cell_ref, episode_ref)
    SELECT ${tenant_id}, cell_ref, episode_ref
    FROM jsonb_to_recordset(${JSON.stringify(members)}::jsonb) AS member(cell_ref text, episode_ref text)
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function keepWatermark(
  { db, tenant_id }: Keeping,
  namespace_key: string,
  watermark: Date,
): Promise<void> {
  await sql`INSERT INTO mantle_watermark AS kept (tenant_id, namespace_key, watermark)
    VALUES (${tenant_id}, ${namespace_key}, ${watermark})
    ON CONFLICT (tenant_id, namespace_key) DO UPDATE SET watermark = greatest(kept.watermark, excluded.watermark)
  `.execute(db)
}

export interface Mention {
  readonly triple_key: string
  readonly pair_key: string
  readonly cell_ref: string
}

export interface Supported {
  readonly triple_key: string
  readonly sources: readonly string[]
  /** Cells that state anything about this subject and predicate. */
  readonly asked: number
  /** The lasting memory already made from it. */
  readonly output_ref: string | null
}

/** Triples mentioned here that enough cells state, including those of earlier runs, without redacted ones. */
export async function findSupported(
  { db, tenant_id }: Keeping,
  namespace_key: string,
  mentions: readonly Mention[],
  support_min: number,
  limit: number,
): Promise<Supported[]> {
  return sql<Supported>`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(mentions)}::jsonb)
        AS mention(triple_key text, pair_key text, cell_ref text)),
    known AS (
      SELECT triple_key, pair_key, cell_ref FROM given
      UNION
      SELECT triple_key, pair_key, cell_ref FROM mantle_mention
      WHERE tenant_id = ${tenant_id} AND namespace_key = ${namespace_key}
        AND pair_key IN (SELECT pair_key FROM given)),
    said AS (
      SELECT known.* FROM known JOIN mind_cell AS cell
        ON cell.tenant_id = ${tenant_id} AND cell.ref = known.cell_ref AND cell.status <> 'redacted'),
    asked AS (SELECT pair_key, count(DISTINCT cell_ref)::integer AS asked FROM said GROUP BY pair_key)
    SELECT said.triple_key, array_agg(said.cell_ref ORDER BY said.cell_ref) AS sources,
      min(asked.asked) AS asked, min(output.ref) AS output_ref
    FROM said JOIN asked USING (pair_key)
    LEFT JOIN mantle_output AS output ON output.tenant_id = ${tenant_id}
      AND output.namespace_key = ${namespace_key} AND output.output_key = said.triple_key
    WHERE said.triple_key IN (SELECT triple_key FROM given)
    GROUP BY said.triple_key HAVING count(*) >= ${support_min}
    ORDER BY count(*) DESC, said.triple_key LIMIT ${limit}`.all(db)
}

export async function keepMentions(
  { db, tenant_id }: Keeping,
  namespace_key: string,
  mentions: readonly Mention[],
): Promise<void> {
  await sql`INSERT INTO mantle_mention (tenant_id, namespace_key, triple_key, pair_key, cell_ref)
    SELECT ${tenant_id}, ${namespace_key}, triple_key, pair_key, cell_ref
    FROM jsonb_to_recordset(${JSON.stringify(mentions)}::jsonb)
      AS mention(triple_key text, pair_key text, cell_ref text)
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function findOutputs(
  { db, tenant_id }: Keeping,
  namespace_key: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await sql<{ output_key: string }>`SELECT output_key FROM mantle_output
    WHERE tenant_id = ${tenant_id} AND namespace_key = ${namespace_key} AND output_key = ANY(${keys})`.all(db)
  return new Set(rows.map(({ output_key }) => output_key))
}

export async function keepOutput(
  { db, tenant_id }: Keeping,
  namespace_key: string,
  output_key: string,
  ref: string,
): Promise<void> {
  await sql`INSERT INTO mantle_output (tenant_id, namespace_key, output_key, ref)
    VALUES (${tenant_id}, ${namespace_key}, ${output_key}, ${ref})`.execute(db)
}

/** Adds edges to new sources, and updates confidence and support. Returns the number of new ones. */
export async function deriveFrom(
  context: Keeping & Pick<OperationContext, 'caller' | 'newId'>,
  ref: string,
  sources: readonly string[],
  { confidence, readers }: { readonly confidence: number; readonly readers: Readers },
): Promise<number> {
  const { db, tenant_id, now, caller } = context
  // A derived memory is never among its own sources, so no cycle can arise.
  const { numAffectedRows } = await sql`
    INSERT INTO mind_edge (tenant_id, association_id, source, target, relation, weight, valid, author_did, created_at,
      readers)
    SELECT ${tenant_id}, derived.id, ${ref}, target, 'derived_from', 1, tstzrange(${now}, NULL), ${caller.did},
      ${now}, ${readers}::text[]
    FROM unnest(${sources}::text[], ${sources.map(() => context.newId())}::uuid[]) AS derived(target, id)
    WHERE target <> ${ref} AND NOT EXISTS (SELECT FROM mind_edge AS edge
      WHERE edge.tenant_id = ${tenant_id} AND edge.source = ${ref} AND edge.target = derived.target
        AND edge.relation = 'derived_from')`.execute(db)
  await sql`UPDATE mind_cell SET confidence = ${confidence}, support = greatest(support, ${sources.length})
    WHERE tenant_id = ${tenant_id} AND ref = ${ref}`.execute(db)
  return Number(numAffectedRows ?? 0)
}
