// The parts of a request that say who sends it.
import type { IncomingMessage } from 'node:http'
import type { DispatchHeaders } from './headers.ts'

/** Credentials of a browser: cookies are sent automatically, the CSRF token only by our own page. */
export interface BrowserHeaders {
  readonly cookie?: string | undefined
  readonly 'x-svc-csrf'?: string | string[] | undefined
}

export interface Presented {
  readonly headers: Pick<DispatchHeaders, 'authorization' | 'dpop' | 'x-agent-did'> & BrowserHeaders
  readonly method: string
  readonly path: string
  /** For keys that are bound to networks. */
  readonly request?: Pick<IncomingMessage, 'headers' | 'socket'>
}
