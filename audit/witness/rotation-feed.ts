// What a witness needs to follow a key change of this engine's chain: the old key's last checkpoint, and the record that it ends with.
import { Refusal } from '@svc/contract/refusal'
import { readRecords } from '../pages/read-records.ts'
import { recordOf } from '../pages/stored-record.ts'
import type { Query } from '../query/client-query.ts'
import { inclusionProof, TreeFault } from '../tree/tree-store.ts'
import { writeRotationSubmission } from './rotation-submission.ts'

export interface DueCheckpoint {
  readonly size: number
  readonly root: Buffer
  readonly note: string
  /** The body to send, with the proof from a size that the witness has. */
  write(old_size: number, proof: readonly string[]): string
}

/** The first key change at or after this record. Undefined where there is none, or where its record cannot be proved. */
export async function rotationFrom(
  query: Query,
  tenant_id: string,
  from_seq: number,
): Promise<DueCheckpoint | undefined> {
  const [row] = await query<{ size: string; root: Buffer; note: string }>(
    `SELECT c.size, c.root, c.note FROM audit_keys k
     JOIN audit_checkpoints c ON c.tenant_id = k.tenant_id AND c.size = k.until_seq
     WHERE k.tenant_id = $1 AND k.until_seq >= $2 ORDER BY k.until_seq LIMIT 1`,
    [tenant_id, from_seq],
  )
  const size = Number(row?.size)
  const placed = row && (await placedRecord(query, tenant_id, size))
  if (!placed) return undefined
  const { root, note } = row
  return {
    size,
    root,
    note,
    write: (old_size, proof) => writeRotationSubmission(placed, old_size, proof, note),
  }
}

/** It is the last leaf of its tree. */
async function placedRecord(query: Query, tenant_id: string, seq: number) {
  try {
    const [stored] = await readRecords(query, tenant_id, [{ from_seq: seq, to_seq: seq }])
    const inclusion_path = await inclusionProof(query, tenant_id, seq - 1, seq)
    return stored && { record: recordOf(stored), inclusion_path }
  } catch (error) {
    // Its page is in an archive that cannot be reached, or the tree is broken.
    if (error instanceof Refusal || error instanceof TreeFault) return undefined
    throw error
  }
}
