// Runs in the writer thread inside each commit: marks the tenants whose chains grew, so that nobody has to scan all.
import type { ClientBase } from 'pg'
import type { CommittedRecord } from '../chain/chain.ts'
import type { Projection } from '../writer/commit.ts'

// This commit holds the lock on each chain's head, so only one writer at a time updates its row here.
const note_due = `
  INSERT INTO audit_fan_out_due (tenant_id, seq) SELECT * FROM unnest($1::text[], $2::bigint[])
  ON CONFLICT (tenant_id) DO UPDATE SET seq = excluded.seq`

async function noteDue(client: ClientBase, records: readonly CommittedRecord[]): Promise<boolean> {
  const heads = new Map(records.map((record) => [record.tenant_id, record.seq]))
  // Sorted, in the common lock order: two different orders would deadlock.
  const tenant_ids = [...heads.keys()].sort()
  const values = [tenant_ids, tenant_ids.map((tenant_id) => heads.get(tenant_id))]
  await client.query({ name: 'note-due', text: note_due, values })
  return false
}

export const projections: readonly Projection[] = [noteDue]
