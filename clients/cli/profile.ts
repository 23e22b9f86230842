// Flags and environment of the login commands.
import type { Flags, Terminal } from './command.ts'
import { UsageError } from './exit.ts'
import { textFlag } from './settings.ts'

/** An empty variable counts as not set, as scripts and containers expect. */
export function filled(text: string | undefined): string | undefined {
  return text?.trim() || undefined
}

export function profileOf(flags: Flags, terminal: Terminal): string | undefined {
  return filled(textFlag(flags, 'profile')) ?? filled(terminal.env.SVC_PROFILE)
}

export function refuseArguments(args: readonly string[], command: string): void {
  if (args.length > 0)
    throw new UsageError(`svc ${command} takes no ${args[0]}.`, `svc ${command} --help shows what it takes.`)
}
