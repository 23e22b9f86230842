// The pages of `svc --help` and `svc help <command>`.

import type { Command, Terminal } from '../command.ts'
import { commands } from '../commands.ts'
import { environment } from '../environment.ts'
import { coloursOf } from './colours.ts'
import { pageOf } from './human.ts'
import { wrapToWidth } from './text-width.ts'

/** Narrower, a column is worse to read than a long line. */
const second_column_min = 24

type Row = readonly [name: string, text: string]

const first_steps: readonly Row[] = [
  ['svc login', 'sign in through the browser'],
  ['svc whoami', 'see who you are, and what you may call'],
  [`svc invoke MAX audit_query --input '{"outcome": "refused"}' --output human`, ''],
]
const every_flag: readonly Row[] = [
  ['--profile <name>', 'use the settings kept under this name'],
  ['-o, --output <format>', 'json, yaml or human'],
  ['--api-url <url>', 'another engine than the one of the settings'],
  ['--api-key <key>', 'another key; others can see flags, so rather set SVC_API_KEY'],
  ['--agent-did <did>', 'the identity the key belongs to'],
  ['--tenant-id <id>', 'call as to another tenant'],
  ['-h, --help', 'help for a command: svc invoke --help, svc help invoke'],
]
const files: readonly Row[] = [
  ['~/.svc/config.json', 'what svc login keeps, for you alone to read'],
  ['~/.svc/profiles/<name>.json', 'the same for --profile <name>'],
]
const exit_codes: readonly Row[] = [
  ['0  success', '4  rate limited'],
  ['1  usage, or an input that does not fit', '5  timeout'],
  ['2  not authenticated', '6  adapter, upstream or network'],
  ['3  capability denied', '7  policy denied'],
  ['99 a fault of svc itself', '130 stopped by Ctrl-C'],
]

export function mainHelp(terminal: Terminal): string {
  const colours = coloursOf(terminal, 'stdout')
  const { width } = pageOf(terminal, colours)
  const listed: Row[] = Object.entries(commands).map(([name, { summary }]) => [name, summary])
  const sections: readonly (readonly [string, readonly Row[]])[] = [
    ['First steps', first_steps],
    ['Commands', listed],
    ['Flags of every command', every_flag],
    ['Environment (a flag wins; what is not set is read from the file)', environment],
    ['Files', files],
    ['Exit codes', exit_codes],
  ]
  const head = [
    ...fitLines(
      'svc calls the agent mesh: one door, eight stages, and an audit log that keeps every decision.',
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
  const tail = ['', 'Shell completions: svc completions --help. Something does not work: svc doctor.']
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

/** The second column where the longest of the first ends; a row without a second may be as long as it likes. */
function aligned(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.filter(([, text]) => text !== '').map(([name]) => name.length))
  return rows.map(([name, text]) => `  ${text === '' ? name : `${name.padEnd(width)}  ${text}`}`)
}

/** Parted by the first gap of two blanks behind a word; nothing in the first where there is no second. */
function columnsOf(line: string): readonly [first: string, text: string] {
  const indent = line.length - line.trimStart().length
  const gap = line.indexOf('  ', indent)
  const text = gap < 0 ? '' : line.slice(gap).trimStart()
  return text === '' ? ['', ''] : [line.slice(0, line.length - text.length), text]
}

/** A page for this width: paragraphs flow, second columns wrap in place, and commands to be copied stay as they are. */
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
