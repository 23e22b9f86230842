// Every table with a tenant, and the policies of the application's role.
export interface TenantTable {
  readonly name: string
  readonly forced: boolean
  readonly rules: string[]
}

/**
 * Read from PostgreSQL's catalogue, so that new tables are covered automatically. A view that reads as its reader has their rules,
 * and a partition is reached through its table only. */
export const tenant_tables = `
  SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS forced,
    (SELECT coalesce(array_agg(concat_ws(' ', p.polname || ':', pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid))
       ORDER BY p.polname), '{}')
     FROM pg_policy p WHERE p.polrelid = c.oid AND (0 = ANY(p.polroles) OR 'svc_app'::regrole = ANY(p.polroles))) AS rules
  FROM pg_class c
  WHERE c.relkind IN ('r', 'p', 'm', 'v') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
    AND NOT (c.relkind = 'v' AND 'security_invoker=true' = ANY(coalesce(c.reloptions, '{}')))
    AND EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
  ORDER BY 1`
