import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'

/** Idempotent: the same opinions pooled the same way are one pool. */
export async function keepPool(
  { db, tenant_id, caller, now }: OperationContext,
  pool_id: string,
  request: unknown,
  result: unknown,
): Promise<void> {
  await sql`
    INSERT INTO mata_pools (tenant_id, pool_id, asked, found, pooled_by, pooled_at)
    VALUES (${tenant_id}, ${pool_id}, ${JSON.stringify(request)}::jsonb, ${JSON.stringify(result)}::jsonb,
      ${caller.did}, ${now})
    ON CONFLICT DO NOTHING`.execute(db)
}
