// A program of commands by noun and verb: parses the command line, runs the command and prints its output.
import { system_clock } from '@svc/adapters/clock/system'
import { openPageStore } from '@svc/adapters/log-archive/open-page-store'
import { CachedArchive } from '@svc/adapters/log-archive/page-archive'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import { closest } from '@svc/contract/closest'
import { Refusal } from '@svc/contract/refusal'
import { readArguments } from '../arguments.ts'
import { openLog } from '../assembly/log.ts'
import { readArchiveSettings } from '../settings/archive-settings.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { Environment } from '../settings/reader.ts'
import {
  type Asked,
  type Command,
  type Noun,
  namesFit,
  option_meanings,
  options,
  type Values,
  type Work,
} from './command.ts'
import { currentOperator } from './record.ts'
import { jsonLines, readable, type Said } from './say.ts'
import { chooseTarget, openDatabase, type Target } from './target.ts'
import type { Terminal } from './terminal.ts'

/** Long enough for a busy machine, short enough for a person who waits. */
const connect_ms_max = 60_000

export interface Program {
  /** For example `svc-engine admin`. */
  readonly name: string
  readonly nouns: Readonly<Record<string, Noun>>
  /** Printed before and after the list of commands. */
  readonly introduction: string
  readonly ending: string
}

export async function runProgram(
  program: Program,
  args: string[],
  env: Environment,
  terminal: Terminal,
): Promise<number> {
  const { values, positionals } = readArguments({ args, options, allowPositionals: true })
  const { nouns } = program
  const [first] = positionals
  const noun = first === undefined ? undefined : nouns[nameAmong(program, first, Object.keys(nouns), '')]
  const command = noun && chooseCommand(program, noun, first!, positionals[1])
  if (values.help || !noun || !command) {
    const is_one = command !== undefined && (positionals.length > 1 || Object.keys(noun!).length === 1)
    await terminal.write(is_one ? commandHelp(program, command) : helpOf(program, noun))
    return values.help ? 0 : 1
  }
  const names = positionals.slice(command === noun[''] ? 1 : 2)
  refuseWrongUse(program, command, names, values)
  const target = chooseTarget(values['data-dir'], env)
  const request: Asked = { target, operator: currentOperator(system_clock), terminal, values, names }
  const output = await inOneSentence(() => runCommand(command, request)).finally(() =>
    terminal.progress?.(''),
  )
  await terminal.write(values.json ? jsonLines(output) : readable(output))
  if (output.hangs) process.exit(output.exit)
  return output.exit ?? 0
}

/** One command as it would be typed, on a database that is open already. */
export async function runWithin(
  program: Pick<Program, 'name' | 'nouns'>,
  args: string[],
  work: Omit<Work, 'names' | 'values'>,
): Promise<Said> {
  const { values, positionals } = readArguments({ args, options, allowPositionals: true })
  const [noun = '', verb = '', ...names] = positionals
  const command = program.nouns[noun]?.[verb]
  if (!command || 'runAlone' in command) throw new Error(`${noun} ${verb} cannot run within another command`)
  refuseWrongUse(program, command, names, values)
  return await inOneSentence(() => command.run({ ...work, values, names }))
}

async function runCommand(command: Command, request: Asked): Promise<Said> {
  if ('runAlone' in command) return await command.runAlone(request)
  return await withStore(request.target, (store) => command.run({ ...request, store }))
}

/** Undefined if only the noun was typed; its help is printed then. */
function chooseCommand(
  program: Program,
  noun: Noun,
  name: string,
  verb: string | undefined,
): Command | undefined {
  const verbs = Object.keys(noun).filter(Boolean)
  if (verb === undefined || verbs.length === 0) return noun['']
  return noun[nameAmong(program, verb, verbs, `${name} `)]
}

function nameAmong(program: Program, typed: string, names: readonly string[], before: string): string {
  if (names.includes(typed)) return typed
  const hint = closest(typed, names)
  throw new ConfigError(
    `${program.name} has no command ${before}${typed}. ${
      hint ? `Did you mean ${before}${hint}?` : `It has ${names.map((name) => before + name).join(', ')}.`
    }`,
  )
}

/** Ignoring an unknown option would mislead the operator, so it is refused. */
function refuseWrongUse(
  program: Pick<Program, 'name'>,
  command: Command,
  names: readonly string[],
  values: Values,
): void {
  const allowed: readonly string[] = ['data-dir', 'json', 'help', ...command.takes]
  const foreign = Object.keys(values).find((name) => !allowed.includes(name))
  const what = foreign === undefined ? '' : `This command has no option --${foreign}. `
  if (foreign === undefined && namesFit(command.usage, names.length)) return
  throw new ConfigError(`${what}Use: ${program.name} ${command.usage}`)
}

function helpOf({ introduction, nouns, ending }: Program, noun: Noun | undefined): string {
  const shown = noun ? [noun] : Object.values(nouns)
  const lines = shown.flatMap((each) =>
    Object.values(each).map(({ usage, summary }) => `  ${usage}\n      ${summary}\n`),
  )
  return `${introduction}\n${lines.join('')}${ending}`
}

function commandHelp({ name, ending }: Program, { usage, summary, takes }: Command): string {
  const lines = takes.map((option) => `  --${option.padEnd(16)} ${option_meanings[option]}\n`)
  const own = lines.length === 0 ? '' : `\n${lines.join('')}`
  return `${name} ${usage}\n    ${summary}\n${own}${ending}`
}

export async function withStore<Result>(
  target: Target,
  work: (store: PostgresStore) => Promise<Result>,
): Promise<Result> {
  const log = openLog('error')
  const archive = readArchiveSettings(target.read)
  const page_archive =
    archive && new CachedArchive({ pages: openPageStore(archive.place, system_clock), log })
  const database = await openDatabase(target)
  try {
    const store = await openStore({ url: database.url, connect_ms_max, page_archive, log }).catch(
      (error: Error) => {
        throw new ConfigError(error.message)
      },
    )
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  } finally {
    await database.release()
  }
}

const undefined_table = '42P01'
const undefined_column = '42703'
const no_answer = ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', '57P01', '57P03']
const no_file = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EISDIR', 'EEXIST']

export async function inOneSentence<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw sentenceOf(error as Error & { code?: string })
  }
}

/** Errors an operator can fix become one sentence; anything else is a bug and keeps its stack. */
function sentenceOf(error: Error & { code?: string }): Error {
  if (error instanceof Refusal) return new ConfigError(error.message)
  if (error.code === undefined_table || error.code === undefined_column) {
    return new ConfigError('The database lacks tables of this version; start the engine once to migrate it.')
  }
  if (no_answer.includes(error.code ?? ''))
    return new ConfigError(
      `The database does not answer (${error.code}); svc-engine admin doctor finds out why.`,
    )
  if (no_file.includes(error.code ?? ''))
    return new ConfigError(
      `A file could not be read or written (${error.message}); check its permissions and try again.`,
    )
  return error
}
