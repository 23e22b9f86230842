// GET /metrics on a separate port, so that callers never need to reach it.
import type { RequestListener } from 'node:http'
import { createListener, type ListenerTls } from './listener.ts'

export interface MetricsServer {
  readonly port: number
  close(): Promise<void>
}

export async function serveMetrics(
  host: string,
  port: number,
  read: () => Promise<{ type: string; text: string }>,
  tls?: ListenerTls,
): Promise<MetricsServer> {
  const answer: RequestListener = (req, res) => {
    if (req.method !== 'GET' || req.url !== '/metrics')
      return void res.writeHead(404).end('metrics are at /metrics\n')
    read().then(
      ({ type, text }) => res.writeHead(200, { 'content-type': type }).end(text),
      () => res.writeHead(500).end(),
    )
  }
  const server = createListener({}, answer, tls)
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve))
  return {
    port: (server.address() as { port: number }).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
