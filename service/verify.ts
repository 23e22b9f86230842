// svc-engine verify <export>: checks an audit log offline, with the keys, checkpoints and witnesses its reader trusts.
import { existsSync, readFileSync } from 'node:fs'
import { type ExportVerdict, verifyExport } from '@svc/sdk/verify/export'
import { readKey } from '@svc/sdk/verify/note'
import { verdictText } from '@svc/sdk/verify/verdict-text'
import { showProgress } from './admin/terminal.ts'
import { exportLines } from './export-lines.ts'
import { ConfigError } from './settings/config-error.ts'

export interface VerifyOptions {
  readonly file: string
  /** Public keys that are trusted for this log (base64url). */
  readonly keys: readonly string[]
  /** Checkpoints stored elsewhere: they reveal a truncated or rewritten chain. */
  readonly checkpoints: readonly string[]
  /** Witnesses that are trusted, each as name+id+key. */
  readonly witness_keys: readonly string[]
  /** How many of them must have cosigned the log; not parsed yet. */
  readonly witnesses_needed: string
  readonly json: boolean
}

/** The log is consistent, but nothing trusted confirms it. `svc audit verify` exits with the same code. */
const unverified = 8
const progress_lines = 1_000

export async function verify(options: VerifyOptions): Promise<number> {
  const { file, keys, checkpoints, json, witness_keys } = options
  const witnesses_needed = readNeeded(options)
  for (const key of keys) await requireKey(key)
  for (const path of [file, ...checkpoints]) {
    if (!existsSync(path)) {
      console.error(
        `There is no file ${path}; create an export with: svc-engine admin export <tenant> > audit-log.jsonl`,
      )
      return 1
    }
  }
  const verdict = await verifyExport(watched(exportLines(file)), {
    ...(keys.length > 0 ? { trustedKeys: keys } : {}),
    checkpoints: checkpoints.map((path) => readFileSync(path, 'utf8')),
    witnessKeys: witness_keys,
    witnessesNeeded: witnesses_needed,
  })
  const { headline, lines } = verdictText(verdict, keys)
  console.log(json ? JSON.stringify(verdict) : `${headline}: ${lines.join('\n')}`)
  return exitOf(verdict)
}

/** With progress for a person who waits. */
async function* watched(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let count = 0
  try {
    for await (const line of lines) {
      if (++count % progress_lines === 0) showProgress(`Checked ${count} lines`)
      yield line
    }
  } finally {
    showProgress('')
  }
}

function exitOf({ verified, ok }: ExportVerdict): number {
  if (verified) return 0
  return ok ? unverified : 1
}

/** Checks the form of the keys; only the reader knows whose they are. */
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
    `--witnesses-needed is ${witnesses_needed}; it must be a number, with as many --witness-key <name+id+key>.`,
  )
}
