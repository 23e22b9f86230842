// Fetch for an MCP client: streams answers, connects only to addresses checked for this very connection, and ends an
// answer that grows too large. Redirects are returned, never followed here.
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { Readable, Transform } from 'node:stream'
import { bareHost, RefusedAddress, refusedBeforehand } from '../outbound/address-guard.ts'
import { guardedAgent, type OutboundOptions } from '../outbound/outbound.ts'

const header_bytes_max = 16 * 1024
/** Statuses without a body, by the fetch standard. */
const bodiless = [101, 103, 204, 205, 304]

export interface GuardedFetch {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>
  close(): void
}

/** For one base address: every request must be of its origin. */
export function guardedFetch(base: URL, options: OutboundOptions, answer_bytes_max: number): GuardedFetch {
  const agent = guardedAgent(base, options)
  return {
    async fetch(requested, init = {}) {
      const url = new URL(requested)
      const refused = refusedBeforehand(url, options.guard)
      if (refused !== undefined) throw new RefusedAddress(refused)
      if (url.origin !== base.origin) throw new Error('another origin is not asked')
      const { promise, resolve, reject } = Promise.withResolvers<Response>()
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest
      const asking = send({
        agent,
        method: init.method ?? 'GET',
        host: bareHost(url),
        port: url.port === '' ? undefined : Number(url.port),
        path: url.pathname + url.search,
        headers: { 'user-agent': 'svc-engine', ...Object.fromEntries(new Headers(init.headers)) },
        maxHeaderSize: header_bytes_max,
        ...(init.signal ? { signal: init.signal } : {}),
      })
      asking.on('response', (answer) => {
        try {
          resolve(asResponse(answer, answer_bytes_max))
        } catch (error) {
          // Nobody else would catch an error thrown here: a malformed answer must not end the engine.
          answer.destroy()
          reject(error)
        }
      })
      asking.on('error', reject)
      asking.end(typeof init.body === 'string' ? init.body : undefined)
      return promise
    },
    close: () => agent.destroy(),
  }
}

function asResponse(answer: IncomingMessage, bytes_max: number): Response {
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const status = answer.statusCode ?? 0
  if (status < 200 || status > 599) throw new Error('a status that is none')
  if (bodiless.includes(status)) {
    answer.resume()
    return new Response(null, { status, headers })
  }
  return new Response(Readable.toWeb(answer.pipe(bounded(answer, bytes_max))) as ReadableStream, {
    status,
    headers,
  })
}

function bounded(answer: IncomingMessage, bytes_max: number): Transform {
  let bytes = 0
  const bound = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= bytes_max) return done(null, chunk)
      answer.destroy()
      done(new Error('too large'))
    },
    // A reader that lost interest must not leave the connection reading.
    destroy(error, done) {
      answer.destroy()
      done(error)
    },
  })
  answer.on('error', (error) => bound.destroy(error))
  return bound
}
