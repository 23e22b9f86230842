// Against DNS rebinding and foreign pages: the Host must be ours, and the Origin of a web page must be allowed.
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { TurnedAway } from './wire.ts'

const shown_headers = 'mcp-session-id, mcp-protocol-version, www-authenticate'
const taken_headers =
  'authorization, content-type, accept, x-agent-did, last-event-id, mcp-protocol-version, mcp-method, mcp-name, mcp-session-id'

/** Rejects foreign requests. True if the request was a CORS preflight and has been answered. */
export function requireOurs(
  req: IncomingMessage,
  res: ServerResponse,
  hosts: readonly string[] = localhostAllowedHostnames(),
  origins: readonly string[] = [],
): boolean {
  const host = validateHostHeader(req.headers.host, [...hosts])
  if (!host.ok) throw foreign('foreign host', 'This Host is not served here; use the address of this server.')
  const { origin } = req.headers
  if (!validateOriginHeader(origin, [...origins]).ok)
    throw foreign(
      'foreign origin',
      'Pages of that Origin may not call this server; its operator can allow them.',
    )
  if (origin === undefined) return false
  res.setHeader('access-control-allow-origin', origin)
  res.setHeader('access-control-expose-headers', shown_headers)
  res.setHeader('vary', 'origin')
  if (req.method !== 'OPTIONS') return false
  res.setHeader('access-control-allow-methods', 'GET, POST, DELETE')
  res.setHeader('access-control-allow-headers', taken_headers)
  res.writeHead(204).end()
  return true
}

function foreign(reason: string, message: string): TurnedAway {
  return new TurnedAway([403, -32000], reason, message)
}
