// A gateway's work: authenticate the caller, vouch for it with a signature, pass on request and answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { finished } from 'node:stream/promises'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { SigningKey } from '@svc/contract/signing/signature'
import { asRefusal } from '@svc/database/as-refusal'
import type { Credential } from '@svc/engine/call'
import type { Resolution } from '@svc/engine/known'
import type { IdentityResolver, KeyRing } from '@svc/engine/ports'
import type { AdmissionControl, Place } from '../dispatch/admission-control.ts'
import { authenticate, bySignIn } from '../dispatch/authenticate.ts'
import { refuseAtEndpoint } from '../dispatch/dispatch-endpoint.ts'
import {
  type DispatchHeaders,
  readHeaders,
  requireHost,
  requireJson,
  suppliedCorrelationId,
} from '../dispatch/headers.ts'
import { isNewcomer, isProven, type Proofs } from '../dispatch/proofs.ts'
import { aborted, readBody } from '../dispatch/read-body.ts'
import { isRefused, type RefusalRecorder } from '../dispatch/refusal-recorder.ts'
import { noteRequest } from '../dispatch/refuse-socket.ts'
import { signContext } from '../dispatch/signed-context.ts'
import { carriesCredential } from '../log/credentials.ts'
import { exactAddressOf } from '../oauth/address.ts'
import type { Logins, SignedIn } from '../oauth/logins.ts'
import { headersToCaller, headersToEngine, type Route, routeOf } from './relay-routes.ts'
import { brokeOff, type FromEngine, type ToEngine, type Upstream } from './relay-upstream.ts'
import type { Traffic } from './traffic.ts'

export interface Relay extends RefusalRecorder {
  readonly keys: KeyRing
  /** People who signed in; without it only API keys are accepted. */
  readonly logins?: Logins
  /** Agents that prove their key; without it none can. */
  readonly proofs?: Proofs
  readonly identity: IdentityResolver
  readonly signer: SigningKey
  /** The audience of every context. */
  readonly engine_did: string
  readonly upstream: Upstream
  readonly engine: Traffic
  /** Limits concurrent requests; without it there is no limit. */
  readonly admission?: AdmissionControl
  /** With several cells: the relay to the one in which the caller's tenant lives. */
  relayFor?(request: { readonly headers: DispatchHeaders; readonly path: string }): Promise<Relay>
  /** What /health and /ready say. */
  status(): { readonly version: string; readonly uptime_seconds: number }
  readiness(): Promise<Readonly<Record<string, boolean>>>
}

/** A process without an audit log: no answer waits for one, and there is no head. */
export const no_audit_log: RefusalRecorder['audit_log'] = { written: async () => {}, head: () => null }

export async function handleRequest(relay: Relay, req: IncomingMessage, res: ServerResponse): Promise<void> {
  noteRequest(res)
  const progress: Known = { headers: {} }
  let cell = relay
  try {
    if (req.httpVersionMajor !== 1) throw otherVersion()
    progress.headers = readHeaders(req.rawHeaders)
    requireHost(progress.headers.host, req)
    const route = routeOf(req.method ?? '', req.url ?? '')
    if (route === undefined) throw noRoute(req)
    if (route === 'health' || route === 'ready') await answerStatus(relay, route, res)
    else {
      cell = (await relay.relayFor?.({ headers: progress.headers, path: req.url ?? '' })) ?? relay
      await relayRequest(cell, route, req, res, progress)
    }
  } catch (thrown) {
    // A caller that left needs no answer, and malformed bytes are answered already.
    if (res.destroyed || (isRefused(req) && isAborted(thrown))) return
    const refusal = asRefusal(thrown)
    if (refusal.cause && refusal.code !== 'internal') relay.log.warn({ err: refusal.cause }, refusal.message)
    await refuseAtEndpoint(cell, res, refusal, progress.credential)
  }
}

interface Known {
  headers: DispatchHeaders
  credential?: Credential
  place?: Place
}

