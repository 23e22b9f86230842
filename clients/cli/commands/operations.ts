// svc operations: every operation of the engine, or those that match some words.
import type { Command, Terminal } from '../command.ts'
import { openDirectory, type ProtocolText } from '../operations/engine-directory.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { pageOf } from '../output/human.ts'
import { formatOf, printValue } from '../output/output.ts'
import { cutToWidth, padToWidth } from '../output/text-width.ts'

interface OperationRow {
  readonly protocol: string
  readonly operation: string
  readonly level: string
  readonly effect: string
  readonly summary: string
}

export const operations: Command = {
  summary: 'List the operations of the engine, or find some by words',
  usage: 'operations [<word> ...] [flags]',
  help: `
Lists protocol, operation, level and summary. With words, only those with each word in a name or in the
summary. It asks the engine, so plugins are included; no key is needed.

Flags
  --json[=<fields>]        for programs: protocol, operation, level, effect, summary

Examples
  svc operations
  svc operations MAX
  svc operations treaty sign
  svc operations --json=protocol,operation
`,
  flags: {},
  async run(words, flags, terminal) {
    const format = formatOf(flags, 'human')
    const directory = openDirectory(flags, terminal)
    const ids = await directory.ids()
    const protocol = ids.find((id) => id.toLowerCase() === words[0]?.toLowerCase())
    // A protocol's name alone needs only its own page.
    const is_one = protocol !== undefined && words.length === 1
    const texts = await directory.protocols(is_one ? [protocol] : ids)
    const rows = texts.flatMap(rowsOf).filter((row) => is_one || matches(row, words))
    if (format === 'human') printRows(rows, terminal)
    else await printValue(rows, format, terminal)
    return 0
  },
}

function rowsOf({ id, operations }: ProtocolText): OperationRow[] {
  return operations.map(({ name, level, effect, summary }) => ({
    protocol: id,
    operation: name,
    level,
    effect,
    summary,
  }))
}

function matches({ protocol, operation, summary }: OperationRow, words: readonly string[]): boolean {
  const text = `${protocol} ${operation} ${summary}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}

const gap = '  '

function printRows(rows: readonly OperationRow[], terminal: Terminal): void {
  const colours = coloursOf(terminal, 'stdout')
  if (rows.length === 0) {
    terminal.err('No operation has all of these words. svc operations lists all;\n')
    terminal.err('the search of /docs on the engine also knows other words for them.\n')
    return
  }
  const { width } = pageOf(terminal, colours)
  const widths = [
    Math.max(...rows.map(({ protocol }) => protocol.length)),
    Math.max(...rows.map(({ operation }) => operation.length)),
  ] as const
  for (const { protocol, operation, level, summary } of rows) {
    const names = [padToWidth(harmless(protocol), widths[0]), padToWidth(harmless(operation), widths[1])]
    const first = [...names, harmless(level)].join(gap)
    // In a pipe a summary stays whole, so that it can be searched.
    const room = terminal.stdout_is_tty ? Math.max(20, width - first.length - gap.length) : summary.length
    terminal.out(`${first}${gap}${colours.dim(cutToWidth(harmless(summary), room))}\n`)
  }
}
