// The MCP transport before 2025-03-26, which some clients still use: an open stream, and a POST for every message.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type AuthInfo,
  type JSONRPCMessage,
  type MessageExtraInfo,
  parseJSONRPCMessage,
  type Server,
  type Transport,
} from '@modelcontextprotocol/server'
import { type Admitted, admittedAs } from './admission.ts'
import { type ReadJson, readJsonBody, TurnedAway } from './wire.ts'

const sessions_max_default = 1_024
const sessions_per_caller_max_default = 16
/** Long, because a chat may be idle for an hour and cannot reopen its session. */
const session_idle_ms_max_default = 4 * 60 * 60 * 1_000
const heartbeat_ms_default = 15_000
/** A client that does not read its stream is disconnected. */
const unread_bytes_max = 32 * 1024 * 1024

export interface SseLimits {
  readonly sessions_max?: number
  readonly sessions_per_caller_max?: number
  readonly session_idle_ms_max?: number
  readonly heartbeat_ms?: number
  readonly readJson?: ReadJson
}

export interface SseSessions {
  open(req: IncomingMessage, res: ServerResponse, admitted: Admitted, server: () => Server): Promise<void>
  post(req: IncomingMessage, res: ServerResponse, admitted: Admitted, query: URLSearchParams): Promise<void>
  close(): Promise<void>
}

interface Session {
  readonly caller: string
  readonly transport: SseTransport
}

export function createSseSessions(limits: SseLimits = {}): SseSessions {
  const { sessions_max = sessions_max_default } = limits
  const { sessions_per_caller_max = sessions_per_caller_max_default } = limits
  const sessions = new Map<string, Session>()
  const heldBy = (caller: string) =>
    [...sessions.values()].filter((open_session) => open_session.caller === caller).length
  return {
    async open(req, res, { caller }, server) {
      if (req.method !== 'GET') throw wrongMethod('GET')
      if (heldBy(caller) >= sessions_per_caller_max)
        throw new TurnedAway([429, -32000], 'too many sessions', too_many_yours)
      if (sessions.size >= sessions_max) throw new TurnedAway([503, -32000], 'too many sessions', too_many)
      if (res.closed) return
      const id = randomBytes(32).toString('base64url')
      const transport = new SseTransport(res, id, limits)
      sessions.set(id, { caller, transport })
      transport.onended = () => sessions.delete(id)
      await server().connect(transport)
    },
    async post(req, res, admitted, query) {
      if (req.method !== 'POST') throw wrongMethod('POST')
      const session = sessions.get(query.get('session_id') ?? '')
      // Another caller's session is reported as missing, so that its existence is not revealed.
      if (session?.caller !== admitted.caller)
        throw new TurnedAway([404, -32000], 'no such session', unknown_session)
      const message = readMessage(await readJsonBody(req, limits.readJson))
      if (!message)
        throw new TurnedAway([400, -32600], 'malformed body', 'The body is not a JSON-RPC message.')
      res.writeHead(202, { 'content-type': 'text/plain' }).end('Accepted')
      session.transport.receive(message, admittedAs(admitted))
    },
    async close() {
      await Promise.all([...sessions.values()].map(({ transport }) => transport.close()))
    },
  }
}

const too_many_yours = 'You have reached your session limit; close one, or use /mcp, which needs none.'
const too_many = 'This server has reached its session limit; try again later, or use /mcp.'
const unknown_session = 'You have no such session; open one with GET /sse.'

function wrongMethod(allow: string): TurnedAway {
  return new TurnedAway([405, -32000], 'method', `Use ${allow} here.`, { allow })
}

function readMessage(value: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(value)
  } catch {
    return undefined
  }
}

class SseTransport implements Transport {
  readonly sessionId: string
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void
  /** Called exactly once. */
  onended?: () => void
  readonly #res: ServerResponse
  readonly #idle: NodeJS.Timeout
  readonly #heartbeat: NodeJS.Timeout
  #closed = false

  constructor(res: ServerResponse, id: string, limits: SseLimits) {
    const { session_idle_ms_max = session_idle_ms_max_default, heartbeat_ms = heartbeat_ms_default } = limits
    this.sessionId = id
    this.#res = res
    this.#idle = setTimeout(() => void this.close(), session_idle_ms_max).unref()
    this.#heartbeat = setInterval(() => res.write(': still here\n\n'), heartbeat_ms).unref()
    res.once('close', () => void this.close())
  }

  async start(): Promise<void> {
    this.#res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    })
    this.#res.write(`event: endpoint\ndata: messages?session_id=${this.sessionId}\n\n`)
  }

  receive(message: JSONRPCMessage, authInfo: AuthInfo): void {
    // The session may have ended while the message was read: without a receiver the call is not made.
    if (this.#closed) return
    this.#idle.refresh()
    this.onmessage?.(message, { authInfo })
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error('the session has ended')
    this.#res.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`)
    if (this.#res.writableLength > unread_bytes_max) this.#res.destroy()
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#idle)
    clearInterval(this.#heartbeat)
    this.#res.end()
    this.onended?.()
    this.onclose?.()
  }
}
