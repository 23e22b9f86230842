// Pages and their terms are spread by tenant, and the pages of a long log also by their numbers.
import { engine_role } from '@svc/database/migration'
import { hashPartitions, partitions } from '@svc/database/partitions'
import type { Query } from '../query/client-query.ts'
import { page_records } from './page.ts'

/** 17 billion records, some 3 TB: ten logs as long as this fit into one table. */
const range_pages = 2 ** 26

export const log_partitions = `
${hashPartitions('audit_pages', 'PARTITION BY RANGE (page)')}
${hashPartitions('audit_terms', 'PARTITION BY RANGE (page)')}
-- Makes room for the next pages of a part. The owner of the tables does it, whoever calls.
CREATE FUNCTION svc_add_log_range(part integer, range bigint) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '2s' AS $$
DECLARE
  whole text;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('svc_add_log_range'));
  IF to_regclass(format('audit_terms_%s_%s', part, range)) IS NOT NULL THEN
    RETURN false;
  END IF;
  FOREACH whole IN ARRAY ARRAY['audit_pages', 'audit_terms'] LOOP
    name := format('%s_%s_%s', whole, part, range);
    EXECUTE format('CREATE TABLE public.%I PARTITION OF public.%I FOR VALUES FROM (%s) TO (%s)', name, whole || '_' || part,
      range * ${range_pages}, (range + 1) * ${range_pages});
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change()', name);
  END LOOP;
  -- Room beside each row for its version without bytes: then no index changes when a page is archived.
  EXECUTE format('ALTER TABLE %I SET (fillfactor = 50)', format('audit_pages_%s_%s', part, range));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION svc_add_log_range(integer, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION svc_add_log_range(integer, bigint) TO ${engine_role};
SELECT svc_add_log_range(part, 0) FROM generate_series(0, ${partitions - 1}) AS part;
`

const due_sql = `
  SELECT part, max((h.seq / ${page_records} + ${range_pages / 2}) / ${range_pages}) AS range
  FROM chain_heads h CROSS JOIN generate_series(0, ${partitions - 1}) AS part
  WHERE h.seq >= ${(range_pages / 2) * page_records}
    AND satisfies_hash_partition('audit_pages'::regclass, ${partitions}, part, h.tenant_id)
  GROUP BY part`

/** Once a log has filled half of a range the next one is made: months before it is needed. Returns how many were made. */
export async function addLogRanges(query: Query): Promise<number> {
  let added = 0
  for (const { part, range } of await query<{ part: number; range: string }>(due_sql, [])) {
    const [row] = await query<{ added: boolean }>('SELECT svc_add_log_range($1, $2) AS added', [part, range])
    if (row!.added) added++
  }
  return added
}
