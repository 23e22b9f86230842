// Forward-only changes of the database. Tables live beside the code that owns them; service/assembly/migrations.ts lists them all in order.

export interface Migration {
  /** Sorted by name: `2026-11-15-01-tenants`. A landed migration is never edited. */
  readonly name: string
  readonly sql: string
  /**
   * Where it takes away what code before it uses: the migration that an engine must know to go on afterwards. Absent: engines
   * that do not know this migration go on, and start again (docs/upgrade.md).
   */
  readonly requires?: string
  /** Changes of large tables, made after it while engines serve. Code of the same release must do without them. */
  readonly later?: readonly LaterStep[]
}

export type LaterStep =
  /** A statement for some rows at a time, repeated until it changes none. */
  | { readonly batch: string }
  /** An index, built while rows are written: its name, and `table (columns)`. */
  | { readonly index: string; readonly on: string }

const taking_away =
  /\b(?:DROP\s+(?!POLICY|INDEX|TRIGGER)\w+|RENAME\b|SET\s+NOT\s+NULL|ALTER\s+COLUMN\s+\w+\s+(?:SET\s+DATA\s+)?TYPE|REVOKE\b|TRUNCATE\b)/i

/** Whether a migration may take away what older code uses, as far as its text tells. */
export const takesAway = ({ sql }: Migration): boolean => taking_away.test(sql)

/** The role handlers run under: sees only rows of the tenant set for its transaction. */
export const app_role = 'svc_app'
/** The role of the engine's own work (keys, tenants, the chain): sees every tenant, owns nothing. */
export const engine_role = 'svc_engine'
/** The transaction-local setting that names the tenant. Unset means no rows. */
export const tenant_setting = 'svc.tenant_id'
/** The transaction-local setting that names who reads, separated by spaces. Unset: only what the whole tenant may read. */
export const principals_setting = 'svc.principals'
/** The value that reads everything of the tenant, for rebuilding an index and for erasure. */
export const all_principals = '*'

type Grant = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE'

/** Row-level security for a table with a `tenant_id` column: a query that forgets its tenant returns nothing. */
export function isolateByTenant(
  table: string,
  app_may: readonly Grant[],
  engine_may: readonly Grant[],
): string {
  const grants = [
    app_may.length ? `GRANT ${app_may.join(', ')} ON ${table} TO ${app_role};` : '',
    engine_may.length ? `GRANT ${engine_may.join(', ')} ON ${table} TO ${engine_role};` : '',
  ]
  return `
    ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
    CREATE POLICY ${table}_of_tenant ON ${table} TO ${app_role}
      USING (tenant_id = current_setting('${tenant_setting}', true))
      WITH CHECK (tenant_id = current_setting('${tenant_setting}', true));
    CREATE POLICY ${table}_of_engine ON ${table} TO ${engine_role} USING (true) WITH CHECK (true);
    ${grants.join('\n')}
  `
}

/** Beside the tenant: rows whose `readers` are set are seen only by these. Null means the whole tenant. */
export function limitToReaders(table: string): string {
  const setting = `coalesce(current_setting('${principals_setting}', true), '')`
  const rule = `readers IS NULL OR ${setting} = '${all_principals}' OR readers && string_to_array(${setting}, ' ')`
  return `
    ALTER TABLE ${table} ADD COLUMN readers text[] CHECK (cardinality(readers) > 0);
    CREATE POLICY ${table}_of_readers ON ${table} AS RESTRICTIVE TO ${app_role} USING (${rule}) WITH CHECK (${rule});
  `
}

/** Columns that root keys seal: the engine renews their envelopes when a root key is renewed. */
export function sealedColumns(table: string, ...columns: readonly string[]): string {
  const rows = columns.map((column) => `('${table}', '${column}')`).join(', ')
  return `
    INSERT INTO sealed_columns (relation, column_name) VALUES ${rows};
    GRANT SELECT, UPDATE (${columns.join(', ')}) ON ${table} TO ${engine_role};
  `
}
