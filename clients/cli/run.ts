// One run of svc, from its arguments to its exit code.

import { didYouMean } from '@svc/sdk/nearest'
import type { Flags, Terminal } from './command.ts'
import { commands } from './commands.ts'
import { exitCodeOf, UsageError } from './exit.ts'
import { describeFault } from './output/describe-fault.ts'
import { commandHelp, mainHelp } from './output/help.ts'
import { readFields } from './output/select-fields.ts'
import { verboseFetch } from './output/verbose-fetch.ts'
import package_json from './package.json' with { type: 'json' }
import { parseFlags, splitCommand } from './parse-flags.ts'

/** The conventional exit code after Ctrl-C: 128 plus the signal number. */
const interrupted = 130

export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(argv, terminal)
  } catch (thrown) {
    if (terminal.signal.aborted) {
      // Ends the line of the ^C that the terminal shows, before the prompt.
      if (terminal.stderr_is_tty) terminal.err('\n')
      return interrupted
    }
    terminal.err(describeFault(thrown, terminal))
    return exitCodeOf(thrown)
  }
}

async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { leading, name, rest } = splitCommand(argv)
  if (name === undefined) return answerAlone(leading, terminal)
  if (name === 'help') return await printHelp([...leading, ...rest], terminal)
  const command = await loadCommand(name)
  const words = [...leading, ...rest]
  const more_flags = await command.flagsFor?.(words, terminal)
  // With flags of its own the operation is part of the name, so that hints lead to its page.
  const operation = Object.keys(more_flags ?? {}).length > 0 ? rest.slice(0, rest.findIndex(isFlag)) : []
  const label = [name, ...operation].join(' ')
  const { args, flags } = parseFlags(words, { ...command.flags, ...more_flags }, label)
  if (flags.help) {
    const page = await command.helpFor?.(args, flags, terminal)
    terminal.out(page ?? commandHelp(name, command, terminal))
    return 0
  }
  const { SVC_TLS_CA: authority } = terminal.env
  // doctor checks it itself and reports what is wrong.
  if (authority && name !== 'doctor')
    (await import('./login/certificate-authorities.ts')).trustAuthority(authority)
  return await command.run(args, flags, terminalFor(flags, terminal))
}

function isFlag(word: string): boolean {
  return word.startsWith('-')
}

/** With what the flags of every command change in it. */
function terminalFor(flags: Flags, terminal: Terminal): Terminal {
  const json_fields = readFields(flags.json)
  const fetch = flags.verbose ? verboseFetch(terminal) : terminal.fetch
  return Object.create(terminal, {
    fetch: { value: fetch, enumerable: true },
    json_fields: { value: json_fields, enumerable: true },
  })
}

/** Without a command: the version or the help page. */
function answerAlone(leading: readonly string[], terminal: Terminal): number {
  const flags = { version: { type: 'boolean', short: 'V' } } as const
  const flag = parseFlags(leading, flags, '').flags
  terminal.out(flag.version ? `svc ${package_json.version}\n` : mainHelp(terminal))
  return 0
}

async function printHelp(rest: readonly string[], terminal: Terminal): Promise<number> {
  const { args } = parseFlags(rest, {}, 'help')
  const [name] = args
  terminal.out(
    name === undefined || name === 'help'
      ? mainHelp(terminal)
      : commandHelp(name, await loadCommand(name), terminal),
  )
  return 0
}

async function isProtocol(name: string): Promise<boolean> {
  const { protocols } = await (await import('./calls/completions-data.ts')).loadCompletions()
  return Object.keys(protocols).some((id) => id.toLowerCase() === name.toLowerCase())
}

async function loadCommand(name: string) {
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (listed) return await listed.load()
  const parent = Object.keys(commands).find((each) => Object.hasOwn(commands[each]!.subcommands ?? {}, name))
  const meant = parent
    ? ` Did you mean svc ${parent} ${name}?`
    : (await isProtocol(name))
      ? ` It is a protocol: svc invoke ${name.toUpperCase()} calls its operations, svc operations ${name} lists them.`
      : didYouMean(name, [...Object.keys(commands), 'help'])
  throw new UsageError(`svc has no command ${name}.${meant}`, 'svc --help lists them.')
}
