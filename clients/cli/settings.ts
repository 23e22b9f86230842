// Which engine, as whom: a flag, then the environment, then the config file of the profile.
import { type Client, createClient } from '@svc/sdk/client'
import { type Host, resolveSettings, type Settings } from '@svc/sdk/settings'
import type { Flags, Terminal } from './command.ts'
import { profileOf } from './profile.ts'
import { fetchFor } from './renewing-fetch.ts'

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
  const given = {
    apiUrl: textFlag(flags, 'api-url'),
    apiKey: textFlag(flags, 'api-key'),
    agentDid: textFlag(flags, 'agent-did'),
    tenantId: textFlag(flags, 'tenant-id'),
    profile: textFlag(flags, 'profile'),
  }
  return resolveSettings(given, hostOf(terminal))
}

/** `headers` are those of the surface, such as the origin of an MCP server's calls. */
export function openClient(
  flags: Flags,
  terminal: Terminal,
  headers?: Readonly<Record<string, string>>,
): Client {
  const settings = settingsOf(flags, terminal)
  return createClient({
    apiUrl: settings.api_url,
    apiKey: settings.api_key,
    agentDid: settings.agent_did,
    tenantId: settings.tenant_id,
    fetch: fetchFor(terminal, profileOf(flags, terminal), settings),
    ...(headers ? { headers } : {}),
  })
}
