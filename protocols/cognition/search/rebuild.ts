// A database crash empties the index: it is rebuilt from the sealed content, page by page.
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { amongAll, type ContentRow, content_columns, indexContents, openRow } from '../content/api.ts'

export type Rebuilding = Pick<
  OperationContext<'embedder' | 'vault'>,
  'db' | 'tenant_id' | 'vault' | 'embedder' | 'signal'
>

/** How many rows one waiting call may rebuild; the engine does the rest in the background. */
const rows_per_call_max = 500

interface Missing extends ContentRow {
  readonly cell_status: string | null
}

/** Also for an organization without an index. Rebuilt rows are kept even if more remain. */
export async function rebuildIndex(
  context: Rebuilding & Partial<Pick<OperationContext, 'keepingRows'>>,
): Promise<void> {
  if (await rebuildPage(context, rows_per_call_max)) return
  const refusal = refuse(
    'no_endpoint_available',
    'The search index is being rebuilt after a database crash; try again shortly.',
    { reason: 'index is being rebuilt', retry_after_ms: 1_000 },
  )
  throw context.keepingRows?.(refusal) ?? refusal
}

/** True if nothing is missing: then the index has its epoch and can be searched. */
export async function rebuildPage(context: Rebuilding, rows_max: number): Promise<boolean> {
  const { db, tenant_id } = context
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`content index|${tenant_id}`}, 0))`.execute(db)
  const epochs = await sql`SELECT FROM content_index_epoch WHERE tenant_id = ${tenant_id}`.all(db)
  if (epochs.length > 0) return true
  // The index is of everybody: each search shows its caller's part.
  const missing = await amongAll(context, () => findMissing(context, rows_max))
  await indexAgain(context, missing)
  if (missing.length === rows_max) return false
  await sql`INSERT INTO content_index_epoch (tenant_id) VALUES (${tenant_id})`.execute(db)
  return true
}

/** A row without words marks unsearchable content, so that it is not examined again. */
async function findMissing({ db, tenant_id }: Rebuilding, rows_max: number): Promise<Missing[]> {
  return sql<Missing>`
    SELECT ${content_columns}, mind_cell.status AS cell_status
    FROM content JOIN content_key USING (tenant_id, ref, version)
    LEFT JOIN mind_cell ON mind_cell.tenant_id = content.tenant_id AND mind_cell.ref = content.ref
    WHERE content.tenant_id = ${tenant_id} AND content.superseded_at IS NULL
      AND NOT EXISTS (SELECT FROM content_index
        WHERE content_index.tenant_id = content.tenant_id AND content_index.ref = content.ref
          AND content_index.version >= content.version)
    ORDER BY content.ref LIMIT ${rows_max}`.all(db)
}

async function indexAgain(context: Rebuilding, rows: readonly Missing[]): Promise<void> {
  const opened = rows.map(({ cell_status, ...row }) => ({ cell_status, ...openRow(context, row) }))
  const searched = opened.flatMap(({ cell_status, ref, version, kind, body, index, readers }) => {
    if (!index || body === undefined) return []
    const { active_until: _, ...lasting } = index
    // Working memories that became episodic no longer expire; archived ones rank last.
    const indexing = kind === 'working' ? index : lasting
    const gone = cell_status === 'evicted' ? { active_until: '-infinity' } : {}
    const faded = cell_status === 'archived' ? { importance: 0 } : {}
    return [{ ref, version, kind, body, readers, index: { ...indexing, ...gone, ...faded } }]
  })
  await indexContents(context, searched)
  const others = opened
    .filter(({ index }) => !index)
    .map(({ ref, version, kind }) => ({ ref, version, kind }))
  await sql`INSERT INTO content_index (tenant_id, ref, version, kind, namespace, present)
    SELECT ${context.tenant_id}, ref, version, kind, '', false
    FROM jsonb_to_recordset(${JSON.stringify(others)}::jsonb) AS other(ref text, version integer, kind text)
    ON CONFLICT DO NOTHING`.execute(context.db)
}

/** Runs as the engine's role: organizations whose index was lost or never built. */
export async function tenantsWithoutIndex(
  db: OperationContext['db'],
  tenants_max: number,
): Promise<string[]> {
  const rows = await sql<{ tenant_id: string }>`
    WITH RECURSIVE known AS (
      SELECT min(tenant_id) AS tenant_id FROM content
      UNION ALL
      SELECT (SELECT min(tenant_id) FROM content WHERE tenant_id > known.tenant_id) FROM known
      WHERE known.tenant_id IS NOT NULL)
    SELECT tenant_id FROM known
    WHERE tenant_id IS NOT NULL AND NOT EXISTS (
      SELECT FROM content_index_epoch WHERE content_index_epoch.tenant_id = known.tenant_id)
    LIMIT ${tenants_max}`.all(db)
  return rows.map(({ tenant_id }) => tenant_id)
}
