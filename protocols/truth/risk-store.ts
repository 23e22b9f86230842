import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from 'kysely'

export interface KeptRisk {
  readonly risk_id: string
  readonly subject: string
  readonly found: unknown
  /** Only where it was wanted. */
  readonly asked?: unknown
}

/** The same found for the same question is the same risk. */
export async function keepRisk(
  { db, tenant_id, caller, now }: OperationContext,
  { risk_id, subject, found, asked }: KeptRisk,
): Promise<void> {
  const question = asked === undefined ? null : JSON.stringify(asked)
  await sql`
    INSERT INTO mare_risks (tenant_id, risk_id, subject, found, asked, scored_by, scored_at)
    VALUES (${tenant_id}, ${risk_id}, ${subject}, ${JSON.stringify(found)}::jsonb, ${question}::jsonb,
      ${caller.did}, ${now})
    ON CONFLICT DO NOTHING`.execute(db)
}
