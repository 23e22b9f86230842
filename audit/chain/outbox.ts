// What changes the database outside of a dispatch leaves its record here, in the change's own transaction.
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

/** The chain writer of any engine takes it within a second; where none runs, the next one does. */
export async function leaveInOutbox(db: Database, entry: AuditEntry): Promise<void> {
  await sql`
    INSERT INTO audit_outbox (tenant_id, entry) VALUES (${entry.tenant_id}, ${entryText(entry)})`.execute(db)
}
