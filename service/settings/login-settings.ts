// How people sign in: the public address, the proxies before us, and the issuer of another organization.
import type { LoginSettings } from '@svc/gateway/oauth/room'

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])
const hops_max = 8

export function readLoginSettings(
  read: (name: string) => string | undefined,
  fail: (sentence: string) => Error,
): LoginSettings {
  const hops = Number(read('SVC_PROXY_HOPS') ?? 0)
  if (!Number.isInteger(hops) || hops < 0 || hops > hops_max)
    throw fail(
      `SVC_PROXY_HOPS is ${read('SVC_PROXY_HOPS')}; it is the number of proxies before us, 0 to ${hops_max}.`,
    )
  const public_url = read('SVC_PUBLIC_URL')
  if (public_url !== undefined) requireSafeUrl('SVC_PUBLIC_URL', public_url, fail)
  return { public_url, proxy_hops: hops, upstream: readUpstream(read, fail) }
}

function readUpstream(
  read: (name: string) => string | undefined,
  fail: (sentence: string) => Error,
): LoginSettings['upstream'] {
  const [issuer, client_id] = [read('SVC_OIDC_ISSUER'), read('SVC_OIDC_CLIENT_ID')]
  if (issuer === undefined && client_id === undefined) return undefined
  if (issuer === undefined || client_id === undefined)
    throw fail('SVC_OIDC_ISSUER and SVC_OIDC_CLIENT_ID belong together; set both, or neither.')
  requireSafeUrl('SVC_OIDC_ISSUER', issuer, fail)
  return {
    issuer,
    client_id,
    client_secret: read('SVC_OIDC_CLIENT_SECRET'),
    tenant_id: read('SVC_OIDC_TENANT'),
  }
}

/** Passwords, codes and cookies travel there: in the clear only where nobody else is on the line. */
function requireSafeUrl(name: string, text: string, fail: (sentence: string) => Error): void {
  const url = URL.parse(text)
  const is_safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.has(url.hostname))
  if (is_safe && !url.search && !url.hash && !url.username) return
  throw fail(`${name} is ${text}; it must be an https address without query (http on 127.0.0.1 only).`)
}
