// The transport to a tool server: a program's pipes, or streamable HTTP over checked connections.
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import type { ToolServer } from '@svc/contract/foreign/tools'
import { findCommand } from '@svc/contract/needs/commands'
import { within } from '../clock/within.ts'
import { addressGuard } from '../outbound/address-guard.ts'
import { GroupTransport } from './group-transport.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { findSecret, type ServerSettings } from './server-access.ts'

/** The largest message on any transport; an answer longer than an operation may give is cut later. */
const message_bytes_max = 4 * 1024 * 1024
const farewell_ms_max = 1_000

/** Only after `accessRefusal` allowed it. */
export function transportTo(server: ToolServer, settings: ServerSettings): Transport {
  const { tenant_id, transport, url: text, command_ref } = server
  if (transport === 'stdio')
    return new GroupTransport(findCommand(settings.commands, command_ref!, tenant_id)!, message_bytes_max)
  const url = new URL(text!)
  const guard = addressGuard(settings.allowed_networks)
  const { fetch, close } = guardedFetch(url, { guard, ca: settings.tls?.authorities }, message_bytes_max)
  const line = new StreamableHTTPClientTransport(url, {
    fetch,
    requestInit: { headers: { ...findSecret(settings, server, url)?.headers } },
  })
  const end = line.close.bind(line)
  line.close = async () => {
    // Otherwise the server would keep an orphaned session.
    if (line.sessionId) await within(farewell_ms_max, line.terminateSession()).catch(() => {})
    await end()
    close()
  }
  return line
}
