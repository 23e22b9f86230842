// A receiver of webhooks as an organization runs one: verifies each delivery, and answers as the test wishes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { verifyWebhook, type WebhookEvent } from '@svc/sdk'
import type { TestCertificate } from './test-certificate.ts'

const body_bytes_max = 64 * 1024

export interface Delivery {
  readonly id: string
  readonly path: string
  readonly event: WebhookEvent
  /** As it was answered. */
  readonly status: number
}

/** Undefined for no answer at all. */
export type Behaviour = (delivery: Omit<Delivery, 'status'>) => number | undefined

export interface TestReceiver {
  readonly url: string
  /** Every request so far, verified. */
  readonly deliveries: readonly Delivery[]
  /** Requests whose signature or time was wrong. */
  readonly refused: readonly string[]
  /** Verifies with this secret from now on. */
  secret: string
  answer: Behaviour
  /** Refuses connections until it is up again, at the same address. */
  down(): Promise<void>
  up(): Promise<void>
  stop(): Promise<void>
}

export async function startReceiver(now_ms: () => number, tls?: TestCertificate): Promise<TestReceiver> {
  const deliveries: Delivery[] = []
  const refused: string[] = []
  const handle = async (req: IncomingMessage, res: ServerResponse) => {
    const body = await readBody(req)
    const verdict = await verifyWebhook(body, req.headers, receiver.secret, new Date(now_ms()))
    if (!verdict.ok) {
      refused.push(verdict.reason)
      return res.writeHead(401).end()
    }
    const { id, event } = verdict
    const status = receiver.answer({ id, path: req.url ?? '', event })
    deliveries.push({ id, path: req.url ?? '', event, status: status ?? 0 })
    if (status === undefined) return undefined
    return res.writeHead(status, { location: `${url}/elsewhere` }).end('x'.repeat(100_000))
  }
  let server: Server
  const open = async (port: number) => {
    server = tls ? createSecureServer({ cert: tls.cert, key: tls.key }, handle) : createServer(handle)
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }
  const down = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  const port = await open(0)
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
  const receiver: TestReceiver = {
    url,
    deliveries,
    refused,
    secret: '',
    answer: () => 204,
    down,
    up: async () => void (await open(port)),
    stop: down,
  }
  return receiver
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req) {
    bytes += chunk.length
    if (bytes > body_bytes_max) throw new Error('a delivery is larger than promised')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
