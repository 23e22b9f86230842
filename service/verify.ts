// svc-engine verify <export>: checks a book offline. Needs the file and nothing else: no server, no network, no keys but public ones.
import { existsSync, readFileSync } from 'node:fs'
import { verifyExport } from '@svc/audit/verify'
import { exportLines } from './export-lines.ts'

export interface VerifyOptions {
  readonly file: string
  /** Checkpoints somebody else kept: what makes a cut tail or a rewritten chain visible. */
  readonly checkpoints: readonly string[]
  readonly json: boolean
}

export async function verify({ file, checkpoints, json }: VerifyOptions): Promise<number> {
  for (const path of [file, ...checkpoints]) {
    if (!existsSync(path)) {
      console.error(
        `There is no file ${path}; make an export with: svc-engine admin export <tenant> > book.jsonl`,
      )
      return 1
    }
  }
  const verdict = await verifyExport(exportLines(file), {
    checkpoints: checkpoints.map((path) => readFileSync(path, 'utf8')),
  })
  // Links alone can be forged by anybody: what no signed root vouches for is not called valid.
  const proved = verdict.ok && verdict.roots_checked
  if (json) console.log(JSON.stringify(verdict))
  else if (verdict.ok && !proved) {
    console.log(
      `NOT PROVED: ${verdict.records} records of ${verdict.tenant_id} follow each other, but the export lacks the ones ` +
        'before them, so no signed root can be checked; export the whole chain.',
    )
  } else if (verdict.ok) {
    console.log(
      `ok: ${verdict.records} records of ${verdict.tenant_id}, ${verdict.checkpoints} signed checkpoints, head ${verdict.head}`,
    )
  } else {
    const where = verdict.first_bad_seq === undefined ? '' : ` at record ${verdict.first_bad_seq}`
    console.log(`NOT VALID${where}: ${verdict.reason}`)
  }
  return proved ? 0 : 1
}
