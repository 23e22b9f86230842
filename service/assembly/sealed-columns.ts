// What was sealed before there were root keys. A newer table says it in its own migration, with sealedColumns.
import { type Migration, sealedColumns } from '@svc/database/migration'

const columns: Readonly<Record<string, readonly string[]>> = {
  approvals: ['input_key', 'decisions'],
  audit_inputs: ['wrapped_key'],
  audit_keys: ['sealed_private'],
  audit_salts: ['sealed'],
  content_key: ['wrapped_key'],
  idempotency_keys: ['output_text'],
  keystore: ['sealed_seed'],
  mail_messages: ['wrapped_key', 'note_key'],
  maker_action: ['ask', 'acting', 'output'],
  mantic_uploads: ['sealed'],
  mare_risks: ['sealed'],
  mat_tools: ['definition'],
  mata_pools: ['sealed'],
  mim_task_steps: ['wrapped_key'],
  mim_tasks: ['context_wrapped'],
  moon_attempt: ['result'],
  moon_manifest: ['manifest', 'acting'],
  moon_run: ['acting', 'input', 'output', 'attributes'],
  moon_signal: ['payload'],
  moon_step: ['result', 'input'],
  oauth_payloads: ['payload'],
  oauth_signing_keys: ['sealed_seed'],
  outgoing_mail: ['wrapped_key'],
  saved_views: ['acting_key', 'file_key'],
  signal_batches: ['wrapped_key'],
  webhooks: ['wrapped_key'],
  witness_key: ['sealed_private'],
}

export const sealed_column_migrations: readonly Migration[] = [
  {
    name: '2026-12-20-01-sealed-columns',
    sql: Object.entries(columns)
      .map(([table, names]) => sealedColumns(table, ...names))
      .join(''),
  },
]
