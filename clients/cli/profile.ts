// What the commands about one's own login ask of their flags.
import type { Flags, Terminal } from './command.ts'
import { UsageError } from './exit.ts'
import { textFlag } from './settings.ts'

export function profileOf(flags: Flags, terminal: Terminal): string | undefined {
  return textFlag(flags, 'profile') ?? terminal.env.SVC_PROFILE
}

export function refuseArguments(args: readonly string[], command: string): void {
  if (args.length > 0)
    throw new UsageError(`svc ${command} takes no ${args[0]}.`, `svc ${command} --help shows what it takes.`)
}
