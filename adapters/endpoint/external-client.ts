// The engine's side of the external contract to the nodes bound by the operator: POST /invoke and GET /health.

import type { ClientTls } from '@svc/contract/client-tls'
import { authorizeRequest } from '@svc/contract/identity/did-auth'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import type { SigningKey } from '@svc/contract/signing/signature'
import type { Clock } from '@svc/engine/ports'
import { unguarded } from '../outbound/address-guard.ts'
import { type Incoming, type Outbound, type OutboundError, openOutbound } from '../outbound/outbound.ts'
import { refusalOf, unanswered, unreadable } from './foreign-refusal.ts'

export interface ExternalService {
  readonly protocol: string
  /** Without a trailing slash. */
  readonly url: string
  readonly timeout_ms: number
  /** Signs each request as this engine; undefined if the service needs no did-auth. */
  readonly signer: SigningKey | undefined
  /** Trusted besides the authorities of the system, and the certificate to show. */
  readonly tls?: ClientTls | undefined
}

export interface ExternalClient {
  readonly url: string
  invoke(operation: string, payload: unknown, context: InvokeContext, signal?: AbortSignal): Promise<unknown>
  /** True if the service says it is healthy; never throws. */
  isHealthy(): Promise<boolean>
}

export const answer_bytes_max = 6 * 1024 * 1024
const health_ms_max = 3_000
const own_codes = ['invalid_payload', 'policy_denied'] as const

export function externalClient(service: ExternalService, clock: Clock): ExternalClient {
  const { protocol, timeout_ms } = service
  const { tls } = service
  const outbound = openOutbound(service.url, { guard: unguarded, ca: tls && (() => tls().ca), shows: tls })
  return {
    url: service.url,
    async invoke(operation, payload, context, signal) {
      const body = canonicalJson({ operation, payload, ctx: context })
      const headers = { ...contractHeaders(protocol, operation, context), ...signed(service, clock, body) }
      const request = { method: 'POST', path: '/invoke', headers, body, timeout_ms, signal } as const
      const answer = await outbound.send({ ...request, answer_bytes_max }).catch((error: OutboundError) => {
        throw unanswered(protocol, timeout_ms, error)
      })
      const read = parse(protocol, answer)
      if (isWell(answer)) return dataIn(protocol, read)
      throw refusalOf({ protocol, status: answer.status, answer: read, request: body }, own_codes)
    },
    isHealthy: () => askHealth(outbound),
  }
}

/** Never throws: every failure means unhealthy. */
export async function askHealth(outbound: Outbound): Promise<boolean> {
  const request = { method: 'GET', path: '/health', headers: {}, answer_bytes_max: 0 } as const
  return outbound.send({ ...request, timeout_ms: health_ms_max }).then(isWell, () => false)
}

export function isWell({ status }: Incoming): boolean {
  return status >= 200 && status < 300
}

const traceparent_form = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/
const header_text = /^[\x20-\x7e]{1,512}$/

export function contractHeaders(
  protocol: string,
  operation: string,
  { correlation_id, trace_context }: InvokeContext,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-svc-protocol': protocol,
    'x-svc-operation': operation,
    'x-svc-correlation-id': correlation_id,
  }
  // A caller may write anything into its context; only a valid trace is passed on.
  if (trace_context && traceparent_form.test(trace_context.traceparent)) {
    headers.traceparent = trace_context.traceparent
    const { tracestate } = trace_context
    if (tracestate !== undefined && header_text.test(tracestate)) headers.tracestate = tracestate
  }
  return headers
}

function signed({ protocol, signer }: ExternalService, clock: Clock, body: string): Record<string, string> {
  if (!signer) return {}
  const request = { audience: protocol, body, now_ms: clock.now_ms() }
  return { authorization: authorizeRequest(signer, request, clock.uuid()) }
}

function parse(protocol: string, { status, body }: Incoming): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch (error) {
    // A proxy may answer in place of the service, with any content.
    if (status >= 300) return undefined
    throw unreadable(protocol, error)
  }
}

export function dataIn(protocol: string, answer: unknown): unknown {
  if (typeof answer === 'object' && answer !== null && 'data' in answer) return answer.data
  throw unreadable(protocol, new TypeError('it holds no data'))
}
