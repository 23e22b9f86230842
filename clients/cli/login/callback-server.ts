// The local redirect target for the browser: accepts one request, then closes.
import { createServer, type Server, type ServerResponse } from 'node:http'
import { SvcError } from '@svc/sdk/errors'
import { UsageError } from '../exit.ts'

const host = '127.0.0.1'
const path = '/callback'
const farewell_ms_max = 1_000

export interface Callback {
  /** The requested URL, with the parameters of the sign-in page. */
  readonly url: URL
  /** Shows the result in the browser, which waits until then. */
  answer(page: { title: string; text: string }): Promise<void>
}

export interface CallbackServer {
  readonly redirect_uri: string
  /** The first request to the callback; later ones are rejected. */
  readonly came: Promise<Callback>
  close(): Promise<void>
}

export async function listenForCallback(
  port: number,
  wait_ms: number,
  signal: AbortSignal,
): Promise<CallbackServer> {
  const server = createServer()
  await listen(server, port)
  const redirect_uri = `http://${host}:${portOf(server)}${path}`
  const closing = new AbortController()
  const came = firstCallback(server, redirect_uri, wait_ms, AbortSignal.any([signal, closing.signal]))
  // The login may have failed before it awaits this.
  came.catch(() => undefined)
  const close = () => {
    closing.abort(new Error('the sign-in was stopped'))
    return closeServer(server)
  }
  return { redirect_uri, came, close }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portFault(error, port)))
    server.listen({ host, port, exclusive: true }, () => resolve())
  })
}

function portFault(error: NodeJS.ErrnoException, port: number): Error {
  const next = 'stop what uses it, or choose another with --port N.'
  if (error.code === 'EADDRINUSE')
    return new UsageError(`Port ${port} of ${host} is in use, and the browser is redirected there; ${next}`)
  if (error.code === 'EACCES')
    return new UsageError(
      `Port ${port} needs more permissions than this user has; choose one above 1023 with --port N.`,
    )
  return error
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function firstCallback(
  server: Server,
  redirect_uri: string,
  wait_ms: number,
  signal: AbortSignal,
): Promise<Callback> {
  return new Promise((resolve, reject) => {
    const minutes = Math.round(wait_ms / 60_000)
    const timer = setTimeout(() => {
      const message = `Nobody came back from the browser within ${minutes} minutes; run \`svc login\` again.`
      end(() => reject(new SvcError({ code: 'timeout', message, reason: 'sign-in not finished' })))
    }, wait_ms)
    const leave = () => end(() => reject(signal.reason))
    let is_over = false
    const end = (settle: () => void) => {
      is_over = true
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      settle()
    }
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    server.on('request', (request, response) => {
      // Browsers request icons, and any local program may connect: neither is the expected request.
      const url = URL.parse(request.url ?? '', redirect_uri)
      if (request.method !== 'GET' || url?.href.split('?')[0] !== redirect_uri)
        return void show(response, 404, 'Nothing here', 'This address only ends a sign-in of svc.')
      if (is_over)
        return void show(response, 410, 'Already done', 'This sign-in has ended. See the terminal.')
      end(() => resolve({ url, answer: ({ title, text }) => show(response, 200, title, text) }))
    })
  })
}

/** Echoes nothing of the request and loads nothing else. */
function show(response: ServerResponse, status: number, title: string, text: string): Promise<void> {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<h1>${title}</h1>
<p>${text}</p>
</html>
`
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  })
  // The browser may have disconnected.
  return new Promise((resolve) => {
    response.once('finish', () => resolve())
    response.once('close', () => resolve())
    response.end(page)
  })
}

/** Lets pending responses finish and closes idle connections. */
function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), farewell_ms_max)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