async function relayRequest(
  relay: Relay,
  route: Exclude<Route, 'health' | 'ready'>,
  req: IncomingMessage,
  res: ServerResponse,
  progress: Known,
): Promise<void> {
  const { engine } = relay
  if (engine.draining) throw drainingNow()
  const place = relay.admission?.enter()
  progress.place = place
  engine.enter()
  const left = new AbortController()
  res.once('close', () => {
    engine.leave()
    place?.leave()
    if (!res.writableFinished) left.abort()
  })
  const to_engine = await prepare(relay, route, req, progress)
  const answer = await relay.upstream.ask({ ...to_engine, signal: left.signal })
  if (route === 'live') endWithGateway(relay, answer, res)
  await passBack(relay, answer, res)
}

type Prepared = Omit<ToEngine, 'signal'>

async function prepare(relay: Relay, route: Route, req: IncomingMessage, progress: Known): Promise<Prepared> {
  const { method = 'GET', url: path = '/' } = req
  if (route === 'dispatch') return prepareDispatch(relay, req, progress)
  // Public logs are read by anybody, and the engine decides which are public.
  const is_bare =
    route === 'whoami' || route === 'live' || (route === 'log' && carriesCredential(req.headers))
  if (is_bare) return prepareBare(relay, req, progress)
  if (route === 'login') {
    const body = await readBody(req, progress.headers['content-length'], progress.place)
    const headers = { ...headersToEngine('login', req.headers), ...forwardedHeaders(req) }
    return { method, path, headers: () => headers, body: body.length > 0 ? body : undefined }
  }
  return { method, path, headers: () => headersToEngine('page', req.headers) }
}

async function prepareDispatch(relay: Relay, req: IncomingMessage, progress: Known): Promise<Prepared> {
  const { headers } = progress
  const { method = '', url: path = '' } = req
  const caller =
    isNewcomer(headers) && relay.proofs
      ? { credential: await relay.proofs.newcomer({ headers, method, path }) }
      : await knowCaller(relay, headers, req)
  progress.credential = caller.credential
  progress.place?.belongTo(caller.credential.tenant_id)
  requireJson(headers)
  const body = await readBody(req, headers['content-length'], progress.place)
  const vouched = await vouchFor(relay, caller, req, headers, body)
  const is_once = isProven(headers, caller.credential)
  return { method: 'POST', path: '/v1/dispatch', headers: vouched, body, is_once }
}

const no_body = new Uint8Array()

/** Changes nothing, so a cookie alone is enough; signed with an empty body, because a dispatch is never empty. */
async function prepareBare(relay: Relay, req: IncomingMessage, progress: Known): Promise<Prepared> {
  const caller = await knowCaller(relay, progress.headers, req, false)
  progress.credential = caller.credential
  const vouched = await vouchFor(relay, caller, req, progress.headers, no_body)
  return { method: req.method ?? 'GET', path: req.url!, headers: vouched }
}

async function vouchFor(
  relay: Relay,
  { credential, holding }: Caller,
  req: IncomingMessage,
  headers: DispatchHeaders,
  body: Uint8Array,
): Promise<Prepared['headers']> {
  const proof = isProven(headers, credential) ? relay.proofs?.verified(headers, sha256Hex(body)) : undefined
  const resolution = await resolve(relay, credential.did)
  const correlation_id = suppliedCorrelationId(headers['x-correlation-id']) ?? relay.clock.uuid()
  const call = {
    credential,
    holding:
      proof && isNewcomer(headers) ? ({ kind: 'proof', public_key: proof.public_key } as const) : holding,
    proof_id: proof?.id,
    resolution,
    correlation_id,
    address: exactAddressOf(req, relay.proxy_hops ?? 0),
    headers,
    body,
  }
  const passed = headersToEngine('dispatch', req.headers)
  return () => ({
    ...passed,
    'x-svc-context': signContext(call, relay.engine_did, relay.signer, relay.clock),
  })
}

type Caller = Pick<SignedIn, 'credential'> & Partial<Pick<SignedIn, 'holding'>>

