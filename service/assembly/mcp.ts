// The engine's MCP surface: a separate listener with the same limits as the dispatch endpoint, and the MCP server.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'
import type { Registry } from '@svc/engine/routing/routing'
import { readJson } from '@svc/gateway/dispatch/read-json'
import { large_bytes, readLargeJson } from '@svc/gateway/dispatch/read-large-json'
import type { DispatchEndpoint } from '@svc/gateway/dispatch/refusal-recorder'
import { noteRequest, refuseBytes, refuseSocket } from '@svc/gateway/dispatch/refuse-socket'
import { createListener, type ListenerTls } from '@svc/gateway/listener'
import { listener_limits } from '@svc/gateway/listener-limits'
import { admitToMcp, type McpEndpoint, recordTurnedAway } from '@svc/gateway/mcp-admit'
import { mcpResourceAt, metadata_headers } from '@svc/gateway/oauth/metadata'
import type { McpHttp } from '@svc/mcp/http'
import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { stopListening } from '../workers/draining.ts'
import { listeningUrl, type People } from './people.ts'

const connections_max = 2_000
const unfinished_ms_max = 5_000
/** Streams have a heartbeat, so a connection idle for this long has a client that does not read. */
const idle_ms_max = 10 * 60_000

interface Parts {
  readonly dispatch_endpoint: DispatchEndpoint
  readonly people: People
  readonly registry: Registry
}

export interface McpSurface {
  /** Where clients connect; undefined if there is no MCP surface. */
  readonly url: string | undefined
  /** Opens the surface if it is not open yet. */
  listen(): Promise<string | undefined>
  /** Accepts no new connections; existing ones stay until it is closed. */
  leave(): void
}

/** Does not listen yet: with several workers, only one listens at a time. */
export function openMcp(config: Config, parts: Parts, closing: (() => Promise<unknown>)[]): McpSurface {
  const { mcp_port } = config
  if (mcp_port === undefined) return no_surface
  if (parts.dispatch_endpoint.gateways?.required) {
    parts.dispatch_endpoint.log.warn(
      { mcp_port },
      'MCP is off: this engine accepts calls from its gateway only',
    )
    return no_surface
  }
  const { logins, site } = parts.people.mcp
  // Without its own path, which every request names again.
  const own_url = () => (site.mcp_url ?? '').replace(/\/mcp$/, '')
  const proofs = parts.dispatch_endpoint.proofs?.at(own_url)
  const dispatch_endpoint: McpEndpoint = {
    ...parts.dispatch_endpoint,
    origin: 'mcp',
    logins,
    site,
    ...(proofs && { proofs }),
  }
  const mcp = lazily(() => openHttp(config, dispatch_endpoint, parts.registry))
  const server = listenerOf(dispatch_endpoint, mcp.opened, config.tls.listener)
  closing.push(async () => {
    await mcp.close()
    await closeServer(server)
  })
  const urlAt = (port: number) => config.mcp_public_url ?? `${listeningUrl(config, port)}/mcp`
  return {
    url: urlAt(mcp_port),
    listen: async () =>
      server.listening ? urlAt(mcp_port) : urlAt(await listen(server, config.host, mcp_port)),
    leave: () => stopListening(server),
  }
}

const no_surface: McpSurface = { url: undefined, listen: async () => undefined, leave() {} }

interface Lazily {
  opened(): Promise<McpHttp>
  close(): Promise<void>
}

/** The MCP server is loaded at the first request, which keeps the start fast. */
function lazily(open: () => Promise<McpHttp>): Lazily {
  let opening: Promise<McpHttp> | undefined
  return {
    opened() {
      opening ??= open().catch((error) => {
        opening = undefined
        throw error
      })
      return opening
    },
    async close() {
      const opened = await opening?.catch(() => undefined)
      await opened?.close()
    },
  }
}

