// One HTTP server: the dispatch endpoint, Fastify for every other route, and the same limits for both.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { errorBody } from './dispatch/answer.ts'
import { openEndpoint, refuseAtEndpoint } from './dispatch/dispatch-endpoint.ts'
import { requireHost } from './dispatch/headers.ts'
import {
  correlationOf,
  type DispatchEndpoint,
  journalled,
  markRefused,
  recordRefusedRequest,
} from './dispatch/refusal-recorder.ts'
import { noteRequest, refuseBytes, refuseSocket } from './dispatch/refuse-socket.ts'
import { createListener, type ListenerTls } from './listener.ts'
import { listener_limits } from './listener-limits.ts'

const connections_max = 10_000
const route_body_bytes_max = 64 * 1024

export interface Gateway {
  readonly server: Server
  listen(host: string, port: number): Promise<number>
  /** Stops accepting connections; busy ones end when their request is answered. */
  close(): Promise<void>
}

export async function createGateway(
  dispatch_endpoint: DispatchEndpoint,
  addRoutes: (app: FastifyInstance) => void,
  tls?: ListenerTls,
): Promise<Gateway> {
  const app = Fastify({
    logger: false,
    bodyLimit: route_body_bytes_max,
    forceCloseConnections: 'idle',
    serverFactory: (routes) => serve(dispatch_endpoint, routes, tls),
    clientErrorHandler: (error, socket) => refuseBytes(dispatch_endpoint, error, socket),
    // Failures before routing, such as an undecodable address.
    frameworkErrors: (error, request, reply) => void refuseRoute(dispatch_endpoint, error, request, reply),
  })
  app.setErrorHandler((error, request, reply) => refuseRoute(dispatch_endpoint, error, request, reply))
  app.setNotFoundHandler((request) => {
    throw noRoute(request.method, request.url)
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

async function refuseRoute(
  dispatch_endpoint: DispatchEndpoint,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const refusal = asRefusal(withFastifyStatus(error))
  markRefused(request.raw)
  const correlation_id =
    correlationOf(refusal) ?? recordRefusedRequest(dispatch_endpoint, refusal, request.raw)
  await journalled(dispatch_endpoint)
  reply.code(refusal.row.status).header('x-correlation-id', correlation_id)
  if (refusal.row.status === 401 && dispatch_endpoint.logins)
    reply.header('www-authenticate', dispatch_endpoint.logins.challenge)
  return reply.send(errorBody(refusal, { correlation_id, stage: null, audit_head: null }))
}

function noRoute(method: string | undefined, url: string | undefined): Refusal {
  return refuse(
    'not_found',
    `There is no ${method} ${url?.split('?')[0]}; calls go to POST /v1/dispatch, and /docs lists the rest.`,
    { reason: 'no such route' },
  )
}

/** Fastify's own refusals (a body too large or unreadable) carry a status; ours carry a row. */
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

type Serve = (req: IncomingMessage, res: ServerResponse) => void

function serve(dispatch_endpoint: DispatchEndpoint, routes: Serve, tls: ListenerTls | undefined): Server {
  const handle: Serve = (req, res) => {
    noteRequest(res)
    if (req.httpVersionMajor !== 1) void refuseAtEndpoint(dispatch_endpoint, res, otherVersion())
    else if (req.url === '/v1/dispatch' && req.method === 'POST')
      void openEndpoint(dispatch_endpoint, req, res)
    else serveRoute(dispatch_endpoint, routes, req, res)
  }
  const server = createListener(listener_limits, handle, tls)
  server.maxConnections = connections_max
  // Without these two Node would answer by itself, without a record.
  server.on('checkExpectation', handle)
  server.on('connect', ({ method, url }, socket) =>
    refuseSocket(dispatch_endpoint, socket as Socket, noRoute(method, url)),
  )
  return server
}

function serveRoute(
  dispatch_endpoint: DispatchEndpoint,
  routes: Serve,
  req: IncomingMessage,
  res: ServerResponse,
): void {
  try {
    requireHost(req.headers.host, req)
    routes(req, res)
  } catch (thrown) {
    void refuseAtEndpoint(dispatch_endpoint, res, asRefusal(thrown))
  }
}

function otherVersion(): Refusal {
  return refuse('invalid_request', 'Only HTTP/1.1 and HTTP/1.0 are spoken here.', { reason: 'http version' })
}
