// How much of each log is in PostgreSQL, how much in the archive, and what is late.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

const tenants_max = 200

export interface LogState {
  readonly tenant_id: string
  readonly pages: number
  readonly archived: number
  readonly tail_records: number
  /** Of pages and tail, in PostgreSQL. */
  readonly hot_bytes: number
  readonly oldest_hot: Date | null
  /** Pages that should be in the archive and are not. */
  readonly lag: number
}

/** By tenant, some at a time. */
export async function logStates(
  db: Database,
  older_than: Date,
  {
    tenant_ids,
    after = '',
  }: { readonly tenant_ids?: readonly string[] | undefined; readonly after?: string | undefined },
): Promise<LogState[]> {
  const rows = await sql<Omit<LogState, 'hot_bytes'> & { hot_bytes: string }>`
    SELECT t.tenant_id, p.pages, p.archived, tail.tail_records, p.hot_bytes + tail.tail_bytes AS hot_bytes, p.oldest_hot, l.lag
    FROM (
      SELECT tenant_id FROM chain_heads WHERE tenant_id > ${after}
        AND (${tenant_ids ?? null}::text[] IS NULL OR tenant_id = ANY(${tenant_ids ?? null}::text[]))
      ORDER BY tenant_id LIMIT ${tenants_max}
    ) AS t
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS pages, (count(*) - count(bytes))::int AS archived,
        coalesce(sum(octet_length(bytes)), 0)::bigint AS hot_bytes, min(to_at) FILTER (WHERE bytes IS NOT NULL) AS oldest_hot
      FROM audit_pages WHERE tenant_id = t.tenant_id
    ) AS p
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(last_seq - first_seq + 1), 0)::int AS tail_records,
        coalesce(sum(octet_length(bytes)), 0)::bigint AS tail_bytes
      FROM audit_tail WHERE tenant_id = t.tenant_id
    ) AS tail
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS lag FROM audit_hot_pages WHERE tenant_id = t.tenant_id AND hot_since < ${older_than}
    ) AS l ORDER BY t.tenant_id`.all(db)
  return rows.map((row) => ({ ...row, hot_bytes: Number(row.hot_bytes) }))
}
