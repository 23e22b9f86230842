// The sockets of a gateway: TLS with its own certificate, or plain HTTP on this machine only, with the limits of the engine's endpoint.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server as NetServer, Socket } from 'node:net'
import { refuseBytes, refuseSocket } from '../dispatch/refuse-socket.ts'
import { createListener, type ListenerTls } from '../listener.ts'
import { listener_limits } from '../listener-limits.ts'
import { handleRequest, noRoute, type Relay } from './relay.ts'

const connections_max = 10_000
/** An idle connection is ended after the engine's own timeout. */
const idle_margin_ms = 30_000
const unfinished_ms_max = 5_000
const hsts_seconds = 365 * 24 * 3600

export interface RelayServer {
  listen(host: string, port: number): Promise<number>
  /** Running calls are finished, new ones refused; the rest is cut after `grace_ms`. */
  close(grace_ms: number): Promise<void>
}

/** Plain HTTP without a certificate: the caller must ensure that only this machine can connect. */
export function createRelayServer(
  relay: Relay,
  tls: ListenerTls | undefined,
  silence_ms_max: number,
): RelayServer {
  const handle = (req: IncomingMessage, res: ServerResponse) => {
    if (tls) res.setHeader('strict-transport-security', `max-age=${hsts_seconds}`)
    void handleRequest(relay, req, res)
  }
  const server = createListener(listener_limits, handle, tls)
  server.maxConnections = connections_max
  server.setTimeout(silence_ms_max + idle_margin_ms)
  // Without these three Node would answer by itself, without a record.
  server.on('checkExpectation', handle)
  server.on('connect', (req, socket) => refuseSocket(relay, socket as Socket, noRoute(req)))
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const is_http = /^(HPE_|ERR_HTTP_)/.test(error.code ?? '')
    if (is_http) refuseBytes(relay, error, socket as Socket)
    else socket.destroy()
  })
  return {
    listen: (host, port) => listen(server, host, port),
    async close(grace_ms) {
      relay.engine.draining = true
      const cut = () => server.closeAllConnections()
      AbortSignal.timeout(grace_ms).addEventListener('abort', cut)
      await relay.engine.idle()
      // All calls are answered by now; an incomplete request must not keep the gateway running.
      AbortSignal.timeout(Math.min(grace_ms, unfinished_ms_max)).addEventListener('abort', cut)
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeIdleConnections()
      await closed
      relay.upstream.close()
    },
  }
}

function listen(server: NetServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as { port: number }).port)
    })
  })
}
