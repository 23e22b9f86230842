// Prints a command's result in the requested format.
import type { RefusalBody, SvcError } from '@svc/sdk/errors'
import { didYouMean } from '@svc/sdk/nearest'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { textFlag } from '../settings.ts'
import { coloursOf } from './colours.ts'
import { harmless, harmlessJson } from './harmless-text.ts'
import { humanText, pageOf } from './human.ts'
import { missingFields, selectFields } from './select-fields.ts'

export type Format = 'json' | 'yaml' | 'human'
const formats: readonly string[] = ['json', 'yaml', 'human'] satisfies Format[]

/** `--json` is short for `--output json`. */
export function formatOf(flags: Flags, default_format: Format): Format {
  const named = textFlag(flags, 'output')
  if (flags.json !== undefined && named !== undefined && named !== 'json')
    throw new UsageError(`--json and --output ${named} exclude each other; give one of them.`)
  const format = flags.json === undefined ? (named ?? default_format) : 'json'
  if (formats.includes(format)) return format as Format
  throw new UsageError(`--output is json, yaml or human, not ${format}.${didYouMean(format, formats)}`)
}

/** For commands that hand over data: readable on a terminal, JSON for the program behind a pipe. */
export function formatOfData(flags: Flags, { stdout_is_tty }: Terminal): Format {
  return formatOf(flags, stdout_is_tty ? 'human' : 'json')
}

/** Prints a result in any of the three formats, with the fields that --json selects. */
export async function printValue(value: unknown, format: Format, terminal: Terminal): Promise<void> {
  const { json_fields: fields } = terminal
  if (format !== 'json' || !fields) return await printWhole(value, format, terminal)
  for (const fault of missingFields(value, fields)) terminal.err(`${harmless(fault)}\n`)
  await printWhole(selectFields(value, fields), format, terminal)
}

/** Prints any value in any of the three formats. */
export async function printWhole(value: unknown, format: Format, terminal: Terminal): Promise<void> {
  if (format === 'json') return terminal.out(`${jsonText(value)}\n`)
  if (format === 'yaml') return terminal.out(await yamlText(value))
  terminal.out(humanText(value, pageOf(terminal, coloursOf(terminal, 'stdout'))))
}

function jsonText(value: unknown): string {
  return harmlessJson(JSON.stringify(value, null, 2))
}

/** One value on one line, for programs that read line by line. */
export function printJsonLine(value: unknown, terminal: Terminal): void {
  const { json_fields: fields } = terminal
  printWholeLine(fields ? selectFields(value, fields) : value, terminal)
}

export function printWholeLine(value: unknown, terminal: Terminal): void {
  terminal.out(`${harmlessJson(JSON.stringify(value))}\n`)
}

/** No block scalars: the library loses blanks in lines that contain nothing else. */
const yaml_form = { lineWidth: 0, blockQuote: false } as const

export async function yamlText(value: unknown): Promise<string> {
  const { stringify } = await import('yaml')
  // The same content as --output json.
  const json = JSON.stringify(value)
  // Escapes work in double quotes as in JSON; plain YAML scalars have none.
  const same: unknown = JSON.parse(json)
  if (harmlessJson(json) === json) return stringify(same, yaml_form)
  const quoted = { ...yaml_form, defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const
  return harmlessJson(stringify(same, quoted))
}

/** The body of a refusal as on the wire; local errors have the same form. */
export function errorBodyOf(error: SvcError): { error: RefusalBody } {
  return { error: error.toJSON() }
}
