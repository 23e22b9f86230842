// Workloads as administrators of an organization manage them, by operations.
import type { ListedWorkload, Workloads } from '@svc/contract/needs/workloads'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { boundOf } from './bounded-credential.ts'
import { addWorkload, countWorkloads, removeWorkload } from './workloads.ts'

const columns = sql`workload_id, did, issuer, audience, claims, jwks IS NOT NULL AS has_keys,
  date_trunc('milliseconds', created_at) AS created_at, last_used_at`

export function agentWorkloads(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  maker_key_id: string,
): Workloads {
  return {
    async whyNot() {
      const bound = await boundOf(db, tenant_id, maker_key_id)
      if (bound === 'workload') return 'a workload adds no workloads'
      return bound && 'this key is bounded, and a workload would not be'
    },
    lockAndCount: () => countWorkloads(db, tenant_id),
    add: (workload) => addWorkload(db, { ...workload, tenant_id, jwks: null, named_only: true }),
    find: (workload_id) =>
      sql<ListedWorkload>`
        SELECT ${columns} FROM workloads
        WHERE tenant_id = ${tenant_id} AND workload_id = ${workload_id}`.first(db),
    list(did, { since, before, limit }) {
      const of_did = did === undefined ? sql`` : sql`AND did = ${did}`
      const older = before
        ? sql`AND (date_trunc('milliseconds', created_at), workload_id) < (${before.at}::timestamptz, ${before.id})`
        : sql``
      return sql<ListedWorkload>`
        SELECT ${columns} FROM workloads
        WHERE tenant_id = ${tenant_id} ${of_did} AND created_at >= coalesce(${since}::timestamptz, '-infinity') ${older}
        ORDER BY date_trunc('milliseconds', created_at) DESC, workload_id DESC LIMIT ${limit}`.all(db)
    },
    async remove(workload_id) {
      await removeWorkload(db, tenant_id, workload_id)
    },
    async removeOf(did) {
      const rows = await sql<{ workload_id: string }>`
        SELECT workload_id FROM workloads WHERE tenant_id = ${tenant_id} AND did = ${did}`.all(db)
      for (const { workload_id } of rows) await removeWorkload(db, tenant_id, workload_id)
      return rows.length
    },
  }
}
