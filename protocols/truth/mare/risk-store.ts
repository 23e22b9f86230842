import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { bandOf } from './risk.ts'

export interface StoredRisk {
  readonly risk_id: string
  readonly subject: string
  readonly found: unknown
  /** Only if requested. */
  readonly asked?: unknown
}

/** Idempotent: the same request and result are one risk. */
export async function keepRisk(
  { db, tenant_id, caller, now }: OperationContext,
  { risk_id, subject, found, asked }: StoredRisk,
): Promise<void> {
  const question = asked === undefined ? null : JSON.stringify(asked)
  await sql`
    INSERT INTO mare_risks (tenant_id, risk_id, subject, found, asked, scored_by, scored_at)
    VALUES (${tenant_id}, ${risk_id}, ${subject}, ${JSON.stringify(found)}::jsonb, ${question}::jsonb,
      ${caller.did}, ${now})
    ON CONFLICT DO NOTHING`.execute(db)
}

/** The band of a stored risk; undefined if this tenant has no such risk. */
export async function bandOfRisk(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  risk_id: string,
): Promise<string | undefined> {
  const row = await sql<{ score: number }>`
    SELECT (found ->> 'score')::float8 AS score FROM mare_risks
    WHERE tenant_id = ${tenant_id} AND risk_id = ${risk_id}`.first(db)
  return row && bandOf(row.score)
}
