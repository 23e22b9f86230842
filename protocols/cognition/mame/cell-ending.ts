// How a memory cell ends without being removed: archived where nobody needed it for long, redacted where its content is gone.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'

type Keeping = Pick<OperationContext, 'db' | 'tenant_id'>

/** What else refers to content by these names is left alone: only cells have a row here. */
export async function endCells({ db, tenant_id }: Keeping, refs: readonly string[]): Promise<void> {
  // Equal content that comes later is new: nothing must lead to what cannot be read.
  await sql`UPDATE mind_cell SET status = 'redacted', same_key = NULL
    WHERE tenant_id = ${tenant_id} AND ref = ANY(${refs})`.execute(db)
}

/** What it said before is not what it says now: the same words that come again are no duplicate of it. Answers how sure it is. */
export async function editCell({ db, tenant_id }: Keeping, ref: string): Promise<number | undefined> {
  const row = await sql<{ confidence: number }>`UPDATE mind_cell SET same_key = NULL
    WHERE tenant_id = ${tenant_id} AND ref = ${ref} RETURNING confidence`.first(db)
  return row?.confidence
}
