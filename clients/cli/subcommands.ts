// Commands with subcommands: each takes its own flags and refuses those of the others.
import type { ParseArgsOptionsConfig } from 'node:util'
import { didYouMean } from '@svc/sdk/nearest'
import type { Flags, Terminal } from './command.ts'
import { UsageError } from './exit.ts'

export interface Subcommand {
  /** Its own flags. */
  readonly flags: readonly string[]
  readonly args_max: number
  run(args: readonly string[], flags: Flags, terminal: Terminal): Promise<number>
}

/** `svc <command> <name>`, after its flags and arguments were checked. */
export async function runSubcommand(
  command: string,
  subcommands: Readonly<Record<string, Subcommand>>,
  [name, ...args]: readonly string[],
  { flags, declared, terminal }: { flags: Flags; declared: ParseArgsOptionsConfig; terminal: Terminal },
): Promise<number> {
  const names = Object.keys(subcommands)
  if (name === undefined)
    throw new UsageError(`Name a subcommand: svc ${command} ${names.join(`, or svc ${command} `)}.`)
  if (!Object.hasOwn(subcommands, name))
    throw new UsageError(
      `There is no svc ${command} ${name}; use ${names.join(', ')}.${didYouMean(name, names)}`,
    )
  const subcommand = subcommands[name]!
  const stray = Object.keys(declared).find(
    (flag) => flags[flag] !== undefined && !subcommand.flags.includes(flag),
  )
  if (stray !== undefined) throw new UsageError(`svc ${command} ${name} takes no --${stray}.`)
  if (args.length > subcommand.args_max)
    throw new UsageError(
      `svc ${command} ${name} takes no ${args[subcommand.args_max]}; see svc ${command} --help.`,
    )
  return await subcommand.run(args, flags, terminal)
}

/** The values of a flag that may be repeated. */
export function listFlag(flags: Flags, name: string): string[] {
  const value = flags[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}
