// Proofs for records that a query found: each against the signed book, or against the tree a report was signed over.
import { proveRecord } from '@svc/audit/book-reads'
import { queryOf } from '@svc/audit/query'
import { publicKeys } from '@svc/audit/records'
import { inclusionProof } from '@svc/audit/tree-store'
import { verifyReceipt } from '@svc/audit/verify-receipt'
import type { AuditRecord } from '@svc/contract/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { treeSizeOfReport } from './report-store.ts'

const proven_max = 200

/** Recomputes each record's hash, its place in the tree and the signature over that tree. */
export async function verifyRecords(records: readonly AuditRecord[], context: OperationContext) {
  requireProvable(records)
  const query = queryOf(context.db)
  const keys = (await publicKeys(context.db, context.tenant_id)).map(({ public_key }) => public_key)
  for (const record of records) {
    const verdict = verifyReceipt(await proveRecord(query, record), keys)
    if (!verdict.ok) return { ok: false, first_bad_seq: record.seq }
  }
  return { ok: true }
}

/** Inclusion paths against the tree of a compliance report; records younger than it have none. */
export async function proofsAgainst(
  report_id: string,
  records: readonly AuditRecord[],
  context: OperationContext,
) {
  requireProvable(records)
  const tree_size = await treeSizeOfReport(context.db, context.tenant_id, report_id)
  if (tree_size === undefined) throw notFound('report', report_id)
  const covered = records.filter(({ seq }) => seq <= tree_size)
  const proofs: { seq: number; tree_size: number; inclusion_path: string[] }[] = []
  for (const { seq } of covered) {
    const inclusion_path = await inclusionProof(queryOf(context.db), context.tenant_id, seq - 1, tree_size)
    proofs.push({ seq, tree_size, inclusion_path })
  }
  return proofs
}

function requireProvable(records: readonly AuditRecord[]): void {
  if (records.length <= proven_max) return
  throw refuse(
    'invalid_payload',
    `At most ${proven_max} records are proved in one answer; ask with limit ${proven_max}.`,
    {
      reason: 'too_large',
      faults: [{ pointer: '/limit', message: `must be at most ${proven_max} where proofs are asked for` }],
    },
  )
}
