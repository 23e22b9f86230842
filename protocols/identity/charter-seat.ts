import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'

/** Whether an identity sits in its tenant's charter at this moment. */
export async function sitsInCharter(
  db: Database,
  tenant_id: string,
  did: string,
  now: string,
): Promise<boolean> {
  const at = new Date(now)
  const { rows } = await sql`
    SELECT FROM charter_members WHERE tenant_id = ${tenant_id} AND did = ${did}
      AND since <= ${at} AND (until IS NULL OR until > ${at}) LIMIT 1`.execute(db)
  return rows.length > 0
}
