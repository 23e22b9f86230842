// Which settings are used: --profile, SVC_PROFILE, then the profile that svc config use chose.
import { readFileSync } from 'node:fs'
import type { Flags, Terminal } from './command.ts'
import { UsageError } from './exit.ts'

/** The name of ~/.svc/config.json, which is used if nothing else is chosen. */
export const default_profile = 'default'
const profile_form = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

/** An empty variable counts as not set, as scripts and containers expect. */
export function filled(text: string | undefined): string | undefined {
  return text?.trim() || undefined
}

export function profileOf(flags: Flags, terminal: Terminal): string | undefined {
  const by_flag = typeof flags.profile === 'string' ? flags.profile : undefined
  return filled(by_flag) ?? filled(terminal.env.SVC_PROFILE) ?? chosenProfile(terminal)
}

/** Holds the name of the chosen profile; a program that uses the SDK does not read it. */
export function chosenProfilePath({ home }: Terminal): string {
  return `${home}/.svc/profile`
}

function chosenProfile(terminal: Terminal): string | undefined {
  const path = chosenProfilePath(terminal)
  let name: string
  try {
    name = readFileSync(path, 'utf8').trim()
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new UsageError(`${path} cannot be read (${code}); check its permissions, or delete it.`)
  }
  if (profile_form.test(name)) return name
  throw new UsageError(`${path} does not name a profile; choose one with svc config use <profile>.`)
}

export function refuseArguments(args: readonly string[], command: string): void {
  if (args.length > 0)
    throw new UsageError(`svc ${command} takes no ${args[0]}.`, `svc ${command} --help shows what it takes.`)
}
