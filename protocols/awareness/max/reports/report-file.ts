// MAX compliance_report_file: an issued report as CSV or PDF, to hand on.
import { publicKeys } from '@svc/audit/query/records'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome } from '@svc/contract/own-list'
import { notFound } from '@svc/contract/refusal'
import { Closed, described, Hash, HexHash, OneOf } from '@svc/contract/schema'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { attestationOf } from '../report-store.ts'
import type { ReportFileTask } from './report-file-job.ts'

const compute_ms_max = 20_000
const job = computation<ReportFileTask, Uint8Array>(new URL('./report-file-job.ts', import.meta.url))
const media_types = { csv: 'text/csv; charset=utf-8', pdf: 'application/pdf' } as const

export const ReportFileInput = Closed({
  report_id: described(Hash, 'As compliance_report answered it.'),
  format: described(OneOf('csv', 'pdf'), 'csv: for spreadsheets. pdf: to read and print.'),
})
export const ReportFileOutput = Closed({
  report_id: described(Hash, 'The report that the file shows.'),
  file_name: Type.String({ description: 'A name for the file.' }),
  media_type: Type.String({ description: 'What kind of file it is.' }),
  content: Type.String({ description: 'The file in base64. The same report always gives the same bytes.' }),
  sha256: described(HexHash, 'Hash of the file.'),
})

export async function reportFile(
  { report_id, format }: Static<typeof ReportFileInput>,
  context: OperationContext<'compute'>,
): Promise<Static<typeof ReportFileOutput>> {
  requireAtHome(context, 'compliance reports')
  const { db, tenant_id } = context
  const attestation = await attestationOf(db, tenant_id, report_id)
  if (attestation === undefined) throw notFound('report', report_id)
  const { kid } = JSON.parse(Buffer.from(attestation.split('.', 1)[0]!, 'base64url').toString('utf8'))
  const public_key = (await publicKeys(db, tenant_id)).find(({ key_id }) => key_id === kid)?.public_key
  const file = Buffer.from(await context.compute(job, { attestation, public_key, format }, compute_ms_max))
  return {
    report_id,
    file_name: `compliance-report-${tenant_id}-${report_id.slice('sha256:'.length, 19)}.${format}`,
    media_type: media_types[format],
    content: file.toString('base64'),
    sha256: sha256Hex(file),
  }
}
