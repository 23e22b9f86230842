// Retained inputs of calls whose content was redacted: their keys are destroyed, their records stay unchanged.

import type { Database } from '@svc/contract/database'
import { app_role, engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'

const forgetting = `
  CREATE FUNCTION svc_forget_inputs(calls jsonb) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    WITH forgotten AS (
      UPDATE audit_inputs AS kept SET wrapped_key = NULL, sealed = ''
      FROM jsonb_to_recordset(calls) AS call(correlation_id uuid, record_id text)
      JOIN audit_records AS record
        ON record.tenant_id = current_setting('svc.tenant_id', true)
        AND record.correlation_id = call.correlation_id
        AND record.body::jsonb->>'id' = call.record_id
      WHERE kept.tenant_id = record.tenant_id
        AND kept.input_hash = record.body::jsonb->'meta'->>'input_hash'
        AND kept.wrapped_key IS NOT NULL
      RETURNING 1)
    SELECT count(*)::integer FROM forgotten
  $$;
  REVOKE ALL ON FUNCTION svc_forget_inputs(jsonb) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_forget_inputs(jsonb) TO ${app_role}, ${engine_role};
  GRANT UPDATE (wrapped_key, sealed) ON audit_inputs TO ${engine_role};
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_forget_inputs(jsonb) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
`

export const forgetting_migrations: readonly Migration[] = [
  { name: '2026-11-17-03-forget-inputs', sql: forgetting },
]

export interface RecordedCall {
  readonly correlation_id: string
  /** Id of the call's own audit record. */
  readonly record_id: string
}

/** How many were redacted now. Those not yet in the audit log are not included: try again later. */
export async function forgetInputs(db: Database, calls: readonly RecordedCall[]): Promise<number> {
  const row = await sql<{ forgotten: number }>`
    SELECT svc_forget_inputs(${JSON.stringify(calls)}::jsonb) AS forgotten`.first(db)
  return row!.forgotten
}
