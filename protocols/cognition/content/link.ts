// Dependencies between contents: what to review if something is redacted, contradicted or superseded.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'

type Linking = Pick<OperationContext, 'db' | 'tenant_id' | 'now'>

export interface Dependent {
  readonly ref: string
  /** `cites`, `derived_from`, `evidence`, … */
  readonly kind: string
}

const dependents_max = 1_000

/** Idempotent. */
export async function linkContent(
  { db, tenant_id, now }: Linking,
  from_ref: string,
  targets: readonly { readonly ref: string; readonly version?: number | undefined }[],
  kind: string,
): Promise<void> {
  if (targets.length === 0) return
  const rows = JSON.stringify(targets.map(({ ref, version }) => ({ ref, version: version ?? null })))
  await sql`INSERT INTO content_link (tenant_id, from_ref, to_ref, kind, to_version, linked_at)
    SELECT ${tenant_id}, ${from_ref}, ref, ${kind}, version, ${now}
    FROM jsonb_to_recordset(${rows}::jsonb) AS target(ref text, version integer)
    ON CONFLICT DO NOTHING`.execute(db)
}

/** Content that cites or uses any of these, sorted by reference. */
export async function dependentsOf(
  { db, tenant_id }: Linking,
  refs: readonly string[],
): Promise<Dependent[]> {
  return sql<Dependent>`
    SELECT DISTINCT from_ref AS ref, kind FROM content_link
    WHERE tenant_id = ${tenant_id} AND to_ref = ANY(${refs}) ORDER BY ref, kind LIMIT ${dependents_max}
  `.all(db)
}
