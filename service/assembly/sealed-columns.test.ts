import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.close())

/** Hashes, public keys, pages, figures; and content whose own key is in another column. */
const not_sealed_by_root_keys = [
  'api_keys.secret_hash',
  'approvals.input_sealed',
  'archive_chunks.bytes',
  'audit_checkpoints.root',
  'audit_fan_out_cursors.record_hash',
  'audit_inputs.sealed',
  'audit_keys.public_key',
  'audit_pages.before_hash',
  'audit_pages.bytes',
  'audit_pages.hashes',
  'audit_pages.sha256',
  'audit_tail.before_hash',
  'audit_tail.bytes',
  'audit_tail.hashes',
  'audit_tree.hash',
  'causal_models.packed',
  'chain_heads.frontier',
  'chain_heads.head_hash',
  'content.sealed',
  'content_index.embedding',
  'content_key.salt',
  'invitations.token_hash',
  'mage_pieces.sealed',
  'mail_messages.note_sealed',
  'mail_messages.sealed',
  'mat_calls.args_salt',
  'merit_status_lists.bits',
  'meter_hours.root',
  'metric_series.key',
  'mim_task_steps.sealed',
  'mim_tasks.context_sealed',
  'oauth_payloads.grant_hash',
  'oauth_payloads.id_hash',
  'oauth_payloads.uid_hash',
  'outgoing_mail.sealed_file',
  'root_keys.wrapped',
  'saved_views.sealed_acting',
  'saved_views.sealed_file',
  'sessions.token_hash',
  'signal_batches.sealed',
  'users.password_hash',
  'users.password_salt',
  'webhooks.sealed_secret',
  'witness_key.public_key',
  'witness_logs.root',
]

test('every column of bytes is sealed by root keys, or is known not to be', async () => {
  await asOwner(database.url, async (client) => {
    const { rows } = await client.query(`
      SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
      JOIN pg_class r ON r.relname = c.table_name AND NOT r.relispartition AND r.relkind IN ('r', 'p')
      LEFT JOIN sealed_columns s ON s.relation = c.table_name AND s.column_name = c.column_name
      WHERE c.table_schema = 'public' AND c.data_type = 'bytea' AND s.relation IS NULL ORDER BY 1`)
    assert.deepEqual(
      rows.map(({ name }) => name),
      not_sealed_by_root_keys,
      'a new column that root keys seal is named with sealedColumns() in its migration',
    )
  })
})

test('every listed column exists, and the engine may renew what is in it', async () => {
  await asOwner(database.url, async (client) => {
    const { rows } = await client.query(`
      SELECT relation || '.' || column_name AS name FROM sealed_columns
      WHERE NOT has_column_privilege('svc_engine', relation, column_name, 'UPDATE')
        OR NOT has_table_privilege('svc_engine', relation, 'SELECT')`)
    assert.deepEqual(rows, [])
  })
})