async function openHttp(
  config: Config,
  dispatch_endpoint: McpEndpoint,
  registry: Registry,
): Promise<McpHttp> {
  const [{ createMcpHttp }, { engineFor }, { toolsOf }] = await Promise.all([
    import('@svc/mcp/http'),
    import('./mcp-engine.ts'),
    import('./mcp-tools.ts'),
  ])
  const toolsFor = toolsOf(registry)
  const hosts = hostsOf(config, dispatch_endpoint)
  // The authenticated caller: later refusals of the request are recorded in its tenant's audit log.
  const callers = new WeakMap<IncomingMessage, Credential>()
  return createMcpHttp({
    watch: (changed) => registry.watch(changed),
    hosts,
    // Only our own pages are allowed; programs send no Origin.
    origins: hosts,
    readJson: (bytes) => (bytes.length > large_bytes ? readLargeJson(bytes) : readJson(bytes)),
    onTurnedAway: (req, turned) => recordTurnedAway(dispatch_endpoint, req, callers.get(req), turned),
    onFault: (fault) => dispatch_endpoint.log.error({ err: fault }, 'an MCP call failed'),
    async admit(req) {
      const admission = await admitToMcp(dispatch_endpoint, req)
      if (!admission.ok) return admission
      const { credential, caller } = admission
      callers.set(req, credential)
      return { ok: true, caller, engine: engineFor(dispatch_endpoint, toolsFor, credential, admission) }
    },
  })
}

/** Our own host names; any other Host or Origin may be DNS rebinding. */
function hostsOf({ host }: Config, { site }: McpEndpoint): string[] {
  const named = host.includes(':') ? `[${host}]` : host
  const public_host = site.mcp_url === undefined ? [] : [new URL(site.mcp_url).hostname]
  return [...new Set(['127.0.0.1', 'localhost', '[::1]', named, ...public_host])]
}

function listenerOf(
  dispatch_endpoint: McpEndpoint,
  opened: () => Promise<McpHttp>,
  tls: ListenerTls | undefined,
): Server {
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    noteRequest(res)
    res.setHeader('x-content-type-options', 'nosniff')
    if (!answerMetadata(dispatch_endpoint, req, res)) void pass(dispatch_endpoint, opened, req, res)
  }
  const server = createListener(listener_limits, handle, tls)
  server.maxConnections = connections_max
  server.timeout = idle_ms_max
  server.on('clientError', (error, socket) => refuseBytes(dispatch_endpoint, error, socket as Socket))
  server.on('checkExpectation', handle)
  server.on('connect', (_req, socket) => refuseSocket(dispatch_endpoint, socket as Socket, noTunnel()))
  return server
}

async function pass(
  dispatch_endpoint: McpEndpoint,
  opened: () => Promise<McpHttp>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  try {
    await (await opened()).handle(req, res)
  } catch (error) {
    dispatch_endpoint.log.error({ err: error }, 'the MCP surface failed')
    if (res.headersSent) return void res.destroy()
    res.writeHead(500, { 'content-type': 'application/json' })
    res.end('{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error"}}')
  }
}

/** Public metadata: tells a refused client which server issues tokens. */
function answerMetadata({ site }: McpEndpoint, req: IncomingMessage, res: ServerResponse): boolean {
  const described = req.method === 'GET' && mcpResourceAt(site, (req.url ?? '').split('?', 1)[0]!)
  if (!described) return false
  res.writeHead(200, { ...metadata_headers, 'content-type': 'application/json; charset=utf-8' })
  res.end(JSON.stringify(described))
  return true
}

function noTunnel(): Refusal {
  return refuse('not_found', 'CONNECT is not supported; MCP is at /mcp, the older transport at /sse.', {
    reason: 'no such route',
  })
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) =>
    server
      .once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, port)))
      .listen(port, host, resolve),
  )
  return (server.address() as { port: number }).port
}

function cannotListen(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError(
      `Port ${port} for MCP is in use; stop the program that uses it, or set SVC_MCP_PORT (off disables MCP).`,
    )
  if (error.code === 'EACCES')
    return new ConfigError(`This user may not listen on port ${port} for MCP; set SVC_MCP_PORT above 1023.`)
  return error
}

/** Streams were notified by now; a client that does not read must not block the shutdown. */
async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return server.closeAllConnections()
  const cut = setTimeout(() => server.closeAllConnections(), unfinished_ms_max)
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  await closed
  clearTimeout(cut)
}
