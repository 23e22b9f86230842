// Database changes outside of a dispatch leave their record here, in the same transaction.
import { type AuditEntry, entryText } from '@svc/contract/audit/audit-record'
import type { Database } from '@svc/contract/database'
import { sql } from '@svc/database/sql'

/** Any engine's chain writer takes it within a second; where none runs, the next one does. */
export async function leaveInOutbox(db: Database, entry: AuditEntry): Promise<void> {
  await sql`
    INSERT INTO audit_outbox (tenant_id, entry) VALUES (${entry.tenant_id}, ${entryText(entry)})`.execute(db)
}
