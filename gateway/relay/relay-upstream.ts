// The engine as a gateway sees it: a limited set of connections, and every failure as a refusal.
import { Agent, type AgentOptions, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps, Agent as TlsAgent } from 'node:https'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import type { ClientTls } from '@svc/contract/client-tls'
import { type Refusal, refuse } from '@svc/contract/refusal'

const connections_max = 256
const connections_idle_max = 64
const connect_ms_max = 5_000
const answer_header_bytes_max = 64 * 1024
const ready_ms_max = 2_000

export interface ToEngine {
  readonly method: string
  readonly path: string
  /** Names in lower case, once each; made anew for each tried engine, because a signed context is valid once. */
  headers(): Readonly<Record<string, string>>
  readonly body?: Buffer
  /** It carries a proof, which the engine that reads it uses up for all engines. */
  readonly is_once?: boolean
  /** Aborted when the caller leaves, so that the engine learns of it. */
  readonly signal: AbortSignal
}

/** The head of an answer; its body follows as a stream. */
export interface FromEngine
  extends Readable,
    Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'statusCode'> {}

export interface Upstream {
  /** Any failure before the head of an answer is thrown as a refusal. */
  ask(request: ToEngine): Promise<FromEngine>
  /** Closes idle connections. */
  letGo(): void
  close(): void
}

export const unreachable_reason = 'engine unreachable'

export interface UpstreamOptions {
  readonly url: URL
  /** Asked for each new connection. Its `ca` are the only trusted authorities; Node's own list where there are none. */
  readonly tls?: ClientTls
  /** A silent engine is given up after this time. */
  readonly silence_ms_max: number
}

export function openUpstream({ url, tls = () => ({}), silence_ms_max }: UpstreamOptions): Upstream {
  const secure = url.protocol === 'https:'
  const pool = { keepAlive: true, maxSockets: connections_max, maxFreeSockets: connections_idle_max }
  const agent = secure ? agentWith(tls, pool) : new Agent(pool)
  const start = secure ? requestHttps : requestHttp
  return {
    ask: ({ method, path, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const sent = start(url, {
          agent,
          method,
          path,
          headers: body ? { ...headers(), 'content-length': String(body.length) } : headers(),
          timeout: silence_ms_max,
          maxHeaderSize: answer_header_bytes_max,
          signal,
        })
        let connected = false
        sent.on('socket', (socket: Socket) => {
          if (!socket.connecting) connected = true
          else {
            socket.setTimeout(connect_ms_max)
            socket.once(secure ? 'secureConnect' : 'connect', () => {
              connected = true
              socket.setTimeout(silence_ms_max)
            })
          }
        })
        sent.on('timeout', () => sent.destroy(silent(connected)))
        sent.on('error', (error) => reject(failureOf(error, connected)))
        sent.on('response', resolve)
        // Always the last event of a request, even without an answer or an error.
        sent.on('close', () => reject(brokeOff(new Error('closed without an answer'))))
        sent.end(body)
      }),
    letGo() {
      for (const idle of Object.values(agent.freeSockets)) for (const socket of idle ?? []) socket.destroy()
    },
    close: () => agent.destroy(),
  }
}

/** A resumed session would still have the certificate of its first connection, so none is kept. */
function agentWith(tls: ClientTls, pool: AgentOptions): TlsAgent {
  const agent = new TlsAgent({ ...pool, minVersion: 'TLSv1.2', maxCachedSessions: 0 })
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, done) => connect({ ...options, ...tls() }, done)
  return agent
}

/** Whether the engine takes calls now. */
export async function isReady(upstream: Upstream): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ready_ms_max)
    const answer = await upstream.ask({ method: 'GET', path: '/ready', headers: () => ({}), signal })
    await textOf(answer)
    return answer.statusCode === 200
  } catch {
    return false
  }
}

const untrusted_codes =
  /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO$)/

/** An engine that was never reached did nothing; one that broke off may have done everything. */
function failureOf(error: Error & { code?: string }, connected: boolean): Error {
  if (error.name === 'Refusal' || error.name === 'AbortError') return error
  if (untrusted_codes.test(error.code ?? '')) {
    return refuse(
      'adapter_error',
      'The engine behind this gateway does not show a certificate it trusts; tell the operator.',
      { reason: 'engine not trusted' },
      error,
    )
  }
  if (!connected) return unreachable(error)
  return brokeOff(error)
}

export function brokeOff(cause: unknown): Refusal {
  return refuse(
    'adapter_error',
    'The engine broke off before it had answered; what was asked may have been done. Repeat it with the same idempotency key.',
    { reason: 'engine broke off' },
    cause,
  )
}

function unreachable(cause?: unknown): Refusal {
  const sentence = 'The engine behind this gateway cannot be reached; nothing was done. Try again shortly.'
  return refuse(
    'no_endpoint_available',
    sentence,
    { reason: unreachable_reason, retry_after_ms: 1000 },
    cause,
  )
}

function silent(connected: boolean): Refusal {
  if (!connected) return unreachable()
  return refuse(
    'timeout',
    'The engine did not answer in time; what was asked may still be done. Repeat it with the same idempotency key.',
    { reason: 'engine silent' },
  )
}
