// The engine and identity: from flags, the environment, then the profile's config file.
import { type Host, resolveSettings, type Settings } from '@svc/sdk/settings'
import type { Flags, Terminal } from './command.ts'
import { profileOf } from './profile.ts'

/** The value of a flag; undefined if not given. */
export function textFlag(flags: Flags, name: string): string | undefined {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}

/** The environment and home directory for the SDK's `resolveSettings`. */
export function hostOf(terminal: Terminal): Host {
  return { env: terminal.env, home: terminal.home, getBuiltinModule: process.getBuiltinModule }
}

export function settingsOf(flags: Flags, terminal: Terminal): Settings {
  const flag_settings = {
    apiUrl: textFlag(flags, 'api-url'),
    apiKey: textFlag(flags, 'api-key'),
    agentDid: textFlag(flags, 'agent-did'),
    tenantId: textFlag(flags, 'tenant-id'),
    profile: profileOf(flags, terminal),
  }
  return resolveSettings(flag_settings, hostOf(terminal))
}
