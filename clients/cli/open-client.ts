// A client with the settings' engine and identity.
import { type Client, createClient } from '@svc/sdk/client'
import type { Flags, Terminal } from './command.ts'
import { fetchFor } from './login/renewing-fetch.ts'
import { profileOf } from './profile.ts'
import { settingsOf } from './settings.ts'

/** `headers` identify the surface, such as the origin of an MCP server's calls. */
export function openClient(
  flags: Flags,
  terminal: Terminal,
  headers?: Readonly<Record<string, string>>,
): Client {
  const settings = settingsOf(flags, terminal)
  const { api_key, private_key, workload_token } = settings
  return createClient({
    apiUrl: settings.api_url,
    ...(api_key !== undefined && { apiKey: api_key }),
    ...(private_key !== undefined && { privateKey: private_key }),
    ...(workload_token && { workloadToken: workload_token }),
    agentDid: settings.agent_did,
    tenantId: settings.tenant_id,
    fetch: fetchFor(terminal, profileOf(flags, terminal), settings),
    ...(headers ? { headers } : {}),
  })
}
