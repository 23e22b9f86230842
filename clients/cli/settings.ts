// Which engine, as whom: a flag, then the environment, then the config file of the profile.
import { type Host, resolveSettings, type Settings } from '@svc/sdk/settings'
import type { Flags, Terminal } from './command.ts'

/** The value of a flag that takes one; undefined where it was not given. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** What `resolveSettings` of the SDK looks around in: this terminal's environment and home. */
export function hostOf(terminal: Terminal): Host {
  return { env: terminal.env, home: terminal.home, getBuiltinModule: process.getBuiltinModule }
}

export function settingsOf(flags: Flags, terminal: Terminal): Settings {
  const flag_settings = {
    apiUrl: textFlag(flags, 'api-url'),
    apiKey: textFlag(flags, 'api-key'),
    agentDid: textFlag(flags, 'agent-did'),
    tenantId: textFlag(flags, 'tenant-id'),
    profile: textFlag(flags, 'profile'),
  }
  return resolveSettings(flag_settings, hostOf(terminal))
}
