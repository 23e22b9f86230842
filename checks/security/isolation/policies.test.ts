// PostgreSQL itself separates tenants: every table has the one policy that compares the tenant, and no other than those listed here.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { type TenantTable, tenant_tables } from './tenant-tables.ts'

let database: TestDatabase

before(async () => {
  database = await testDatabase()
})
after(() => database?.close())

const query = <Row>(sql: string): Promise<Row[]> =>
  asOwner(database.url, async (client) => (await client.query(sql)).rows)

const of_counterparty = (table: string) =>
  ['of_counterparty', 'counterparty_insert', 'counterparty_update'].map((rule) => `${table}_${rule}`)

const of_operator = (table: string) =>
  ['by_operator', 'added_by_operator', 'set_by_operator'].map((rule) => `${table}_${rule}`)

const of_case = (table: string) =>
  ['of_others', 'others_insert', 'others_update'].map((rule) => `${table}_${rule}`)

/** Rows shared by two organizations; each policy has its own tests that a third sees nothing. */
const further_rules: Readonly<Record<string, readonly string[]>> = {
  // Restrictive: a handler adds bounded keys only.
  api_keys: ['api_keys_bounded'],
  // Restrictive: to agents of its own organization, without keys of issuers.
  workloads: ['workloads_bounded', 'workloads_named'],
  audit_outbox: ['audit_outbox_between_tenants'],
  audit_pages: ['audit_pages_shared'],
  audit_tail: ['audit_tail_shared'],
  audit_terms: ['audit_terms_shared'],
  chain_heads: ['chain_heads_shared'],
  audit_tree: ['audit_tree_shared'],
  audit_checkpoints: ['audit_checkpoints_shared'],
  audit_keys: ['audit_keys_shared'],
  book_access: ['book_access_told', 'book_access_given', 'book_access_signed'],
  // Restrictive: what is not for the whole tenant, for its readers only.
  content: ['content_of_readers'],
  mind_cell: ['mind_cell_of_readers'],
  mind_edge: ['mind_edge_of_readers'],
  // Restrictive: only messages in mailboxes of topics are ever deleted.
  mail_messages: ['mail_messages_stay'],
  mail_streams: ['mail_streams_stay'],
  mailboxes: ['mailboxes_stay'],
  contracts: of_counterparty('contracts'),
  obligations: of_counterparty('obligations'),
  settlements: of_counterparty('settlements'),
  merit_credentials: ['merit_credentials_revoked_for_good'],
  tenants: ['tenants_of_operator', 'tenants_tier_set'],
  meter_names: ['meter_names_seen_by_operator'],
  meter_moved: ['meter_moved_seen_by_operator'],
  meter_hours: ['meter_hours_seen_by_operator', 'meter_hours_doubted', 'meter_hours_redone'],
  meter_sums: ['meter_sums_seen_by_operator', 'meter_sums_repaired'],
  call_names: ['call_names_seen_by_operator'],
  call_sums: ['call_sums_seen_by_operator'],
  metric_series: ['metric_series_seen_by_operator'],
  metric_point: ['metric_point_seen_by_operator'],
  spend: ['spend_by_operator', 'spend_of_treaty'],
  treaties: of_counterparty('treaties'),
  dissolutions: ['dissolutions_of_successor'],
  chain_seals: ['chain_seals_of_reader'],
  archives: ['archives_of_reader'],
  treaty_signatures: of_counterparty('treaty_signatures'),
  treaty_findings: of_counterparty('treaty_findings'),
  cases: of_case('cases'),
  case_pleadings: of_case('case_pleadings'),
  case_draws: of_case('case_draws'),
  case_hearings: of_case('case_hearings'),
  case_votes: of_case('case_votes'),
  case_rulings: of_case('case_rulings'),
  case_remedies: of_case('case_remedies'),
  rates: of_operator('rates'),
  billing: of_operator('billing'),
  invoices: of_operator('invoices'),
}

test('every table with a tenant has forced row-level security, and one policy for the application', async () => {
  const tables = await query<TenantTable>(tenant_tables)
  const own = "(tenant_id = current_setting('svc.tenant_id'::text, true))"
  for (const { name, forced, rules } of tables) {
    assert.ok(forced, `${name} has no forced row-level security; use isolateByTenant in its migration`)
    const further = rules.filter(
      (rule) => !further_rules[name]?.some((allowed) => rule.startsWith(`${allowed}: `)),
    )
    assert.deepEqual(further, [`${name}_of_tenant: ${own} ${own}`])
  }
  assert.ok(tables.length >= 10)
  const open_tables = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class c WHERE relkind IN ('r', 'p', 'm', 'v') AND relnamespace = 'public'::regnamespace
     AND has_table_privilege('svc_app', oid, 'SELECT, INSERT, UPDATE, DELETE')
     AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id')`,
  )
  assert.deepEqual(open_tables, [], 'the application may use no table that has no tenant')
})

test('nobody may use a partition by itself, past the policies of its table', async () => {
  const partitions = await query<{ name: string; closed: boolean }>(
    `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity
       AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid)
       AND NOT has_any_column_privilege('svc_app', c.oid, 'SELECT, INSERT, UPDATE')
       AND NOT has_any_column_privilege('svc_engine', c.oid, 'SELECT, INSERT, UPDATE')
       AND NOT has_table_privilege('svc_app', c.oid, 'DELETE, TRUNCATE')
       AND NOT has_table_privilege('svc_engine', c.oid, 'DELETE, TRUNCATE') AS closed
     FROM pg_class c WHERE relkind IN ('r', 'p') AND relispartition`,
  )
  assert.deepEqual(
    partitions.filter(({ closed }) => !closed),
    [],
  )
  assert.ok(partitions.some(({ name }) => name === 'audit_pages_0_0'))
})
