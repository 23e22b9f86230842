// Workflows as other protocols may show them: names and states, no content.
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

export interface ListedWorkflow {
  readonly ref: string
  readonly name: string
  readonly version: string
  readonly submitted_by: string
  readonly is_active: boolean
  readonly is_paused: boolean
  readonly open_runs: number
}

/** Those submitted up to a given time, ordered by ref. */
export async function listWorkflows(
  db: Database,
  tenant_id: string,
  { until, limit }: { readonly until: string; readonly limit: number },
): Promise<ListedWorkflow[]> {
  return sql<ListedWorkflow>`
    SELECT m.ref, m.name, m.version, m.submitted_by, m.is_active, m.paused_reason IS NOT NULL AS is_paused,
      (SELECT count(*)::int FROM moon_run r WHERE r.tenant_id = m.tenant_id AND r.manifest_ref = m.ref
        AND r.ended_at IS NULL) AS open_runs
    FROM moon_manifest m WHERE m.tenant_id = ${tenant_id} AND m.submitted_at <= ${until}
    ORDER BY m.ref LIMIT ${limit}`.all(db)
}
