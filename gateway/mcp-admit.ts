// Authenticates MCP requests: the same keys and people as the dispatch endpoint, by tokens for this surface, and never by a cookie.
import type { IncomingMessage } from 'node:http'
import { parseApiKey } from '@svc/contract/identity/api-key'
import { type Refusal, type RefusalCode, refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { Credential } from '@svc/engine/call'
import { engine_busy, type Place } from './dispatch/admission-control.ts'
import { errorBody } from './dispatch/answer.ts'
import { authenticate, bySignIn } from './dispatch/authenticate.ts'
import { type DispatchHeaders, readHeaders, requireHost, suppliedCorrelationId } from './dispatch/headers.ts'
import { recognise } from './dispatch/recognise.ts'
import {
  type DispatchEndpoint,
  journalled,
  markRefused,
  recordRefusedRequest,
} from './dispatch/refusal-recorder.ts'
import { exactAddressOf } from './oauth/address.ts'
import type { Logins, SignedIn } from './oauth/logins.ts'
import { metadataUrlOf } from './oauth/metadata.ts'
import { scopesOf } from './oauth/scopes.ts'
import { type Site, sseUrlOf } from './oauth/site.ts'

/** The endpoint of the MCP surface: its records say so, and it accepts only its own tokens. */
export interface McpEndpoint extends DispatchEndpoint {
  readonly origin: 'mcp'
  readonly logins: Logins
  readonly site: Site
}

export type Admission =
  | {
      readonly ok: true
      readonly credential: Credential
      readonly caller: string
      /** Of the request that carries the message, if sent. */
      readonly correlation_id: string | undefined
      readonly address: string | undefined
    }
  | {
      readonly ok: false
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }

/** JSON-RPC leaves -32000 to -32099 to servers. */
const refused_code = -32_001
/** The limit of MCP: a chunked message does not announce its length. */
const unannounced_bytes = 8 * 1024 * 1024

/** Checked for every request, so that a revoked key stops working, whatever was opened with it. */
export async function admitToMcp(dispatch_endpoint: McpEndpoint, req: IncomingMessage): Promise<Admission> {
  let headers: DispatchHeaders = {}
  // Opening a stream is no call: the calls it carries have their own slots.
  let place: Place | undefined
  try {
    headers = readHeaders(req.rawHeaders)
    requireHost(headers.host, req)
    place = req.method === 'POST' ? dispatch_endpoint.admission?.enter() : undefined
    const { credential, holding } = await knowCaller(dispatch_endpoint, headers, req)
    place?.belongTo(credential.tenant_id)
    if (credential.proof_key !== undefined) await dispatch_endpoint.proofs?.redeem(headers)
    await dispatch_endpoint.audit_log.ready(credential.tenant_id)
    // A token is renewed every quarter of an hour; its grant stays.
    const caller = holding?.kind === 'token' ? `grant:${holding.grant_hash}` : `key:${credential.key_id}`
    if (place) holdBody(place, req)
    const correlation_id = suppliedCorrelationId(headers['x-correlation-id'])
    const address = exactAddressOf(req, dispatch_endpoint.proxy_hops ?? 0)
    return { ok: true, credential, caller, correlation_id, address }
  } catch (thrown) {
    place?.leave()
    return refuseAdmission(dispatch_endpoint, req, asRefusal(thrown), headers)
  }
}

/** MCP itself reads the message, so its size is counted from here until its request is finished. */
function holdBody(place: Place, req: IncomingMessage): void {
  place.hold(Number(req.headers['content-length'] ?? unannounced_bytes))
  place.stepAside()
  if (req.closed) place.leave()
  else req.once('close', () => place.leave())
}

type Caller = Pick<SignedIn, 'credential'> & Partial<Pick<SignedIn, 'holding'>>

async function knowCaller(
  dispatch_endpoint: McpEndpoint,
  headers: DispatchHeaders,
  request: IncomingMessage,
): Promise<Caller> {
  const { authorization, dpop, 'x-agent-did': claimed_did } = headers
  const signed_in = await bySignIn(dispatch_endpoint.logins, authorization, claimed_did, {})
  if (signed_in) return signed_in
  const did = claimed_did ?? (await boundDid(dispatch_endpoint, authorization))
  const sent = { authorization, dpop, 'x-agent-did': did }
  const { method = '', url: path = '' } = request
  return { credential: await authenticate({ headers: sent, method, path, request }, dispatch_endpoint) }
}

/** Many clients of other protocols can set one header only. The key is bound to one DID, so omitting it claims nothing. */
export async function boundDid({ keys }: DispatchEndpoint, authorization = ''): Promise<string | undefined> {
  const presented = parseApiKey(authorization.replace(/^(bearer|dpop) /i, ''))
  return presented && (await keys.find(presented.key_id))?.did
}

async function refuseAdmission(
  dispatch_endpoint: McpEndpoint,
  req: IncomingMessage,
  refusal: Refusal,
  headers: DispatchHeaders,
): Promise<Admission> {
  markRefused(req)
  const credential =
    refusal.details.reason === engine_busy ? recognise(dispatch_endpoint, headers) : undefined
  const correlation_id = recordRefusedRequest(dispatch_endpoint, refusal, req, credential)
  await journalled(dispatch_endpoint)
  const { error } = errorBody(refusal, { correlation_id, stage: null, audit_head: null })
  const message = { code: refused_code, message: refusal.message, data: error }
  const challenge = challengeFor(dispatch_endpoint.site, req, refusal, headers)
  const { retry_after_ms } = refusal.details
  return {
    ok: false,
    status: refusal.row.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-correlation-id': correlation_id,
      ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
      ...(retry_after_ms === undefined ? {} : { 'retry-after': String(Math.ceil(retry_after_ms / 1000)) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: message }),
  }
}

/** RFC 6750 and RFC 9728: what was wrong with the token, which scope is needed, and where to find the token issuer. */
function challengeFor(
  { mcp_url }: Site,
  req: IncomingMessage,
  { row, details }: Refusal,
  { authorization }: DispatchHeaders,
): string | undefined {
  const lacks_scope = details.reason === 'token scope'
  if (mcp_url === undefined || (row.status !== 401 && !lacks_scope)) return undefined
  const error = lacks_scope ? 'insufficient_scope' : authorization === undefined ? undefined : 'invalid_token'
  const older = /^\/(sse|messages)([/?]|$)/.test(req.url ?? '')
  const parameters = {
    ...(error === undefined ? {} : { error }),
    scope: scopesOf('mcp').join(' '),
    resource_metadata: metadataUrlOf(older ? sseUrlOf(mcp_url) : mcp_url),
  }
  const parts = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`)
  return `Bearer ${parts.join(', ')}`
}

const codes: Readonly<Record<number, RefusalCode>> = {
  403: 'capability_denied',
  404: 'not_found',
  413: 'payload_too_large',
  429: 'rate_limited',
  503: 'no_endpoint_available',
}

/** What MCP itself rejects before there is a call: a foreign host or page, another route, an unreadable body. */
export async function recordTurnedAway(
  dispatch_endpoint: McpEndpoint,
  req: IncomingMessage,
  credential: Credential | undefined,
  { status, reason, message }: { readonly status: number; readonly reason: string; readonly message: string },
): Promise<Record<string, string>> {
  markRefused(req)
  const refusal = refuse(codes[status] ?? 'invalid_request', message, { reason })
  const correlation_id = recordRefusedRequest(dispatch_endpoint, refusal, req, credential)
  await journalled(dispatch_endpoint)
  return { 'x-correlation-id': correlation_id }
}
