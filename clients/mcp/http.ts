// MCP over HTTP for a node:http server: /mcp is Streamable HTTP in both versions, /sse with /messages the older transport.
import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import { type Admitted, admittedAs, engineAdmitted } from './admission.ts'
import { calls_max_default, slotsByCaller } from './call-slots.ts'
import { tools_max_default } from './list.ts'
import { type ListChanges, type Look, listChanges } from './list-changes.ts'
import { requireOurs } from './origin.ts'
import { type Listing, listFor, type McpServerOptions, mcpServer } from './server.ts'
import { createSseSessions } from './sse.ts'
import { readCategories } from './tools.ts'
import { answerError, pipeAnswer, type ReadJson, readJsonBody, TurnedAway, webRequest } from './wire.ts'

export type { Admitted } from './admission.ts'

export interface NotAdmitted {
  readonly ok: false
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Sent as JSON unless it is a string. */
  readonly body: unknown
}

export interface McpHttpOptions extends Pick<McpServerOptions, 'name' | 'onFault'> {
  /** Called for every request, so that a revoked credential stops working at once. */
  admit(req: IncomingMessage): Promise<Admitted | NotAdmitted>
  /** Subscribes to possible list changes; returns the unsubscribe function. Without it, clients get no change notifications. */
  watch?(changed: () => void): () => void
  /** Called before a request is rejected that never became a call; returns extra response headers. */
  onTurnedAway?(req: IncomingMessage, turned: TurnedAway): Promise<Readonly<Record<string, string>>>
  /** Host names of this server, without port; default `localhost`, `127.0.0.1` and `[::1]`. */
  readonly hosts?: readonly string[]
  /** Host names of web pages that may call; default none. Programs send no Origin and are not checked. */
  readonly origins?: readonly string[]
  /** Defaults for the query parameters `?category=`, `?compact=` and `?tools_max=`. */
  readonly defaults?: Listing
  readonly calls_max?: number
  readonly sessions_max?: number
  readonly sessions_per_caller_max?: number
  readonly session_idle_ms_max?: number
  readonly heartbeat_ms?: number
  /** Parses bodies; a public server supplies one that limits depth and width. */
  readonly readJson?: ReadJson
}

export interface McpHttp {
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>
  close(): Promise<void>
}

const paths = ['/mcp', '/sse', '/messages']

export function createMcpHttp(options: McpHttpOptions): McpHttp {
  const { admit, onFault = () => undefined, defaults = {} } = options
  const changes = listChanges(onFault)
  const unwatch = options.watch?.(changes.changed)
  const servers = openServers(options, changes)
  const asking = new AsyncLocalStorage<Look>()
  const handler = createMcpHandler(
    ({ era, authInfo, requestInfo }) => {
      const { view } = viewOf(new URL(requestInfo!.url).searchParams, defaults)
      const admitted = { engine: engineAdmitted(authInfo)!, caller: authInfo!.clientId }
      // The older version is stateless here, so it has no stream for notifications.
      return servers.forRequest(admitted, view!, era === 'modern')
    },
    { maxSubscriptions: subscriptions_max, onerror: () => undefined, bus: busOf(changes, asking) },
  )
  const sessions = createSseSessions(options)

  const serve = async (req: IncomingMessage, res: ServerResponse) => {
    if (requireOurs(req, res, options.hosts, options.origins)) return
    const url = URL.parse(`http://localhost${req.url?.startsWith('/') ? req.url : '/'}`)
    if (!url || !paths.includes(url.pathname)) throw new TurnedAway([404, -32601], 'no such route', not_found)
    const admitted = await admit(req)
    if (!admitted.ok) return refuseEntry(res, admitted)
    const { view, fault } = viewOf(url.searchParams, defaults)
    if (!view) throw new TurnedAway([400, -32602], 'bad query', fault)
    if (url.pathname === '/sse')
      return await sessions.open(req, res, admitted, () => servers.forSession(admitted, view))
    if (url.pathname === '/messages') return await sessions.post(req, res, admitted, url.searchParams)
    const body = req.method === 'POST' ? { parsedBody: await readJsonBody(req, options.readJson) } : {}
    const context = { ...body, authInfo: admittedAs(admitted) }
    const fetch = () => handler.fetch(webRequest(req, res, url), context)
    await pipeAnswer(await asking.run(lookOf(admitted, view), fetch), res)
  }

  return {
    async handle(req, res) {
      try {
        await serve(req, res)
      } catch (thrown) {
        const is_decided = thrown instanceof TurnedAway
        const extra_headers = is_decided ? await options.onTurnedAway?.(req, thrown) : undefined
        if (res.destroyed) return
        if (!is_decided) onFault(thrown)
        if (res.headersSent) res.destroy()
        else
          answerError(
            res,
            is_decided ? thrown : new TurnedAway([500, -32603], 'fault', unexplained),
            extra_headers,
          )
      }
    },
    async close() {
      unwatch?.()
      await Promise.all([handler.close(), sessions.close()])
    },
  }
}

