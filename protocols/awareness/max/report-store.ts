// Stores compliance reports, so that later proofs can refer to the exact tree a report was signed over.

import type { Database } from '@svc/contract/database'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

export const report_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-30-compliance-reports',
    sql: `
      CREATE TABLE compliance_reports (
        tenant_id text NOT NULL,
        report_id text NOT NULL,
        tree_size bigint NOT NULL,
        attestation text NOT NULL,
        issued_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, report_id)
      );
      ${isolateByTenant('compliance_reports', ['SELECT', 'INSERT'], [])}
    `,
  },
]

export interface Report {
  readonly report_id: string
  readonly tree_size: number
  readonly attestation: string
  readonly issued_at: string
}

export async function keepReport(db: Database, tenant_id: string, report: Report): Promise<void> {
  await sql`
    INSERT INTO compliance_reports (tenant_id, report_id, tree_size, attestation, issued_at)
    VALUES (${tenant_id}, ${report.report_id}, ${report.tree_size}, ${report.attestation}, ${report.issued_at})
    ON CONFLICT DO NOTHING`.execute(db)
}

export async function treeSizeOfReport(
  db: Database,
  tenant_id: string,
  report_id: string,
): Promise<number | undefined> {
  const row = await sql<{ tree_size: string }>`
    SELECT tree_size FROM compliance_reports WHERE tenant_id = ${tenant_id} AND report_id = ${report_id}`.first(
    db,
  )
  return row ? Number(row.tree_size) : undefined
}

export async function attestationOf(
  db: Database,
  tenant_id: string,
  report_id: string,
): Promise<string | undefined> {
  const row = await sql<{ attestation: string }>`
    SELECT attestation FROM compliance_reports WHERE tenant_id = ${tenant_id} AND report_id = ${report_id}`.first(
    db,
  )
  return row?.attestation
}
