// Which routes and headers a gateway passes on. Allowlists: everything else is dropped, above all hop-by-hop headers, a context sent by
// the caller, and the caller's API key.
import type { IncomingHttpHeaders } from 'node:http'

export type Route = 'dispatch' | 'whoami' | 'live' | 'log' | 'page' | 'login' | 'health' | 'ready'

const pages = ['/openapi.json', '/llms.txt']
const page_trees = ['/docs', '/schemas', '/v1/protocols', '/v1/search']
/** Sign-in routes: the credentials sent there are for the engine itself, not for a call. */
const login_trees = ['/oauth', '/.well-known', '/v1/keys', '/v1/session']
const login_methods = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']

/** Without a query; the engine decides which tiles there are. */
const log_form = /^\/v1\/log\/[a-z0-9-]{1,63}\/(checkpoint|tile\/[\w./]{1,64})$/

/** Refuses paths that two readers could interpret differently. */
const plain_path = /^\/(?!\/)[\w.~!$&'()*+,;=:@/%-]*$/
const dodging_path = /(^|\/)\.{1,2}(\/|$)|\/\/|%(2e|2f|5c|00)/i

/** `/admin` is not included: operators reach the engine directly, or not at all. */
export function routeOf(method: string, url: string): Route | undefined {
  const path = url.split('?', 1)[0]!
  if (!plain_path.test(path) || dodging_path.test(path)) return undefined
  if (method === 'POST' && url === '/v1/dispatch') return 'dispatch'
  if (login_methods.includes(method) && isIn(login_trees, path)) return 'login'
  if (method === 'GET' && url === '/v1/whoami') return 'whoami'
  if (method === 'GET' && url === '/v1/live') return 'live'
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (log_form.test(url)) return 'log'
  if (path === '/health') return 'health'
  if (path === '/ready') return 'ready'
  return path === '/' || pages.includes(path) || isIn(page_trees, path) ? 'page' : undefined
}

function isIn(trees: readonly string[], path: string): boolean {
  return trees.some((tree) => path === tree || path.startsWith(`${tree}/`))
}

const to_pages = [
  'accept',
  'accept-language',
  'if-none-match',
  'if-modified-since',
  'traceparent',
  'tracestate',
]
const to_engine: Readonly<Record<'dispatch' | 'page' | 'login', readonly string[]>> = {
  dispatch: [
    'accept',
    'content-type',
    'idempotency-key',
    'prefer',
    'traceparent',
    'tracestate',
    'x-svc-dry-run',
    'x-svc-origin',
  ],
  page: to_pages,
  login: [
    ...to_pages,
    'access-control-request-headers',
    'access-control-request-method',
    'authorization',
    'content-type',
    'cookie',
    'dpop',
    'origin',
    'referer',
    'sec-fetch-mode',
    'sec-fetch-site',
    'user-agent',
    'x-agent-did',
    'x-svc-csrf',
  ],
}

const api_key_form = /^(bearer|dpop)\s+svc_/i

export function headersToEngine(
  route: keyof typeof to_engine,
  headers: IncomingHttpHeaders,
): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of to_engine[route]) {
    const value = headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  // An API key or session token is for dispatch, and ends at this gateway.
  if (api_key_form.test(passed.authorization ?? '')) delete passed.authorization
  return passed
}

const to_caller: ReadonlySet<string> = new Set([
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'cache-control',
  'content-length',
  'content-security-policy',
  'content-type',
  'etag',
  'last-modified',
  'location',
  'preference-applied',
  'referrer-policy',
  'retry-after',
  'set-cookie',
  'traceparent',
  'tracestate',
  'vary',
  'www-authenticate',
  'x-accel-buffering',
  'x-content-type-options',
  'x-correlation-id',
  'x-frame-options',
  'x-svc-log',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
])

/** As a raw list, so that repeatable headers, such as Set-Cookie, stay repeated. */
export function headersToCaller(raw: readonly string[]): string[] {
  const passed: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    if (to_caller.has(raw[i]!.toLowerCase())) passed.push(raw[i]!, raw[i + 1]!)
  }
  return passed
}
