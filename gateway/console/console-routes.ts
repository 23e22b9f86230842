// Which routes and headers a console passes on to the engine. Allowlists: everything else is dropped.
import type { IncomingHttpHeaders } from 'node:http'
import { refuse } from '@svc/contract/refusal'

/** Methods by path; a path ending in a slash covers everything below it. */
const passed: Readonly<Record<string, readonly string[]>> = {
  '/v1/dispatch': ['POST'],
  '/v1/whoami': ['GET'],
  '/v1/live': ['GET'],
  '/v1/session': ['GET', 'DELETE'],
  '/v1/protocols': ['GET'],
  '/v1/protocols/': ['GET'],
  '/v1/search': ['GET'],
  '/schemas/': ['GET'],
  '/oauth/sign-in': ['GET', 'POST'],
  '/oauth/sign-out': ['GET', 'POST'],
  '/oauth/pages.css': ['GET'],
  '/oauth/upstream/': ['GET'],
  '/admin/trace': ['GET', 'PUT'],
  '/admin/settings': ['GET'],
  '/admin/tenants': ['GET'],
  '/health': ['GET'],
  '/ready': ['GET'],
}

const plain_path = /^\/[\w.~/-]*$/

export function isPassedOn(method: string, path: string): boolean {
  if (!plain_path.test(path) || /(^|\/)\.{1,2}(\/|$)|\/\//.test(path)) return false
  const route = Object.entries(passed).find(([prefix]) =>
    prefix.endsWith('/') ? path.startsWith(prefix) && path.length > prefix.length : path === prefix,
  )
  return route?.[1].includes(method) ?? false
}

/** No Authorization: a console acts only for the person signed in here. */
const to_engine = [
  'accept',
  'accept-language',
  'content-type',
  'cookie',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'prefer',
  'traceparent',
  'tracestate',
  'user-agent',
  'x-svc-csrf',
  'x-svc-dry-run',
]

export function headersOnward(headers: IncomingHttpHeaders): Record<string, string> {
  const passed_headers: Record<string, string> = {}
  for (const name of to_engine) {
    const value = headers[name]
    if (typeof value === 'string') passed_headers[name] = value
  }
  return passed_headers
}

const safe_methods = ['GET', 'HEAD']

/** The engine does not know the console's address, so the origin of a change is checked here, from what browsers report. */
export function requireOwnPage(method: string, headers: IncomingHttpHeaders): void {
  if (safe_methods.includes(method)) return
  const { 'sec-fetch-site': site, origin, host } = headers
  const is_ours =
    site === undefined ? origin === undefined || URL.parse(origin)?.host === host : site === 'same-origin'
  if (is_ours) return
  throw refuse(
    'unauthenticated',
    'Only the console’s own pages may change anything through it; open it by its own address, and let a proxy before it keep the Host header.',
    { reason: 'another site' },
  )
}
