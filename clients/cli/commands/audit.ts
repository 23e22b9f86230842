// svc audit: follow, export and verify the audit log of your tenant.

import { didYouMean } from '@svc/sdk/nearest'
import { protocols } from '../../../generated/sdk-operations.ts'
import { type Exported, exportTo, watchedLines } from '../audit/export.ts'
import { watchedFile } from '../audit/file.ts'
import { requireKeys } from '../audit/pin.ts'
import { printRecord, type TailFilter, tailRecords } from '../audit/tail.ts'
import { printVerdict, tellPin, tellPinUsed } from '../audit/verdict-text.ts'
import { readNotes, stdinLines, type Trusted, verifyLines, verifyOwn } from '../audit/verify.ts'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError, verdictExit } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { formatOf, formatOfData, printValue } from '../output/output.ts'
import { settingsOf, textFlag } from '../settings.ts'
import { listFlag, runSubcommand, type Subcommand } from '../subcommands.ts'

const limit_default = 20
const limit_max = 1_000

const tail_help = `
svc audit tail, svc tail   the newest records of your tenant's audit log, without your own reads by this command
  -f, --follow             then print new records until Ctrl-C
  --limit <n>              how many existing records (${limit_default}, at most ${limit_max})
  --outcome <outcome>      only success, refused or error
  --protocol <PROTOCOL>    only calls of one protocol
  --json[=<fields>]        JSON lines, the default in a pipe; on a terminal each record is a line for people
`
const tail_flags = {
  follow: { type: 'boolean', short: 'f' },
  limit: { type: 'string' },
  outcome: { type: 'string' },
  protocol: { type: 'string' },
} as const

const subcommands: Readonly<Record<string, Subcommand>> = {
  tail: { flags: Object.keys(tail_flags), args_max: 0, run: runTail },
  export: { flags: ['from', 'to', 'file'], args_max: 0, run: runExport },
  verify: {
    flags: ['key', 'checkpoint', 'witness-key', 'witnesses-needed', 'accept-new-key'],
    args_max: 1,
    run: runVerify,
  },
}

export const tail: Command = {
  summary: 'Follow your audit log; the short form of svc audit tail.',
  usage: 'tail [flags]',
  help: `${tail_help}
Examples
  svc tail --follow --outcome refused
  svc tail --json=seq,protocol,operation,outcome
`,
  flags: tail_flags,
  run: (args, flags, terminal) => audit.run(['tail', ...args], flags, terminal),
}

export const audit: Command = {
  summary: 'Follow, export and verify your audit log.',
  usage: 'audit tail|export|verify [flags]',
  help: `${tail_help}
svc audit export           the audit log as JSON lines, up to the newest signed checkpoint
  --file <path>            output file; written atomically, readable by you only (0600)
  --from <n>, --to <n>     a part of it; only a whole audit log can be proved

svc audit verify [<file>]  check an audit log on this machine: hashes, links, signed roots, changes of keys
  <file>                   an export, or - for standard input; without it, your current log
  --key <key>              a public key you trust for this log, base64url; may be repeated
  --checkpoint <file>      a signed note kept earlier by you or someone else; may be repeated
  --witness-key <key>      a witness you trust, as name+id+key; may be repeated; reports how far it cosigned the log
  --witnesses-needed <n>   how many of them must have cosigned it
  --accept-new-key         without a file: replace the pinned key with the engine's current key

Anyone can write a log and sign it with their own key. So a log is verified only against something
you trust: a --key, a --checkpoint, a witness that saw all of it, or the key pinned for your engine
and tenant. Without a file the first run pins that key and the newest checkpoint in ~/.svc/pins, and later
runs report if the key changed, or the log was rewritten or truncated.
Exit code 0: verified. 8: consistent, but nothing you trust vouches for it. 1: invalid.

Examples
  svc audit tail --follow --outcome refused
  svc audit export --file audit-log.jsonl && svc audit verify audit-log.jsonl
  svc audit verify audit-log.jsonl --key "$KEY"
  svc audit verify
`,
  flags: {
    ...tail_flags,
    from: { type: 'string' },
    to: { type: 'string' },
    file: { type: 'string' },
    key: { type: 'string', multiple: true },
    'accept-new-key': { type: 'boolean' },
    checkpoint: { type: 'string', multiple: true },
    'witness-key': { type: 'string', multiple: true },
    'witnesses-needed': { type: 'string' },
  },
  run: (args, flags, terminal) =>
    runSubcommand('audit', subcommands, args, { flags, declared: audit.flags, terminal }),
}

