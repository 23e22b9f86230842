// Run by the writer thread inside each commit: names the tenants whose chains grew, so that nobody has to look at all.
import type { ClientBase } from 'pg'
import type { CommittedRecord } from '../chain/chain.ts'
import type { Projection } from '../writer/commit.ts'

// The head of each chain is locked by this commit, so its row here is raised by one writer at a time.
const note_due = `
  INSERT INTO audit_fan_out_due (tenant_id, seq) SELECT * FROM unnest($1::text[], $2::bigint[])
  ON CONFLICT (tenant_id) DO UPDATE SET seq = excluded.seq`

async function noteDue(client: ClientBase, records: readonly CommittedRecord[]): Promise<boolean> {
  const heads = new Map(records.map((record) => [record.tenant_id, record.seq]))
  // Sorted, as everybody else takes these rows: two in different orders would wait for each other.
  const tenant_ids = [...heads.keys()].sort()
  const values = [tenant_ids, tenant_ids.map((tenant_id) => heads.get(tenant_id))]
  await client.query({ name: 'note-due', text: note_due, values })
  return false
}

export const projections: readonly Projection[] = [noteDue]
