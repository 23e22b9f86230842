// svc-engine verify <export>: checks a book offline. Needs the file and nothing else: no server, no network, no keys but public ones.
import { existsSync, readFileSync } from 'node:fs'
import { type Verdict, verifyExport } from '@svc/audit/verify'
import { ConfigError } from './config-error.ts'
import { exportLines } from './export-lines.ts'

export interface VerifyOptions {
  readonly file: string
  /** Checkpoints somebody else kept: what makes a cut tail or a rewritten chain visible. */
  readonly checkpoints: readonly string[]
  /** Witnesses that are trusted, each as name+id+key. */
  readonly witness_keys: readonly string[]
  /** How many of them must have cosigned the book, as it was typed. */
  readonly witnesses_needed: string
  readonly json: boolean
}

export async function verify(options: VerifyOptions): Promise<number> {
  const { file, checkpoints, json, witness_keys } = options
  const witnesses_needed = readNeeded(options)
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
    witness_keys,
    witnesses_needed,
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
      `ok: ${verdict.records} records of ${verdict.tenant_id}, ${verdict.checkpoints} signed checkpoints, ${witnessedText(verdict)}${verdict.sealed ? 'sealed at ' : ''}head ${verdict.head}`,
    )
  } else {
    const where = verdict.first_bad_seq === undefined ? '' : ` at record ${verdict.first_bad_seq}`
    console.log(`NOT VALID${where}: ${verdict.reason}`)
  }
  return proved ? 0 : 1
}

function readNeeded({ witnesses_needed, witness_keys }: VerifyOptions): number {
  const needed = /^\d{1,3}$/.test(witnesses_needed) ? Number(witnesses_needed) : Number.NaN
  if (needed <= witness_keys.length) return needed
  throw new ConfigError(
    `--witnesses-needed is ${witnesses_needed}; it is a number, with as many --witness-key <name+id+key>.`,
  )
}

function witnessedText({ witnessed }: Verdict): string {
  if (!witnessed) return ''
  const names = witnessed.by.map(({ name, size }) => `${name} up to ${size}`)
  return `witnessed up to record ${witnessed.size} (${names.join(', ') || 'nobody you named'}), `
}
