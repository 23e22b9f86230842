import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { sealJson } from '../../cognition/content/api.ts'

/** Sealed: the question, its labels and what each source said are content. The same opinions pooled the same way are one pool. */
export async function keepPool(
  { db, tenant_id, caller, now, vault }: OperationContext<'vault'>,
  pool_id: string,
  request: unknown,
  result: unknown,
): Promise<void> {
  await sql`
    INSERT INTO mata_pools (tenant_id, pool_id, sealed, pooled_by, pooled_at)
    VALUES (${tenant_id}, ${pool_id}, ${sealJson(vault, `mata pool ${pool_id}`, { request, result })}, ${caller.did},
      ${now})
    ON CONFLICT DO NOTHING`.execute(db)
}
