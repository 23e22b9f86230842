import type { OperationContext } from '@svc/contract/operation-context'
import { type NotNull, sql } from '@svc/database/sql'
import { sealJson } from '../../cognition/content/api.ts'
import { bandOf } from './risk.ts'

export interface StoredRisk {
  readonly risk_id: string
  readonly score: number
  /** Sealed: what was found, and what was asked only if requested. */
  readonly content: { readonly subject: string; readonly found: unknown; readonly asked?: unknown }
}

/** Idempotent: the same request and result are one risk. */
export async function keepRisk(
  { db, tenant_id, caller, now, vault }: OperationContext<'vault'>,
  { risk_id, score, content }: StoredRisk,
): Promise<void> {
  await sql`
    INSERT INTO mare_risks (tenant_id, risk_id, score, sealed, scored_by, scored_at)
    VALUES (${tenant_id}, ${risk_id}, ${score}, ${sealJson(vault, sealName(risk_id), content)}, ${caller.did}, ${now})
    ON CONFLICT DO NOTHING`.execute(db)
}

export function sealName(risk_id: string): string {
  return `mare risk ${risk_id}`
}

/** The band of a stored risk; undefined if this tenant has no such risk. */
export async function bandOfRisk(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  risk_id: string,
): Promise<string | undefined> {
  const row = await sql<{ score: NotNull<number> }>`
    SELECT score FROM mare_risks
    WHERE tenant_id = ${tenant_id} AND risk_id = ${risk_id} AND score IS NOT NULL`.first(db)
  return row && bandOf(row.score)
}
