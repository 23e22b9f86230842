// Serves the console: its files, and the engine's routes on the same origin, so that cookies and paths work unchanged.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { AdmissionControl, Place } from '../dispatch/admission-control.ts'
import { refuseAtEndpoint } from '../dispatch/dispatch-endpoint.ts'
import { requireHost } from '../dispatch/headers.ts'
import { readBody } from '../dispatch/read-body.ts'
import type { RefusalRecorder } from '../dispatch/refusal-recorder.ts'
import { noteRequest, refuseBytes } from '../dispatch/refuse-socket.ts'
import { createListener, type ListenerTls } from '../listener.ts'
import { listener_limits } from '../listener-limits.ts'
import { forwardedHeaders } from '../relay/relay.ts'
import { headersToCaller } from '../relay/relay-routes.ts'
import type { FromEngine, Upstream } from '../relay/relay-upstream.ts'
import { type ConsoleFile, type ConsoleFiles, page_headers } from './console-files.ts'
import { headersOnward, isPassedOn, requireOwnPage } from './console-routes.ts'

const connections_max = 2_000
const unfinished_ms_max = 2_000

export interface ConsoleEndpoint extends RefusalRecorder {
  /** Asked for at each request of a file: in a checkout they are built while the console runs. */
  files(): ConsoleFiles | Promise<ConsoleFiles>
  readonly upstream: Upstream
  /** Undefined for plain HTTP. */
  readonly tls?: ListenerTls | undefined
  readonly admission: AdmissionControl
  /** The prefix of a proxy that does not strip it, such as `/ops/svc`; '' where there is none. */
  readonly path_prefix: string
  /** An idle connection is ended after this time: a client that does not read must not keep its slot. */
  readonly idle_ms_max: number
}

export interface ConsoleServer {
  listen(host: string, port: number): Promise<number>
  close(): Promise<void>
}

export function createConsoleServer(dispatch_endpoint: ConsoleEndpoint): ConsoleServer {
  const handle = (req: IncomingMessage, res: ServerResponse) => void answer(dispatch_endpoint, req, res)
  const server = createListener(listener_limits, handle, dispatch_endpoint.tls)
  server.maxConnections = connections_max
  server.setTimeout(dispatch_endpoint.idle_ms_max)
  server.on('checkExpectation', handle)
  server.on('connect', (_req, socket) => socket.destroy())
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuseBytes(dispatch_endpoint, error, socket as Socket),
  )
  return { listen: (host, port) => listen(server, host, port), close: () => close(server) }
}

async function answer(
  dispatch_endpoint: ConsoleEndpoint,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  noteRequest(res)
  let place: Place | undefined
  try {
    requireHost(req.headers.host, req)
    if (req.url === dispatch_endpoint.path_prefix && isRead(req)) return toItsRoot(dispatch_endpoint, res)
    const [path, query] = splitAddress(dispatch_endpoint, req.url ?? '/')
    if (!isPassedOn(req.method ?? '', path)) {
      const file = isRead(req) ? (await dispatch_endpoint.files()).get(path.slice(1)) : undefined
      if (!file) throw noRoute(dispatch_endpoint, req.method, path)
      return sendFile(file, req, res)
    }
    requireOwnPage(req.method ?? '', req.headers)
    place = dispatch_endpoint.admission.enter()
    await passOn(dispatch_endpoint, { path: path + query, place }, req, res)
  } catch (thrown) {
    if (res.destroyed) return
    const refusal = asRefusal(thrown)
    if (refusal.cause) dispatch_endpoint.log.warn({ err: refusal.cause }, refusal.message)
    if (!res.headersSent) await refuseAtEndpoint(dispatch_endpoint, res, refusal)
    else res.destroy()
  } finally {
    place?.leave()
  }
}

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD'

/** All URLs are relative to the page, so its address must end in a slash. */
function toItsRoot({ path_prefix }: ConsoleEndpoint, res: ServerResponse): void {
  res.writeHead(308, { location: `${path_prefix.slice(path_prefix.lastIndexOf('/') + 1)}/` }).end()
}

/** A proxy may keep or strip its prefix: both lead to the same page. */
function splitAddress({ path_prefix }: ConsoleEndpoint, url: string): [path: string, query: string] {
  const at = url.indexOf('?')
  const path = at === -1 ? url : url.slice(0, at)
  const query = at === -1 ? '' : url.slice(at)
  if (path_prefix === '' || !path.startsWith(`${path_prefix}/`)) return [path, query]
  return [path.slice(path_prefix.length), query]
}

function sendFile(file: ConsoleFile, req: IncomingMessage, res: ServerResponse): void {
  const { etag } = file.headers
  if (etag && req.headers['if-none-match'] === etag) return void res.writeHead(304, file.headers).end()
  const zipped = /\bgzip\b/.test(String(req.headers['accept-encoding'] ?? '')) ? file.gzipped : undefined
  const body = zipped ?? file.bytes
  res.writeHead(file.status, {
    ...file.headers,
    ...(zipped ? { 'content-encoding': 'gzip' } : {}),
    'content-length': body.length,
  })
  res.end(req.method === 'HEAD' ? undefined : body)
}

async function passOn(
  { upstream, log }: ConsoleEndpoint,
  { path, place }: { readonly path: string; readonly place: Place },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const left = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) left.abort()
  })
  const body = await readBody(req, req.headers['content-length'], place)
  const headers = { ...headersOnward(req.headers), ...forwardedHeaders(req) }
  const request = { method: req.method ?? 'GET', path, headers: () => headers, signal: left.signal }
  const from_engine = await upstream.ask({ ...request, body: body.length > 0 ? body : undefined })
  writeHead(from_engine, res)
  from_engine.pipe(res)
  await finished(from_engine, { writable: false }).catch((error) => {
    if (res.destroyed) return
    log.warn({ err: error }, 'the engine broke off in the middle of an answer')
    res.destroy()
  })
}

function writeHead(answer: FromEngine, res: ServerResponse): void {
  // Sign-in pages have their own policy; everything else gets the console's.
  for (const [name, value] of Object.entries(page_headers))
    if (answer.headers[name] === undefined) res.setHeader(name, value)
  const raw = headersToCaller(answer.rawHeaders)
  for (let i = 0; i < raw.length; i += 2) res.appendHeader(raw[i]!, raw[i + 1]!)
  res.writeHead(answer.statusCode ?? 502)
  res.flushHeaders()
}

function noRoute({ path_prefix }: ConsoleEndpoint, method: string | undefined, path: string) {
  return refuse('not_found', `There is no ${method} ${path} here; the console is at ${path_prefix}/.`, {
    reason: 'no such route',
  })
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as { port: number }).port)
    })
  })
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  AbortSignal.timeout(unfinished_ms_max).addEventListener('abort', () => server.closeAllConnections())
  await closed
}
