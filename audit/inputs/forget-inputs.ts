// Retained inputs of calls whose content was redacted: their keys are destroyed, their records stay unchanged.

import type { Database } from '@svc/contract/database'
import { app_role, engine_role, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { bodyOf } from '../pages/stored-record.ts'
import { queryOf } from '../query/query.ts'
import { searchRecords } from '../query/search.ts'

const forgetting = `
  CREATE FUNCTION svc_forget_inputs(input_hashes text[]) RETURNS integer
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
    WITH forgotten AS (
      UPDATE audit_inputs AS retained SET wrapped_key = NULL, sealed = ''
      WHERE retained.tenant_id = current_setting('svc.tenant_id', true)
        AND retained.input_hash = ANY(input_hashes) AND retained.wrapped_key IS NOT NULL
      RETURNING 1)
    SELECT count(*)::integer FROM forgotten
  $$;
  REVOKE ALL ON FUNCTION svc_forget_inputs(text[]) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_forget_inputs(text[]) TO ${app_role}, ${engine_role};
  GRANT UPDATE (wrapped_key, sealed) ON audit_inputs TO ${engine_role};
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_forget_inputs(text[]) OWNER TO ${engine_role};
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
export async function forgetInputs(
  db: Database,
  tenant_id: string,
  calls: readonly RecordedCall[],
): Promise<number> {
  const record_ids = new Set(calls.map(({ record_id }) => record_id))
  const correlation_ids = [...new Set(calls.map(({ correlation_id }) => correlation_id))]
  const input_hashes: string[] = []
  for await (const records of searchRecords(queryOf(db), tenant_id, { correlation_ids }))
    for (const record of records) {
      const body = bodyOf(record)
      if (body && record_ids.has(body.id)) input_hashes.push(String(body.meta.input_hash))
    }
  const row = await sql<{ forgotten: number }>`
    SELECT svc_forget_inputs(${input_hashes}::text[]) AS forgotten`.first(db)
  return row!.forgotten
}
