// svc-engine verify <export>: checks an audit log offline. Needs the file, and what its reader trusts: keys, checkpoints, witnesses.
import { existsSync, readFileSync } from 'node:fs'
import { type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import { readKey } from '@svc/sdk/verify/note'
import { verdictText } from '@svc/sdk/verify/verdict-text'
import { exportLines } from './export-lines.ts'
import { ConfigError } from './settings/config-error.ts'

export interface VerifyOptions {
  readonly file: string
  /** Public keys that are trusted for this log (base64url). */
  readonly keys: readonly string[]
  /** Checkpoints somebody else kept: what makes a cut tail or a rewritten chain visible. */
  readonly checkpoints: readonly string[]
  /** Witnesses that are trusted, each as name+id+key. */
  readonly witness_keys: readonly string[]
  /** How many of them must have cosigned the log, as it was typed. */
  readonly witnesses_needed: string
  readonly json: boolean
}

/** Nothing contradicts the log, and nothing that is trusted vouches for it. `svc audit verify` ends with the same. */
const unverified = 8

export async function verify(options: VerifyOptions): Promise<number> {
  const { file, keys, checkpoints, json, witness_keys } = options
  const witnesses_needed = readNeeded(options)
  for (const key of keys) await requireKey(key)
  for (const path of [file, ...checkpoints]) {
    if (!existsSync(path)) {
      console.error(
        `There is no file ${path}; make an export with: svc-engine admin export <tenant> > book.jsonl`,
      )
      return 1
    }
  }
  const verdict = await verifyExport(exportLines(file), {
    ...(keys.length > 0 ? { trustedKeys: keys } : {}),
    checkpoints: checkpoints.map((path) => readFileSync(path, 'utf8')),
    witnessKeys: witness_keys,
    witnessesNeeded: witnesses_needed,
  })
  const { headline, lines } = verdictText(verdict, keys)
  console.log(json ? JSON.stringify(verdict) : `${headline}: ${lines.join('\n')}`)
  return exitOf(verdict)
}

function exitOf({ verified, ok }: ExportVerdict): number {
  if (verified) return 0
  return ok ? unverified : 1
}

/** Of the form of a key; whose it is, only the reader knows. */
async function requireKey(key: string): Promise<void> {
  await readKey('any', key).catch((error: Error) => {
    throw new ConfigError(
      `--key: ${error.message}; svc-engine admin audit key <tenant> prints the key of a log.`,
    )
  })
}

function readNeeded({ witnesses_needed, witness_keys }: VerifyOptions): number {
  const needed = /^\d{1,3}$/.test(witnesses_needed) ? Number(witnesses_needed) : Number.NaN
  if (needed <= witness_keys.length) return needed
  throw new ConfigError(
    `--witnesses-needed is ${witnesses_needed}; it is a number, with as many --witness-key <name+id+key>.`,
  )
}
