// Which tenants let anybody read the checkpoint and the tiles of their log.
import type { Query } from '../query/client-query.ts'

/** False where it is public already. */
export async function publishLog(query: Query, tenant_id: string): Promise<boolean> {
  const rows = await query(
    'INSERT INTO audit_public_logs (tenant_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING tenant_id',
    [tenant_id],
  )
  return rows.length > 0
}

/** False where it was not public. */
export async function unpublishLog(query: Query, tenant_id: string): Promise<boolean> {
  const rows = await query('DELETE FROM audit_public_logs WHERE tenant_id = $1 RETURNING tenant_id', [
    tenant_id,
  ])
  return rows.length > 0
}

export async function isLogPublic(query: Query, tenant_id: string): Promise<boolean> {
  const rows = await query('SELECT tenant_id FROM audit_public_logs WHERE tenant_id = $1', [tenant_id])
  return rows.length > 0
}
