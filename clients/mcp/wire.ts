// Converts between node:http and the MCP library's requests, responses and streams.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** The engine's limit: a message of 5 MiB fits. */
const body_bytes_max = 8 * 1024 * 1024

/** Parses bytes; throws if they are not acceptable JSON. */
export type ReadJson = (bytes: Buffer) => unknown

/** A request rejected before anything was executed. Thrown anywhere, answered in one place. */
export class TurnedAway extends Error {
  readonly status: number
  /** Of JSON-RPC. */
  readonly code: number
  /** A short stable phrase naming the rule. */
  readonly reason: string
  readonly headers: Readonly<Record<string, string>>
  constructor(
    [status, code]: readonly [status: number, code: number],
    reason: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.name = 'TurnedAway'
    this.status = status
    this.code = code
    this.reason = reason
    this.headers = headers
  }
}

export function answerError(res: ServerResponse, turned: TurnedAway, more = {}): void {
  const { status, code, message, headers } = turned
  const body = JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null })
  const always = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  res.writeHead(status, { ...always, ...headers, ...more }).end(body)
}

export async function readJsonBody(
  req: IncomingMessage,
  readJson: ReadJson = (bytes) => JSON.parse(bytes.toString('utf8')),
): Promise<unknown> {
  const chunks: Buffer[] = []
  let bytes = 0
  const declared = Number(req.headers['content-length'] ?? 0)
  if (declared <= body_bytes_max) {
    // Leaving the loop must not destroy the socket, because the refusal is sent over it.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length
      if (bytes > body_bytes_max) break
      chunks.push(chunk)
    }
  }
  if (Math.max(declared, bytes) > body_bytes_max) {
    const message = `The body is larger than ${body_bytes_max} bytes; send less.`
    throw new TurnedAway([413, -32000], 'body too large', message, { connection: 'close' })
  }
  try {
    return await readJson(Buffer.concat(chunks))
  } catch (thrown) {
    const why = thrown instanceof SyntaxError ? 'the body is not JSON.' : (thrown as Error).message
    throw new TurnedAway([400, -32700], 'malformed body', `Parse error: ${why}`)
  }
}

/** Without the body, which was already read; aborted when the client disconnects. */
export function webRequest(req: IncomingMessage, res: ServerResponse, url: URL): Request {
  const gone = new AbortController()
  const leave = () => gone.abort(new Error('the client left'))
  if (res.closed) leave()
  else res.once('close', leave)
  const headers = new Headers()
  for (const [name, values] of Object.entries(req.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value)
  }
  return new Request(url, { method: req.method ?? 'GET', headers, signal: gone.signal })
}

/** Respects backpressure, and stops when the client disconnects. */
export async function pipeAnswer(answer: Response, res: ServerResponse): Promise<void> {
  res.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (!answer.body) return void res.end()
  const reader = answer.body.getReader()
  res.once('close', () => void reader.cancel().catch(() => undefined))
  res.flushHeaders()
  while (true) {
    const { done, value } = await reader.read()
    if (done || res.destroyed) break
    if (!res.write(value)) await writable(res)
  }
  res.end()
}

function writable(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      res.off('drain', go)
      res.off('close', go)
      resolve()
    }
    res.once('drain', go)
    res.once('close', go)
  })
}
