// One HTTP server: the door for dispatch, Fastify for every other route, and the same manners for both.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { asRefusal, refuse } from '@svc/contract/refusal'
import Fastify, { type FastifyInstance } from 'fastify'
import { errorBody } from './answer.ts'
import { openDoor } from './door.ts'
import { type Door, recordAtDoor } from './doorkeeper.ts'

const header_bytes_max = 16 * 1024
const headers_timeout_ms = 10_000
const request_timeout_ms = 30_000
const keep_alive_ms = 65_000
const slow_check_ms = 2_000
const connections_max = 10_000
const route_body_bytes_max = 64 * 1024

export interface Gateway {
  readonly server: Server
  listen(host: string, port: number): Promise<number>
  /** Stops taking connections; those with a request under way end when it is answered. */
  close(): Promise<void>
}

export async function createGateway(door: Door, addRoutes: (app: FastifyInstance) => void): Promise<Gateway> {
  const app = Fastify({
    logger: false,
    bodyLimit: route_body_bytes_max,
    forceCloseConnections: 'idle',
    serverFactory: (routes) => serve(door, routes),
  })
  app.setErrorHandler((error, _request, reply) => {
    const refusal = asRefusal(withFastifyStatus(error))
    if (refusal.code === 'internal') door.log.error({ err: refusal.cause }, 'a route failed')
    const where = { correlation_id: door.clock.uuid(), stage: null, audit_head: null }
    return reply.code(refusal.row.status).send(errorBody(refusal, where))
  })
  app.setNotFoundHandler((request) => {
    throw refuse(
      'not_found',
      `There is no ${request.method} ${request.url.split('?')[0]}; calls go to POST /v1/dispatch, and /docs lists the rest.`,
      {
        reason: 'no such route',
      },
    )
  })
  app.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff')
  })
  addRoutes(app)
  await app.ready()
  return {
    server: app.server,
    async listen(host, port) {
      await app.listen({ host, port })
      return (app.server.address() as { port: number }).port
    },
    async close() {
      app.server.closeIdleConnections()
      await app.close()
    },
  }
}

/** Fastify's own refusals (a body too large, a body it cannot read) carry a status; ours carry a row. */
function withFastifyStatus(error: unknown): unknown {
  const { statusCode } = error as { statusCode?: number }
  if (statusCode === 413)
    return refuse('payload_too_large', 'The request body is too large for this route.', {
      reason: 'body too large',
    })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return refuse(
      'invalid_request',
      'The request cannot be read; send a JSON body with Content-Type: application/json.',
      {
        reason: 'malformed request',
      },
    )
  }
  return error
}

function serve(door: Door, routes: (req: IncomingMessage, res: ServerResponse) => void): Server {
  const server = createServer(
    {
      maxHeaderSize: header_bytes_max,
      headersTimeout: headers_timeout_ms,
      requestTimeout: request_timeout_ms,
      keepAliveTimeout: keep_alive_ms,
      connectionsCheckingInterval: slow_check_ms,
      insecureHTTPParser: false,
    },
    (req, res) => {
      if (req.url === '/v1/dispatch' && req.method === 'POST') void openDoor(door, req, res)
      else routes(req, res)
    },
  )
  server.maxConnections = connections_max
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseSocket(door, error, socket),
  )
  return server
}

const statuses: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Bytes that never became a request. They are answered, recorded and the connection ends: nothing after them can be trusted. */
function refuseSocket(door: Door, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const refusal = refuse('invalid_request', 'The request is not valid HTTP; the connection is closed.', {
    reason: 'malformed http',
  })
  const correlation_id = recordAtDoor(door, refusal, undefined, undefined)
  const text = JSON.stringify(errorBody(refusal, { correlation_id, stage: null, audit_head: null }))
  const status = statuses[error.code ?? ''] ?? '400 Bad Request'
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(text)}\r\n` +
      `x-correlation-id: ${correlation_id}\r\nconnection: close\r\n\r\n${text}`,
  )
}