async function runTail(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOfData(flags, terminal)
  const { signal } = terminal
  const limit = numberFlag(flags, 'limit', 0, limit_max) ?? limit_default
  const { agent_did } = settingsOf(flags, terminal)
  const options = { agent_did, filter: filterOf(flags), limit, follow: flags.follow === true, signal }
  for await (const record of tailRecords(openClient(flags, terminal), options))
    await printRecord(record, format, terminal)
  return 0
}

const outcomes: readonly string[] = ['success', 'refused', 'error']

function filterOf(flags: Flags): TailFilter {
  const outcome = textFlag(flags, 'outcome')
  const protocol = textFlag(flags, 'protocol')
  if (outcome !== undefined && !outcomes.includes(outcome))
    throw new UsageError(
      `--outcome is success, refused or error, not ${outcome}.${didYouMean(outcome, outcomes)}`,
    )
  return {
    ...(outcome === undefined ? {} : { outcome: outcome as NonNullable<TailFilter['outcome']> }),
    ...(protocol === undefined ? {} : { protocol: namedAlike(protocol) }),
  }
}

/** In the catalogue's spelling; unknown names may be a plugin's. */
function namedAlike(protocol: string): string {
  return Object.keys(protocols).find((id) => id.toLowerCase() === protocol.toLowerCase()) ?? protocol
}

async function runExport(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const fromSeq = numberFlag(flags, 'from', 1) ?? 1
  const toSeq = numberFlag(flags, 'to', 1)
  if (toSeq !== undefined && toSeq < fromSeq)
    throw new UsageError(`--to ${toSeq} is before --from ${fromSeq}; name a range with at least one record.`)
  const span = { fromSeq, ...(toSeq === undefined ? {} : { toSeq }) }
  const file = textFlag(flags, 'file')
  const lines = watchedLines(openClient(flags, terminal), span, terminal)
  const exported = await exportTo(file, lines, terminal)
  if (file !== undefined && format !== 'human') await printValue({ file, ...exported }, format, terminal)
  else terminal.err(`${sayExported(exported, file)}\n`)
  return 0
}

function sayExported(
  { tenant_id, from_seq, to_seq, checkpoints }: Exported,
  file: string | undefined,
): string {
  const what = `records ${from_seq} to ${to_seq} of ${tenant_id}, ${checkpoints} signed checkpoints`
  return file === undefined
    ? `Exported ${what}.`
    : `Exported ${what}; check it with: svc audit verify ${file}`
}

async function runVerify([file]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const trusted = await trustedOf(flags)
  const accepts_new_key = flags['accept-new-key'] === true
  if (file !== undefined) {
    if (accepts_new_key)
      throw new UsageError("--accept-new-key is for your engine's log; for a file, name its key with --key.")
    const judged = await verifyLines(
      file === '-' ? stdinLines(terminal) : watchedFile(file, terminal),
      trusted,
      flags,
      terminal,
    )
    await printVerdict(judged, 'file', format, terminal)
    tellPinUsed(judged, terminal)
    return verdictExit(judged.verdict)
  }
  const settings = settingsOf(flags, terminal)
  const lines = watchedLines(openClient(flags, terminal), {}, terminal)
  const judged = await verifyOwn(lines, settings, trusted, accepts_new_key, terminal)
  await printVerdict(judged, 'engine', format, terminal)
  tellPin(judged, settings, accepts_new_key, terminal)
  return verdictExit(judged.verdict)
}

async function trustedOf(flags: Flags): Promise<Trusted> {
  const keys = listFlag(flags, 'key')
  requireKeys(keys)
  const checkpoints = await readNotes(listFlag(flags, 'checkpoint'))
  const witnessKeys = listFlag(flags, 'witness-key')
  const witnessesNeeded = numberFlag(flags, 'witnesses-needed', 1) ?? 0
  if (witnessesNeeded > witnessKeys.length)
    throw new UsageError(`--witnesses-needed ${witnessesNeeded} needs as many --witness-key <name+id+key>.`)
  return { keys, checkpoints, witnessKeys, witnessesNeeded }
}

function numberFlag(
  flags: Flags,
  name: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): number | undefined {
  const text = textFlag(flags, name)
  if (text === undefined) return undefined
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`
  throw new UsageError(`--${name} is a whole number ${range}, not ${text}.`)
}
