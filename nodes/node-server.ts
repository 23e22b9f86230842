// A small server of the external contract: POST /invoke for trusted engines, GET /health for all.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { readAuthorization } from '@svc/contract/identity/did-auth'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

export interface NodeOperation {
  readonly input: TSchema
  handle(payload: never, context: InvokeContext): Promise<unknown>
}

export function nodeOperation<I extends TSchema>(
  input: I,
  handle: (payload: Static<I>, context: InvokeContext) => Promise<unknown>,
): NodeOperation {
  return { input, handle: handle as NodeOperation['handle'] }
}

export interface NodeDefinition {
  readonly protocol: string
  readonly version: string
  readonly operations: Readonly<Record<string, NodeOperation>>
}

export interface NodeOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  now_ms(): number
  isTrusted(engine_did: string): boolean
  /** Plain HTTP by default. */
  readonly listener?: (limits: ServerOptions, handle: RequestListener) => Server
}

export interface RunningNode {
  readonly url: string
  close(): Promise<void>
}

const body_bytes_max = 6 * 1024 * 1024
const connections_max = 1_000
const headers_ms_max = 10_000
const request_ms_max = 30_000
const signatures_remembered_max = 100_000

export async function serveNode(node: NodeDefinition, options: NodeOptions): Promise<RunningNode> {
  const started_ms = options.now_ms()
  const invoke = invoker(node, options)
  const limits = { headersTimeout: headers_ms_max, requestTimeout: request_ms_max }
  const { listener = createServer } = options
  const server = listener(limits, (req, res) => {
    if (req.method === 'GET' && req.url === '/health') {
      const uptime_seconds = Math.floor((options.now_ms() - started_ms) / 1000)
      return send(res, 200, { status: 'ok', version: node.version, uptime_seconds })
    }
    if (req.method !== 'POST' || req.url !== '/invoke') return send(res, 404, errorOf(noRoute()))
    invoke(req).then(
      (data) => send(res, 200, { data, metadata: {} }),
      (thrown) => {
        const refusal = asRefusal(thrown)
        send(res, refusal.row.status, errorOf(refusal))
      },
    )
  })
  server.maxConnections = connections_max
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as { port: number }
  return {
    url: `${options.listener ? 'https' : 'http'}://${options.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function invoker(node: NodeDefinition, options: NodeOptions): (req: IncomingMessage) => Promise<unknown> {
  const checks = new Map(Object.entries(node.operations).map(([name, { input }]) => [name, Compile(input)]))
  const used = new Map<string, number>()
  return async (req) => {
    const body = await readBody(req)
    requireEngine(req.headers.authorization, body, node, options, used)
    const { operation, payload, ctx } = readCall(body)
    const check = checks.get(operation)
    if (!check) throw refuse('unknown_operation', `${node.protocol} has no operation ${operation}.`, {})
    if (!check.Check(payload)) {
      const [first] = check.Errors(payload)
      const where = `${first?.instancePath || '/'} ${first?.message}`
      throw refuse('invalid_payload', `The payload of ${operation} does not fit: ${where}.`, {
        reason: 'schema',
      })
    }
    return node.operations[operation]!.handle(payload as never, ctx)
  }
}

function requireEngine(
  authorization: string | undefined,
  body: Buffer,
  { protocol }: NodeDefinition,
  options: NodeOptions,
  used: Map<string, number>,
): void {
  const now_ms = options.now_ms()
  const caller = readAuthorization(authorization, { audience: protocol, body, now_ms })
  if (typeof caller === 'string') throw unauthenticated(caller)
  if (!options.isTrusted(caller.did)) throw unauthenticated('engine not trusted')
  for (const [id, until_ms] of used) {
    if (until_ms >= now_ms && used.size < signatures_remembered_max) break
    used.delete(id)
  }
  if (used.has(caller.id)) throw unauthenticated('signature already used')
  used.set(caller.id, caller.expires_at_ms)
}

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of req) {
    bytes += chunk.length
    if (bytes > body_bytes_max) throw refuse('payload_too_large', 'The request is too large.', {})
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, bytes)
}

function readCall(body: Buffer): { operation: string; payload: unknown; ctx: InvokeContext } {
  try {
    const call = JSON.parse(body.toString('utf8'))
    if (typeof call.operation === 'string') return call
  } catch {
    // Falls through: unreadable and incomplete calls are refused alike.
  }
  throw refuse('invalid_request', 'Send a JSON object with operation, payload and ctx.', {})
}

function unauthenticated(reason: string): Refusal {
  return refuse('unauthenticated', 'This node answers only engines it trusts, by did-auth.', { reason })
}

function noRoute(): Refusal {
  return refuse('not_found', 'A node has POST /invoke and GET /health.', {})
}

function errorOf({ code, message, details }: Refusal): object {
  return { error: { code, message, reason: details.reason ?? null } }
}

function send(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body)
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  res.end(text)
}
