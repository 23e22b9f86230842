import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

/** All engines forget what they know of this tenant's books once this transaction is committed. */
export async function tellBooks(db: Database, tenant_id: string): Promise<void> {
  await sql`SELECT svc_tell_books(${tenant_id})`.execute(db)
}