function openServers(options: McpHttpOptions, changes: ListChanges) {
  const { name, onFault } = options
  const slotsOf = slotsByCaller(options.calls_max ?? calls_max_default)
  const own = { ...(name === undefined ? {} : { name }), ...(onFault ? { onFault } : {}) }
  const forRequest = ({ engine, caller }: Omit<Admitted, 'ok'>, view: Listing, is_followed: boolean) => {
    const tells_changes = is_followed && options.watch !== undefined
    return mcpServer(engine, { ...own, ...view, slots: slotsOf(caller), tells_changes })
  }
  const forSession = (admitted: Admitted, view: Listing) => {
    const server = forRequest(admitted, view, true)
    // The client may have just disconnected.
    const tell = () => void server.sendToolListChanged().catch(() => undefined)
    if (options.watch) server.onclose = changes.follow(lookOf(admitted, view), tell)
    return server
  }
  return { forRequest, forSession }
}

/** A digest of the list as this caller sees it. */
function lookOf({ engine }: Admitted, view: Listing): Look {
  return async () => hash('sha256', JSON.stringify(await listFor(engine, view)), 'base64')
}

/** The library notifies all streams of every event; this limits each stream to its own caller's list. */
function busOf(changes: ListChanges, asking: AsyncLocalStorage<Look>): ServerEventBus {
  return {
    publish() {},
    subscribe(listener) {
      const look = asking.getStore()
      return look ? changes.follow(look, () => listener({ kind: 'tools_list_changed' })) : () => undefined
    },
  }
}

const subscriptions_max = 256
const not_found = 'Not found; MCP is at /mcp, and the older transport at /sse.'
const unexplained = 'The request failed because of an internal error.'

function refuseEntry(res: ServerResponse, { status, headers, body }: NotAdmitted): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? null)
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
  res.writeHead(status, { 'content-type': type, ...headers }).end(text)
}

type Viewed = { view: Listing; fault?: undefined } | { view?: undefined; fault: string }

/** The tool selection in the query parameters. */
function viewOf(query: URLSearchParams, defaults: Listing): Viewed {
  const words = readCategories(query.getAll('category'))
  const compact = query.get('compact')
  const most = query.get('tools_max')
  if (compact !== null && !Object.hasOwn(switches, compact))
    return { fault: 'compact must be true or false.' }
  if (most !== null && !(/^\d{1,3}$/.test(most) && Number(most) >= 2 && Number(most) <= tools_max_default))
    return { fault: `tools_max must be a number from 2 to ${tools_max_default}.` }
  const view = {
    ...defaults,
    ...(words.length > 0 ? { categories: words } : {}),
    ...(compact === null ? {} : { compact: switches[compact as keyof typeof switches] }),
    ...(most === null ? {} : { tools_max: Number(most) }),
  }
  return { view }
}

const switches = { true: true, '1': true, '': true, false: false, '0': false } as const
