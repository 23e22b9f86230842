// The payload of a call: from --input, from --input-file, or piped in.
import { createReadStream } from 'node:fs'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { textFlag } from '../settings.ts'
import { readBounded } from './read-bounded.ts'

/** What is done if there is no input: it is an empty object, or refused with this example. */
export interface WithoutInput {
  readonly example: string
  readonly is_optional?: boolean
}

export async function readInput(
  flags: Flags,
  terminal: Terminal,
  { example, is_optional = false }: WithoutInput,
): Promise<unknown> {
  const inline = textFlag(flags, 'input')
  const file = textFlag(flags, 'input-file')
  if (inline !== undefined && file !== undefined)
    throw new UsageError('--input and --input-file exclude each other; give one of them.')
  if (inline !== undefined && inline !== '-') return parseInput(inline, '--input')
  if (file !== undefined) return parseInput(await readFile(file, terminal.signal), file)
  if (inline === undefined && terminal.stdin_is_tty && is_optional) return {}
  if (inline === undefined && terminal.stdin_is_tty)
    throw new UsageError(
      'There is no input: give --input <json>, --input-file <path>, or pipe it in.',
      example,
    )
  const text = await terminal.readStdin()
  if (text.trim() === '' && inline === undefined && is_optional) return {}
  if (text.trim() === '')
    throw new UsageError('Standard input is empty: give --input <json>, or pipe JSON in.', example)
  return parseInput(text, 'standard input')
}

/** An empty object if neither flag is given: the fields come by flags, and standard input is left alone. */
export async function readOptionalInput(
  flags: Flags,
  terminal: Terminal,
  without: WithoutInput,
): Promise<unknown> {
  const is_given = flags.input !== undefined || flags['input-file'] !== undefined
  return is_given ? await readInput(flags, terminal, without) : {}
}

function parseInput(text: string, name: string): unknown {
  try {
    return JSON.parse(text.replace(/^\u{feff}/u, ''))
  } catch (thrown) {
    const why = (thrown as Error).message
    const hint = `Mind the shell: put single quotes around the JSON and double quotes inside: '{"key": "value"}'.`
    throw new UsageError(`${name} is not valid JSON: ${why}.`, name === '--input' ? hint : undefined)
  }
}

async function readFile(path: string, signal: AbortSignal): Promise<string> {
  try {
    return await readBounded(createReadStream(path), path, signal)
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (typeof code !== 'string' || thrown instanceof UsageError) throw thrown
    const why: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EACCES: 'permission denied',
      EISDIR: 'it is a directory',
    }
    throw new UsageError(`--input-file ${path} cannot be read: ${why[code] ?? code}.`)
  }
}
