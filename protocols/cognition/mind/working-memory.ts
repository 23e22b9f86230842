// Working memory: a limited number of cells per namespace is active; the least important are evicted.
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { type NewCell, namespaceKey } from '../cells/api.ts'

const active_max = 256
const batch_max = 1_000

/** Evicts the cells with the least importance * exp(-age / ttl): stored, but recalled only as inactive. */
export async function makeRoom(
  context: OperationContext<'vault'>,
  { namespace, readers }: Pick<NewCell, 'namespace' | 'readers'>,
): Promise<void> {
  const { db, now } = context
  const key = namespaceKey(context, namespace, readers)
  await sql`SELECT svc_evict_working(${key}, ${now}::timestamptz, ${active_max})`.execute(db)
}

/** Runs as the engine's role and marks expired cells. Reads check the time themselves, so they are exact. */
export async function expireCells(db: Database, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE mind_cell SET status = 'expired'
    WHERE (tenant_id, ref) IN (
      SELECT tenant_id, ref FROM mind_cell
      WHERE kind = 'working' AND status = 'active' AND expires_at <= ${now}
      ORDER BY expires_at LIMIT ${batch_max} FOR UPDATE SKIP LOCKED)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
