// svc report: issue a compliance report, save it as a file to hand on, and check such a file offline.
import { readFile, stat } from 'node:fs/promises'
import { extname } from 'node:path'
import { verifyReport } from '@svc/sdk/verify/report'
import { requireKeys } from '../audit/pin.ts'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { openClient } from '../open-client.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { writeWhole } from '../private-file.ts'
import { textFlag } from '../settings.ts'
import { listFlag, runSubcommand, type Subcommand } from '../subcommands.ts'

const file_bytes_max = 16 * 1024 * 1024

const subcommands: Readonly<Record<string, Subcommand>> = {
  issue: { flags: ['from', 'to', 'framework', 'file'], args_max: 0, run: issue },
  fetch: { flags: ['file'], args_max: 1, run: fetchReport },
  verify: { flags: ['key'], args_max: 1, run: verify },
}

export const report: Command = {
  summary: 'Issue a compliance report, save it as PDF or CSV, and verify it offline.',
  usage: 'report issue --from <time> --to <time> | fetch <report_id> | verify <file> [flags]',
  help: `
svc report issue             issue a signed report on a period of your audit log
  --from <time>              first day or moment, such as 2026-11-01
  --to <time>                end, itself not included
  --framework <name>         core, soc2, eu-ai-act or iso42001 (core)
  --file <path>              also save it, as .pdf or .csv; may be repeated
svc report fetch <report_id> save a report that was issued
  --file <path>              where: .pdf or .csv; may be repeated
svc report verify <file>     check a .pdf, .csv or .json of a report, without any engine
  --key <key>                a public key of the organization's audit log that you trust; may be repeated

Exit code of verify: 0 where it is signed with a key you trust, otherwise 1. What counts is what it prints: the
rest of a file is for people, and is not signed.

Examples
  svc report issue --from 2026-11-01 --to 2026-12-01 --file november.pdf --file november.csv
  svc report verify november.pdf --key "$KEY"
`,
  flags: {
    from: { type: 'string' },
    to: { type: 'string' },
    framework: { type: 'string' },
    file: { type: 'string', multiple: true },
    key: { type: 'string', multiple: true },
  },
  run: (args, flags, terminal) =>
    runSubcommand('report', subcommands, args, { flags, declared: report.flags, terminal }),
}

type Max = ReturnType<typeof openClient>['max']

async function issue(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const files = filesOf(flags)
  const [from, to, framework] = [
    momentFlag(flags, 'from'),
    momentFlag(flags, 'to'),
    textFlag(flags, 'framework'),
  ]
  const input = { period: { from, to }, ...(framework !== undefined && { framework }) }
  const { max } = openClient(flags, terminal)
  const issued = await max.compliance_report(input as Parameters<Max['compliance_report']>[0], {
    signal: terminal.signal,
  })
  const { report_id, record_count, chain_verified, controls } = issued
  const paths = await save(report_id, files, max, terminal)
  const format = formatOf(flags, 'human')
  if (format !== 'human') await printValue(issued, format, terminal)
  else {
    const verified = chain_verified ? 'all verified' : 'NOT ALL VERIFIED'
    terminal.out(`${report_id}: ${record_count} records, ${verified}.\n${harmless(controlsText(controls))}\n`)
    for (const path of paths) terminal.out(`Saved ${harmless(path)}.\n`)
  }
  return 0
}

type Controls = Awaited<ReturnType<Max['compliance_report']>>['controls']

function controlsText(controls: Controls): string {
  const numberOf = (status: Controls[number]['status']) =>
    controls.filter((control) => control.status === status).length
  const broken = controls.filter(({ evidence }) => evidence.some(({ exceptions }) => exceptions > 0))
  const exceptions = broken.map(({ id }) => id).join(', ') || 'none'
  return (
    `Controls: ${numberOf('evidence')} with evidence, ${numberOf('no_evidence')} without evidence in this period, ` +
    `${numberOf('not_shown')} not shown by this log; exceptions: ${exceptions}.`
  )
}

async function fetchReport(
  [report_id]: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const files = filesOf(flags)
  if (report_id === undefined || files.length === 0)
    throw new UsageError('svc report fetch needs the id of a report and --file, such as --file report.pdf.')
  const { max } = openClient(flags, terminal)
  for (const path of await save(report_id, files, max, terminal)) terminal.out(`Saved ${harmless(path)}.\n`)
  return 0
}

async function verify([path]: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  const keys = listFlag(flags, 'key')
  if (path === undefined || keys.length === 0)
    throw new UsageError(
      'svc report verify needs a file and --key: a public key of the audit log that you trust.',
      'The organization tells it, or its engine: svc audit verify shows it.',
    )
  requireKeys(keys)
  const bytes = await readReport(path)
  const verdict = await verifyReport(bytes, keys)
  if (format !== 'human') await printValue(verdict, format, terminal)
  else if (verdict.ok) {
    const { report_id, tenant_id, record_count, chain_verified } = verdict.report
    const log = chain_verified === true ? 'the audit log verified' : 'THE AUDIT LOG DID NOT VERIFY'
    terminal.out(harmless(`Verified: report ${report_id} of ${tenant_id}, ${record_count} records; ${log}.`))
    terminal.out('\n')
  } else terminal.err(`Not verified: ${harmless(verdict.reason)}.\n`)
  return verdict.ok ? 0 : 1
}

async function readReport(path: string): Promise<Uint8Array> {
  try {
    if ((await stat(path)).size > file_bytes_max) throw new UsageError(`${path} is too large for a report.`)
    return await readFile(path)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}); check its name.`)
  }
}

interface ReportFile {
  readonly path: string
  readonly format: 'csv' | 'pdf'
}

function filesOf(flags: Flags): ReportFile[] {
  return listFlag(flags, 'file').map((path) => {
    const format = extname(path).slice(1)
    if (format === 'csv' || format === 'pdf') return { path, format }
    throw new UsageError(`--file ends in .pdf or .csv, not ${path}; --json prints the report as JSON.`)
  })
}

function momentFlag(flags: Flags, name: 'from' | 'to'): string {
  const text = textFlag(flags, name)
  if (text === undefined) throw new UsageError('svc report issue needs --from and --to, such as 2026-11-01.')
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
}

async function save(
  report_id: string,
  files: readonly ReportFile[],
  max: Max,
  { signal }: Terminal,
): Promise<string[]> {
  for (const { path, format } of files) {
    const { content } = await max.compliance_report_file({ report_id, format }, { signal })
    await writeWhole(path, Buffer.from(content, 'base64'))
  }
  return files.map(({ path }) => path)
}
