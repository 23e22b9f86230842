// What an agent has in mind just now is little: so many of a namespace are active, and what counts least makes room.

import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { namespaceKey } from '../cells/api.ts'

const active_max = 256
const batch_max = 1_000

/** The cells of least importance * exp(-age / ttl) are evicted: kept, and recalled only by who asks for inactive ones. */
export async function makeRoom(context: OperationContext<'vault'>, namespace: string): Promise<void> {
  const { db, now } = context
  await sql`SELECT svc_evict_working(${namespaceKey(context, namespace)}, ${now}::timestamptz, ${active_max})`.execute(
    db,
  )
}

/** As the engine's role: says of cells whose time is over that it is. Reading goes by the time itself, so it is exact. */
export async function expireCells(db: Database, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE mind_cell SET status = 'expired'
    WHERE (tenant_id, ref) IN (
      SELECT tenant_id, ref FROM mind_cell
      WHERE kind = 'working' AND status = 'active' AND expires_at <= ${now}
      ORDER BY expires_at LIMIT ${batch_max} FOR UPDATE SKIP LOCKED)`.execute(db)
  return Number(numAffectedRows ?? 0)
}
