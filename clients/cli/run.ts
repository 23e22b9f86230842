// One run of svc, from its arguments to its exit code.

import { didYouMean } from '@svc/sdk/nearest'
import type { Terminal } from './command.ts'
import { commands } from './commands.ts'
import { exitCodeOf, UsageError } from './exit.ts'
import { describeFault } from './output/describe-fault.ts'
import { commandHelp, mainHelp } from './output/help.ts'
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
  const { args, flags } = parseFlags([...leading, ...rest], command.flags, name)
  if (flags.help) {
    terminal.out(commandHelp(name, command, terminal))
    return 0
  }
  const { SVC_TLS_CA: authority } = terminal.env
  // doctor checks it itself and reports what is wrong.
  if (authority && name !== 'doctor')
    (await import('./login/certificate-authorities.ts')).trustAuthority(authority)
  return await command.run(args, flags, terminal)
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

async function loadCommand(name: string) {
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (listed) return await listed.load()
  const meant = didYouMean(name, [...Object.keys(commands), 'help'])
  throw new UsageError(`svc has no command ${name}.${meant}`, 'svc --help lists them.')
}
