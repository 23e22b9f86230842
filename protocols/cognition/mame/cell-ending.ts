// The ends of a memory cell: archived after long disuse, or redacted.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'

type Keeping = Pick<OperationContext, 'db' | 'tenant_id'>

/** Other uses of these references are unaffected: only cells have a row here. */
export async function endCells({ db, tenant_id }: Keeping, refs: readonly string[]): Promise<void> {
  // Equal content stored later is new: it must not resolve to an unreadable cell.
  await sql`UPDATE mind_cell SET status = 'redacted', same_key = NULL
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs})`.execute(db)
}

/** Storing the old content again is then no duplicate of the edited cell. Returns its confidence. */
export async function editCell({ db, tenant_id }: Keeping, ref: string): Promise<number | undefined> {
  const row = await sql<{ confidence: number }>`UPDATE mind_cell SET same_key = NULL
    WHERE tenant_id = ${tenant_id} AND ref = ${ref} RETURNING confidence`.first(db)
  return row?.confidence
}
