// Which rows belong to a tenant: read from the catalogue of the database, so that a new table is moved without being named here.
import type { Client } from 'pg'

export interface Table {
  readonly name: string
  /** In order, without generated ones. */
  readonly columns: readonly string[]
  /** A number that the database gave. */
  readonly identity: string | undefined
}

/** Beside `tenant_id`, who else a row belongs to. Once it is over, both keep it; while it is not, neither moves alone. */
export const shared_tables: Readonly<Record<string, readonly string[]>> = {
  treaties: ['counterparty_tenant'],
  treaty_signatures: ['counterparty_tenant'],
  treaty_findings: ['counterparty_tenant'],
  contracts: ['counterparty_tenant'],
  obligations: ['counterparty_tenant'],
  settlements: ['counterparty_tenant'],
  cases: ['respondent_tenant', 'venue_tenant'],
  case_draws: ['respondent_tenant', 'venue_tenant'],
  case_hearings: ['respondent_tenant', 'venue_tenant'],
  case_pleadings: ['respondent_tenant', 'venue_tenant'],
  case_remedies: ['respondent_tenant', 'venue_tenant'],
  case_rulings: ['respondent_tenant', 'venue_tenant'],
  case_votes: ['respondent_tenant', 'venue_tenant'],
}

/** Tables without a tenant, and what becomes of them at a move. A table that is missing here fails a test. */
export const other_tables: Readonly<Record<string, string>> = {
  arsenal_tools: 'the node of approved tools serves one cell; publish the tools in both',
  audit_fan_out_leases: 'of engines',
  dissolution_notice: 'one setting for the cell',
  engine_replicas: 'of engines',
  external_protocols: 'registered for the cell',
  gateway_contexts: 'used signatures, for seconds',
  journal_positions: 'of engines',
  kysely_migration: 'of the database',
  metric_sources: 'of engines',
  oas_documents: 'copied by their DID',
  oauth_payloads: 'apps ask their people to sign in again',
  oauth_signing_keys: 'of the cell; access tokens live for minutes',
  plugins: 'installed in the cell',
  protocol_settings: 'of the cell',
  reseal_progress: 'of a renewal in this database',
  root_key_engines: 'of engines',
  root_keys: 'the same in both; root-key copy',
  sealed_columns: 'of the tables',
  sign_in_attempts: 'counts of minutes',
  svc_operator: 'of the cell',
  tenant_move_confirmations: 'of the move itself',
  witness_asked: 'what this installation watches as a witness',
  witness_key: 'what this installation watches as a witness',
  witness_log_keys: 'what this installation watches as a witness',
  witness_logs: 'what this installation watches as a witness',
}

/** Of full pages, which never change: copied while the tenant is served, some at a time. */
export const page_tables = ['audit_pages', 'audit_terms'] as const
/** The log, which stays in the source as it was, but cannot be written there any more. */
export const log_tables = [
  ...page_tables,
  'audit_tail',
  'audit_tree',
  'audit_checkpoints',
  'audit_cosignatures',
  'audit_hot_pages',
  'audit_keys',
  'audit_public_logs',
  'audit_salts',
  'chain_heads',
] as const
/** Kept in the source as well, so that a caller there learns that the tenant has moved. */
export const kept_tables = ['tenants', 'api_keys'] as const
/** Joined anew: their numbers are those of a database. */
const ledger_tables = [
  'assets',
  'ledger_accounts',
  'ledger_journals',
  'ledger_entries',
  'ledger_balances',
] as const
export const series_tables = ['metric_series', 'metric_point'] as const
const own_table = 'tenant_homes'

const catalogue_sql = `
  SELECT c.relname AS name,
    array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
    max(a.attname::text) FILTER (WHERE a.attidentity <> '') AS identity
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace
  GROUP BY c.relname`

/** Every table of the schema. */
export async function allTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<{ name: string; columns: string[]; identity: string | null }>(
    `${catalogue_sql} ORDER BY 1`,
  )
  return rows.map(({ identity, ...table }) => ({ ...table, identity: identity ?? undefined }))
}

/** Every table with a tenant but the one that says where tenants live. */
export async function tenantTables(client: Client): Promise<Table[]> {
  return (await allTables(client)).filter(
    ({ name, columns }) => name !== own_table && columns.includes('tenant_id'),
  )
}

/** Those whose rows are copied as they are. */
export function isPlain({ name }: Table): boolean {
  const special: readonly string[] = [...page_tables, ...ledger_tables, ...series_tables]
  return !special.includes(name)
}

/** The condition of rows of these tenants, the first parameter. */
export function ofTenants(table: string, parameter: string): string {
  const columns = ['tenant_id', ...(shared_tables[table] ?? [])]
  return columns.map((column) => `${column} = ANY(${parameter})`).join(' OR ')
}

export function listed(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}
