// One run of svc, from its arguments to its exit code.
import { parseArgs } from 'node:util'
import { common_flags, type Flags, type Terminal } from './command.ts'
import { commands } from './commands.ts'
import { exitCodeOf, UsageError } from './exit.ts'

export async function runCli(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await runCommand(argv, terminal)
  } catch (thrown) {
    terminal.err(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`)
    return exitCodeOf(thrown)
  }
}

async function runCommand([name = '', ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  const listed = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!listed) throw new UsageError(`There is no command ${name}; svc --help lists them.`)
  const command = await listed.load()
  const options = { ...common_flags, ...command.flags }
  const { positionals, values } = parseArgs({ args: rest, options, allowPositionals: true })
  return await command.run(positionals, values as Flags, terminal)
}
