// Proofs for the records of a query: against the signed audit log, or against the signed tree of a report.
import { proveRecord } from '@svc/audit/query/audit-log-reads'
import { queryOf } from '@svc/audit/query/query'
import { findRecords, publicKeys } from '@svc/audit/query/records'
import { firstUnsound, type Span } from '@svc/audit/query/span'
import { inclusionProof } from '@svc/audit/tree/tree-store'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import { treeSizeOfReport } from './report-store.ts'

const proven_max = 200

/** A tenant's audit log, as visible in this transaction. */
export type AuditLog = Pick<OperationContext, 'db' | 'tenant_id'>

/** Recomputes each record's hash, link and tree position, and verifies the signature over the tree. */
export async function verifyRecords(records: readonly AuditRecord[], context: AuditLog) {
  requireProvable(records)
  const { db, tenant_id } = context
  const seqs = records.map(({ seq }) => seq)
  // Hashes first: one wrong leaf also breaks the proofs of intact records around it.
  const unsound = await firstUnsound(db, tenant_id, seqs)
  if (unsound !== undefined) return { ok: false, first_bad_seq: unsound }
  const isSigned = await signatureCheck(context)
  for (const record of records) if (!(await isSigned(record))) return { ok: false, first_bad_seq: record.seq }
  return { ok: true }
}

/** The first record of a span that no signature covers. Proofs fail from there on, so bisection finds it. */
export async function firstUnsigned(span: Span, context: AuditLog): Promise<number | undefined> {
  const isSigned = await signatureCheck(context)
  const isSignedAt = async (seq: number) => {
    const [record] = await findRecords(context.db, context.tenant_id, { after_seq: seq - 1, limit: 1 })
    return record !== undefined && (await isSigned(record))
  }
  // The last record's hash covers all before it: if it is signed, nothing before it was rewritten.
  if (await isSignedAt(span.last_seq)) return undefined
  let [from, to] = [span.first_seq, span.last_seq]
  while (from < to) {
    const middle = Math.floor((from + to) / 2)
    if (await isSignedAt(middle)) from = middle + 1
    else to = middle
  }
  return from
}

async function signatureCheck({ db, tenant_id }: AuditLog) {
  const query = queryOf(db)
  const keys = (await publicKeys(db, tenant_id)).map(({ public_key }) => public_key)
  return async (record: AuditRecord): Promise<boolean> => {
    const receipt = await provable(() => proveRecord(query, record))
    return receipt !== undefined && (await verifyReceipt(receipt, keys)).ok
  }
}

/** Inclusion paths against the tree of a compliance report; records newer than the report have none. */
export async function proofsAgainst(report_id: string, records: readonly AuditRecord[], context: AuditLog) {
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

/** A missing leaf or checkpoint means there is no proof; a database failure is still thrown. */
export async function provable<Proof>(prove: () => Promise<Proof>): Promise<Proof | undefined> {
  try {
    return await prove()
  } catch (error) {
    if ((error as { code?: string }).code !== undefined) throw error
    return undefined
  }
}

export function requireProvable(records: readonly AuditRecord[]): void {
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