/** As the engine's own endpoint does. The key, token or cookie ends here. */
async function knowCaller(
  { keys, logins, proofs, clock, proxy_hops = 0 }: Relay,
  headers: DispatchHeaders,
  request: IncomingMessage,
  changes_state = true,
): Promise<Caller> {
  const { authorization, 'x-agent-did': claimed_did } = headers
  const signed_in = logins && (await bySignIn(logins, authorization, claimed_did, headers, changes_state))
  if (signed_in) return signed_in
  const { method = '', url: path = '' } = request
  const authenticator = { keys, clock, proxy_hops, ...(proofs && { proofs }) }
  return { credential: await authenticate({ headers, method, path, request }, authenticator) }
}

/** Never throws, as required of the identity middleware. */
async function resolve({ identity, log }: Relay, did: string): Promise<Resolution> {
  try {
    return await identity.resolve(did)
  } catch (error) {
    log.warn({ err: error, did }, 'identity resolver raised; the engine is left to resolve the caller')
    return { outcome: 'Unavailable', reason: 'resolver raised', unknown: 'revocation' }
  }
}

const forwarded_chars_max = 512

/** For sign-in pages: the address seen here comes last; the engine trusts earlier ones only from proxies it knows. */
export function forwardedHeaders({ headers, socket }: IncomingMessage): Record<string, string> {
  const before = String(headers['x-forwarded-for'] ?? '').slice(-forwarded_chars_max)
  const remote_address = socket.remoteAddress ?? 'unknown'
  return {
    'x-forwarded-for': before ? `${before}, ${remote_address}` : remote_address,
    'x-forwarded-proto': 'encrypted' in socket ? 'https' : 'http',
    'x-forwarded-host': headers.host ?? '',
  }
}

/** A live feed lasts many minutes, and must not delay a stopping gateway. It sends something every second. */
function endWithGateway({ engine }: Relay, answer: FromEngine, res: ServerResponse): void {
  const end = () => {
    answer.unpipe(res)
    res.end()
    answer.destroy()
  }
  // After other listeners have passed these bytes on.
  answer.on('data', () => {
    if (engine.draining) queueMicrotask(end)
  })
}

async function passBack(relay: Relay, answer: FromEngine, res: ServerResponse): Promise<void> {
  const headers = headersToCaller(answer.rawHeaders)
  if (relay.engine.draining) headers.push('connection', 'close')
  res.writeHead(answer.statusCode ?? 502, headers)
  res.flushHeaders()
  answer.pipe(res)
  try {
    await finished(answer, { writable: false })
  } catch (error) {
    if (res.destroyed || res.writableEnded) return
    relay.log.warn({ err: error }, 'the engine broke off in the middle of an answer')
    // A stream can still report the error; a partial answer must not look complete.
    if (!isStream(answer)) return void res.destroy()
    throw brokeOff(error)
  }
}

function isStream({ headers }: FromEngine): boolean {
  return headers['content-type']?.startsWith('text/event-stream') ?? false
}

async function answerStatus(relay: Relay, route: 'health' | 'ready', res: ServerResponse): Promise<void> {
  const accepting = !relay.engine.draining
  if (route === 'health') {
    return sendJson(res, accepting, { status: accepting ? 'ok' : 'draining', ...relay.status() })
  }
  const checks = { accepting, ...(await relay.readiness()) }
  const ready = Object.values(checks).every(Boolean)
  sendJson(res, ready, { ready, checks })
}

function sendJson(res: ServerResponse, fine: boolean, body: object): void {
  const text = JSON.stringify(body)
  res.writeHead(fine ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  })
  res.end(text)
}

function isAborted(thrown: unknown): boolean {
  return asRefusal(thrown).details.reason === aborted
}

export function noRoute({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): Refusal {
  return refuse(
    'not_found',
    `This gateway passes no ${method} ${url?.split('?')[0]} on; calls go to POST /v1/dispatch, and /docs lists the rest.`,
    { reason: 'no such route' },
  )
}

function otherVersion(): Refusal {
  return refuse('invalid_request', 'Only HTTP/1.1 and HTTP/1.0 are spoken here.', { reason: 'http version' })
}

function drainingNow(): Refusal {
  return refuse('draining', 'This gateway is shutting down and takes no new calls; send it to another one.', {
    reason: 'draining',
    retry_after_ms: 1000,
  })
}
