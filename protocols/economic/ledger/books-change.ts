import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

/** All engines drop their cached books of this tenant once this transaction commits. */
export async function tellBooks(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT svc_tell_books(${tenant_id})`.execute(db)
}
