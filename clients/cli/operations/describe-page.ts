// The pages of svc describe and svc invoke <PROTOCOL> <operation> --help.
import type { Named } from '../calls/operation-names.ts'
import type { Terminal } from '../command.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { pageOf } from '../output/human.ts'
import { wrapToWidth } from '../output/text-width.ts'
import type { DescribedOperation } from './engine-directory.ts'
import type { FieldFlag } from './field-flags.ts'
import { type FieldRow, fieldRows, formOf, meaningOf } from './field-rows.ts'
import type { InputDescription } from './input-fields.ts'

/** The fields of the input as flags, and a call that works. */
export function invokeHelp(
  { protocol, operation }: Named,
  { summary, example }: InputDescription,
  fields: readonly FieldFlag[],
  terminal: Terminal,
): string {
  const { bold } = coloursOf(terminal, 'stdout')
  const rows = fields.map(({ flag, negative, path, node, required }) => ({
    path: negative === undefined ? `--${flag}` : `--[no-]${flag}`,
    form: negative === undefined ? formOf(node) : 'yes or no',
    required: required && path.length === 1,
    meaning: meaningOf(node),
  }))
  const lines = [
    `${bold(harmless(`svc invoke ${protocol} ${operation}`))}: ${harmless(summary)}`,
    '',
    ...section('Fields of the input', fieldLines(rows, terminal), terminal),
    ...paragraph(
      'A list takes its flag once for each item; an object takes JSON, or its own fields. Together with --input or --input-file, a flag replaces that field.',
      terminal,
    ),
    '',
    ...section('Example', [`  ${exampleCall({ protocol, operation }, example)}`], terminal),
    harmless(
      `The other flags: svc invoke --help. Answer and refusals: svc describe ${protocol} ${operation}`,
    ),
  ]
  return `${lines.join('\n')}\n`
}

export function describePage(described: DescribedOperation, terminal: Terminal): string {
  const { bold } = coloursOf(terminal, 'stdout')
  const { protocol, name, summary, example, example_needs, scene_text = [] } = described
  const facts: [string, string][] = [
    ['version', described.version],
    [
      'effect',
      described.effect === 'read' ? 'read, safe to repeat' : 'write; --idempotency-key makes a retry safe',
    ],
    ['level', described.level],
    ['capability', described.capability],
    ['MCP tool', described.mcp_tool],
    ['metered', described.meters.join(', ')],
  ]
  const before = [...(example_needs ? [example_needs] : []), ...scene_text]
  const lines = [
    `${bold(harmless(`${protocol} ${name}`))}: ${harmless(summary)}`,
    '',
    ...facts.map(([label, text]) => `  ${label.padEnd(10)}  ${harmless(text)}`),
    '',
    ...section('Input', fieldLines(fieldRows(described.input_schema), terminal), terminal),
    ...section('Answer', fieldLines(fieldRows(described.output_schema), terminal), terminal),
    ...section('Refused with', paragraph((described.refusals ?? []).join(', '), terminal, '  '), terminal),
    ...section(
      'Example',
      [
        ...before.flatMap((step, i) => paragraph(`${i + 1}. ${step}`, terminal, '  ')),
        `  ${exampleCall({ protocol, operation: name }, example)}`,
      ],
      terminal,
    ),
    harmless(`Its fields as flags: svc invoke ${protocol} ${name} --help`),
    harmless(`Whether you may call it: svc explain access me ${protocol}.${name}`),
  ]
  return `${lines.join('\n')}\n`
}

export function exampleCall(
  { protocol, operation }: Pick<Named, 'protocol' | 'operation'>,
  example: unknown,
): string {
  return `svc invoke ${protocol} ${operation} --input ${quoted(JSON.stringify(example))}`
}

/** For a POSIX shell: an engine's example must not end the quotes. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function section(title: string, lines: readonly string[], terminal: Terminal): string[] {
  return [coloursOf(terminal, 'stdout').bold(title), ...lines.map(harmless), '']
}

function paragraph(text: string, terminal: Terminal, indent = ''): string[] {
  const { width } = pageOf(terminal, coloursOf(terminal, 'stdout'))
  return wrapToWidth(text, width - indent.length).map((line) => indent + line)
}

const name_width_max = 32

/** Name and form on one line, the meaning below it if it does not fit. */
function fieldLines(rows: readonly FieldRow[], terminal: Terminal): string[] {
  if (rows.length === 0) return ['  none']
  const colours = coloursOf(terminal, 'stdout')
  const { width } = pageOf(terminal, colours)
  const name_width = Math.min(name_width_max, Math.max(...rows.map(({ path }) => path.length)))
  const margin = ' '.repeat(name_width + 4)
  return rows.flatMap(({ path, form, required, meaning }) => {
    const facts = [required ? `required${form && ', '}${form}` : form, meaning].filter(Boolean).join('. ')
    const lines = wrapToWidth(facts, width - margin.length)
    if (path.length > name_width) return [`  ${path}`, ...lines.map((line) => margin + line)]
    return [
      `  ${path.padEnd(name_width)}  ${lines[0]}`.trimEnd(),
      ...lines.slice(1).map((line) => margin + line),
    ]
  })
}
