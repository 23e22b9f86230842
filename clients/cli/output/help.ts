// The pages of `svc --help` and `svc help <command>`.

import type { Command, Terminal } from '../command.ts'
import { commands } from '../commands.ts'
import { environment } from '../environment.ts'
import { coloursOf } from './colours.ts'
import { pageOf } from './human.ts'
import { wrapToWidth } from './text-width.ts'

/** A narrower column would be harder to read than a long line. */
const second_column_min = 24

type Row = readonly [name: string, text: string]

const first_steps: readonly Row[] = [
  ['svc login', 'sign in through the browser'],
  ['svc whoami', 'see who you are, and what you may call'],
  ['svc operations', 'see every operation; svc describe <PROTOCOL> <operation> shows one'],
  ['svc invoke MAX audit_query --outcome refused', ''],
]
const every_flag: readonly Row[] = [
  ['--profile <name>', 'use the settings stored under this name'],
  ['--json[=<fields>]', 'JSON for programs: all of it, or some fields (--json=tenant_id,settings.api_url)'],
  ['-o, --output <format>', 'human, json or yaml'],
  ['-v, --verbose', 'each request and its answer on stderr: addresses, headers without secrets, times'],
  ['--api-url <url>', 'the engine (default: from the settings)'],
  ['--api-key <key>', 'the key; flags are visible to other users, so prefer SVC_API_KEY'],
  ['--agent-did <did>', 'the identity the key belongs to'],
  ['--tenant-id <id>', 'target tenant (default: your own)'],
  ['-h, --help', 'help for a command: svc invoke --help, svc help invoke'],
]
const files: readonly Row[] = [
  ['~/.svc/config.json', 'written by svc login, readable by you only'],
  ['~/.svc/profiles/<name>.json', 'the same for --profile <name>'],
  ['~/.svc/profile', 'the profile that svc config use chose'],
]
const exit_codes: readonly Row[] = [
  ['0  success', '4  rate limited'],
  ['1  usage, or an invalid input', '5  timeout'],
  ['2  not authenticated', '6  adapter, upstream or network'],
  ['3  capability denied', '7  policy denied'],
  ['99 a bug of svc itself', '130 stopped by Ctrl-C'],
]

export function mainHelp(terminal: Terminal): string {
  const colours = coloursOf(terminal, 'stdout')
  const { width } = pageOf(terminal, colours)
  const listed: Row[] = Object.entries(commands).map(([name, { summary }]) => [name, summary])
  const sections: readonly (readonly [string, readonly Row[]])[] = [
    ['First steps', first_steps],
    ['Commands', listed],
    ['Flags of every command', every_flag],
    ['Environment (flags override it; it overrides the file)', environment],
    ['Files', files],
    ['Exit codes', exit_codes],
  ]
  const head = [
    ...fitLines(
      'svc calls operations through a gateway that checks every call and records every decision in an audit log.',
      width,
    ),
    '',
    `${colours.bold('Usage')}  svc <command> [flags]`,
  ]
  const body = sections.flatMap(([title, rows]) => [
    '',
    colours.bold(title),
    ...fitLines(aligned(rows).join('\n'), width),
  ])
  const tail = ['', 'Shell completions: svc completions --help. Troubleshooting: svc doctor.']
  return `${[...head, ...body, ...tail].join('\n')}\n`
}

export function commandHelp(name: string, command: Command, terminal: Terminal): string {
  const colours = coloursOf(terminal, 'stdout')
  const { width } = pageOf(terminal, colours)
  const help = command.help.trim()
  const lines = [
    `${colours.bold(`svc ${name}`)}: ${command.summary}`,
    '',
    `${colours.bold('Usage')}  svc ${command.usage}`,
    ...(help === '' ? [] : ['', ...fitLines(help, width)]),
    '',
    'Flags of every command, environment, files and exit codes: svc --help.',
  ]
  return `${lines.join('\n')}\n`
}

/** Aligns the second column after the longest first one; rows without a second column do not count. */
function aligned(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.filter(([, text]) => text !== '').map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${text === '' ? name : `${name.padEnd(width)}  ${text}`}`)
}

/** Splits at the first two blanks after a word; the first column is empty if there is no second. */
function columnsOf(line: string): readonly [first: string, text: string] {
  const indent = line.length - line.trimStart().length
  const gap = line.indexOf('  ', indent)
  const text = gap < 0 ? '' : line.slice(gap).trimStart()
  return text === '' ? ['', ''] : [line.slice(0, line.length - text.length), text]
}

/** Fits a page to this width: paragraphs flow, second columns wrap, and commands stay unchanged. */
export function fitLines(page: string, width: number): string[] {
  const fitted: string[] = []
  let paragraph: string[] = []
  const flow = () => {
    if (paragraph.length > 0) fitted.push(...wrapToWidth(paragraph.join(' '), width))
    paragraph = []
  }
  for (const line of page.split('\n')) {
    const [first, text] = columnsOf(line)
    if (first === '' && /^\S/.test(line)) {
      paragraph.push(line)
      continue
    }
    flow()
    const room = width - first.length
    if (first === '' || room < second_column_min) fitted.push(line)
    else
      wrapToWidth(text, room).forEach((part, i) => {
        fitted.push((i === 0 ? first : ' '.repeat(first.length)) + part)
      })
  }
  flow()
  return fitted
}
