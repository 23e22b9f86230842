// Cuts a chain in PostgreSQL, as who has the database and the key could: what is left is sound in itself.
import { storedRecords } from '@svc/audit/test-stored'
import type { Client } from 'pg'

/** With database access: removes everything after the first record without a trace. */
export async function cutToFirst(client: Client, tenant_id: string): Promise<void> {
  const records = await storedRecords(client, tenant_id)
  const tables = ['audit_tail', 'audit_checkpoints', 'audit_cosignatures', 'chain_heads']
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`)
  for (const [table, column] of [
    ['audit_tail', 'last_seq'],
    ['audit_checkpoints', 'size'],
    ['audit_cosignatures', 'size'],
  ])
    await client.query(`DELETE FROM ${table} WHERE tenant_id = $1 AND ${column} > 1`, [tenant_id])
  // A chain of one record: its tree's frontier is the hash of its only leaf.
  await client.query(
    `UPDATE chain_heads SET seq = 1, head_hash = decode($1, 'hex'), frontier = sha256('\\x00'::bytea || decode($1, 'hex'))
     WHERE tenant_id = $2`,
    [records[0]!.record_hash, tenant_id],
  )
  for (const table of tables) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`)
}
