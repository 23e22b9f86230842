// The only way out to a service: connections checked when made, a bounded pool, limits on every wait and size, no
// redirects, no proxy of the environment, no decoding.
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ClientTlsOptions } from '@svc/contract/client-tls'
import {
  type AddressGuard,
  bareHost,
  checkedLookup,
  type Names,
  RefusedAddress,
  refusedBeforehand,
} from './address-guard.ts'
import { contextBesideSystem } from './client-tls.ts'

const sockets_max = 64
const idle_sockets_max = 16
/** Shorter than common server timeouts, so that a call seldom meets a connection that is just being closed. */
const idle_ms_max = 4_000
const header_bytes_max = 16 * 1024

/** PEM, or where it may be renewed what is asked for it at each new connection. */
export type Authorities = string | (() => string | undefined)

export interface OutboundOptions {
  readonly guard: AddressGuard
  readonly lookup?: Names | undefined
  /** Certificate authorities to trust besides the system's. */
  readonly ca?: Authorities | undefined
  /** The certificate to show, for services of our own. */
  readonly shows?: (() => Omit<ClientTlsOptions, 'ca'>) | undefined
  /** One connection per request: for addresses that are asked seldom. */
  readonly once?: boolean
}

export interface Outgoing {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** After the path of the base, with its slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly timeout_ms: number
  readonly signal?: AbortSignal | undefined
  /** Zero if only the status matters: then the body is not read. */
  readonly answer_bytes_max: number
}

export interface Incoming {
  readonly status: number
  readonly body: Buffer
  header(name: string): string | undefined
}

/** `fault` is our own wording, or the system's error code; never remote text. */
export class OutboundError extends Error {
  readonly fault: string
  constructor(fault: string, cause?: unknown) {
    super(fault, { cause })
    this.fault = fault
  }
}

export interface Outbound {
  /** Throws only OutboundError. */
  send(outgoing: Outgoing): Promise<Incoming>
  /** Keeps no connection from now on; requests in flight are finished. */
  close(): void
}

export const too_slow = 'too slow'
export const too_large = 'too large'
export const left = 'caller left'

export function openOutbound(base: string, options: OutboundOptions): Outbound {
  const url = URL.parse(base)
  const agent = url ? guardedAgent(url, options) : undefined
  return {
    async send(outgoing) {
      const refused = url ? refusedBeforehand(url, options.guard) : 'is no url'
      if (!url || !agent || refused !== undefined) throw new OutboundError(refused ?? 'is no url')
      if (outgoing.signal?.aborted) throw new OutboundError(left)
      return exchange(begin(url, agent, outgoing), outgoing)
    },
    close: () => agent && keepNone(agent),
  }
}

/** Keeps connections to one address, each checked when made. */
export function guardedAgent(
  url: URL,
  { guard, lookup, ca, shows, once = false }: OutboundOptions,
): HttpAgent | HttpsAgent {
  const secure = url.protocol === 'https:'
  const settings = {
    keepAlive: !once,
    maxSockets: sockets_max,
    maxFreeSockets: idle_sockets_max,
    timeout: idle_ms_max,
    lookup: checkedLookup(guard, secure, lookup),
  }
  // A resumed session would still have the certificate of its first connection.
  const sessions = shows ? { maxCachedSessions: 0 } : {}
  const agent = secure ? new HttpsAgent({ ...settings, ...sessions }) : new HttpAgent(settings)
  const contextNow = contextBesideSystem(() => ({ ca: typeof ca === 'function' ? ca() : ca, ...shows?.() }))
  const connect = agent.createConnection.bind(agent)
  // Here and not per request: a connection that outlives its request is checked as well.
  agent.createConnection = (connection_options, done) => {
    const context = secure ? { secureContext: contextNow() } : {}
    const socket = connect({ ...connection_options, ...context }, done) as Socket
    socket.once('connect', () => {
      const refused = guard.refusal(socket.remoteAddress ?? '', secure)
      if (refused !== undefined) socket.destroy(new RefusedAddress(refused))
    })
    return socket as Duplex
  }
  return agent
}

function keepNone(agent: HttpAgent | HttpsAgent): void {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

function begin(url: URL, agent: HttpAgent | HttpsAgent, outgoing: Outgoing): ClientRequest {
  const { method, path, headers, body } = outgoing
  const request_options = {
    agent,
    method,
    host: bareHost(url),
    port: url.port === '' ? undefined : Number(url.port),
    path: url.pathname.replace(/\/$/, '') + path,
    maxHeaderSize: header_bytes_max,
    headers: {
      'user-agent': 'svc-engine',
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    },
  }
  return url.protocol === 'https:' ? httpsRequest(request_options) : httpRequest(request_options)
}

function exchange(asking: ClientRequest, outgoing: Outgoing): Promise<Incoming> {
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>()
  let settled = false
  const fail = (error: Error) => {
    reject(asFault(error))
    if (!settled) asking.destroy()
  }
  const timer = setTimeout(() => fail(new OutboundError(too_slow)), outgoing.timeout_ms)
  const leave = () => fail(new OutboundError(left))
  const end = () => fail(new OutboundError('no answer'))
  outgoing.signal?.addEventListener('abort', leave, { once: true })
  asking.on('response', (answer) => {
    // From here on the response reports an abort.
    asking.removeListener('close', end)
    readAnswer(answer, outgoing.answer_bytes_max).then(resolve, fail)
  })
  asking.on('error', fail)
  asking.on('close', end)
  asking.end(outgoing.body)
  return promise.finally(() => {
    settled = true
    clearTimeout(timer)
    outgoing.signal?.removeEventListener('abort', leave)
    // Only if it was not read to its end; a complete answer has returned its connection by now.
    if (outgoing.answer_bytes_max === 0) asking.destroy()
  })
}

async function readAnswer(answer: IncomingMessage, bytes_max: number): Promise<Incoming> {
  const status = answer.statusCode ?? 0
  const header = (name: string) => {
    const value = answer.headers[name]
    return typeof value === 'string' ? value : undefined
  }
  if (bytes_max === 0) {
    answer.on('error', () => {})
    return { status, header, body: Buffer.alloc(0) }
  }
  if (Number(answer.headers['content-length'] ?? 0) > bytes_max) throw new OutboundError(too_large)
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of answer) {
    bytes += chunk.length
    if (bytes > bytes_max) throw new OutboundError(too_large)
    chunks.push(chunk)
  }
  return { status, header, body: Buffer.concat(chunks, bytes) }
}

function asFault(error: Error & { code?: string }): OutboundError {
  if (error instanceof OutboundError) return error
  if (error instanceof RefusedAddress) return new OutboundError(error.message, error)
  return new OutboundError(error.code ?? 'failed', error)
}
