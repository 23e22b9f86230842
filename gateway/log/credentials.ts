// Routes that anybody may call: whether a request still names a caller.
import type { IncomingHttpHeaders } from 'node:http'

const session_cookie = /(?:^|[;\s])(?:__Host-)?svc_session=/

/** Also for an invalid credential, which is refused rather than ignored. */
export function carriesCredential({ authorization, cookie, ...headers }: IncomingHttpHeaders): boolean {
  if (authorization !== undefined || headers['x-svc-context'] !== undefined) return true
  return cookie !== undefined && session_cookie.test(cookie)
}
