// What the operator's settings let a tenant reach.

import type { ToolSecret, ToolSecrets, ToolServer } from '@svc/contract/foreign/tools'
import { type AllowedCommands, findCommand } from '@svc/contract/needs/commands'
import { addressGuard, refusedBeforehand } from '../outbound/address-guard.ts'

export interface ServerSettings {
  readonly commands: AllowedCommands
  readonly tool_hosts: readonly string[]
  readonly tool_secrets: ToolSecrets
  /** Private networks that may hold tool servers. */
  readonly allowed_networks: readonly string[]
  readonly tls?: { readonly authorities: () => string | undefined } | undefined
}

/** Undefined if it may be used, otherwise the reason. */
export function accessRefusal(server: ToolServer, settings: ServerSettings): string | undefined {
  const { tenant_id, transport, url: text, command_ref, headers_secret_ref } = server
  if (transport === 'stdio')
    return findCommand(settings.commands, command_ref ?? '', tenant_id) ? undefined : 'command not allowed'
  const url = URL.parse(text ?? '')
  if (!url) return 'url not valid'
  const refused = refusedBeforehand(url, addressGuard(settings.allowed_networks))
  if (refused !== undefined) return refused
  if (!isListed(url, settings.tool_hosts)) return 'host not allowed'
  if (headers_secret_ref === undefined) return undefined
  return findSecret(settings, server, url) ? undefined : 'secret not allowed'
}

/** The headers to send, if the tenant may name them and the host may get them. */
export function findSecret(settings: ServerSettings, server: ToolServer, url: URL): ToolSecret | undefined {
  const tool_secret = settings.tool_secrets.get(server.headers_secret_ref ?? '')
  if (!tool_secret || tool_secret.tenants?.includes(server.tenant_id) === false) return undefined
  return isListed(url, tool_secret.hosts) ? tool_secret : undefined
}

/** `URL.host` omits the default port, as the settings do. */
function isListed({ host }: URL, hosts: readonly string[]): boolean {
  return hosts.includes(host)
}
