// POST /invoke: an engine serves another one. The signer is known before its body is read, and every answer is signed.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { parseDid } from '@svc/contract/identity/did'
import {
  authorizeRequest,
  claimedSignerOf,
  faultOfSignature,
  goodUntilMs,
  isSignedFor,
  openSignature,
  type Signed,
} from '@svc/contract/identity/did-auth'
import { Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { uuid_form } from '@svc/contract/text-form'
import { asRefusal } from '@svc/database/as-refusal'
import type { Served } from '@svc/engine/routing/serve-invocation'
import type { FastifyInstance } from 'fastify'
import type { Place } from '../dispatch/admission-control.ts'
import { type Reply, send } from '../dispatch/answer.ts'
import { readHeaders, requireJson } from '../dispatch/headers.ts'
import { aborted, readBody } from '../dispatch/read-body.ts'
import { type InvokeHeaders, readInvocation, readInvokeHeaders } from '../dispatch/read-invocation.ts'
import { readJson } from '../dispatch/read-json.ts'
import { large_bytes, readLargeJson } from '../dispatch/read-large-json.ts'
import { type DispatchEndpoint, isRefused, journalled, markRefused } from '../dispatch/refusal-recorder.ts'
import { addressOf } from '../oauth/address.ts'
import type { EngineTrust } from './engine-trust.ts'

/** What is known of the sender, as far as the request was read. */
interface Heard {
  headers: InvokeHeaders
  signed?: Signed
  /** The claimed signer, whom the operator would have to trust. */
  claimed_did?: string | undefined
  /** Set once the signature is valid and its signer trusted. */
  engine_did?: string
  place?: Place | undefined
  /** The calling engine's, once verified; else a new one. */
  correlation_id: string
}

export function addInvokeRoute(app: FastifyInstance, dispatch_endpoint: DispatchEndpoint): void {
  const { engines: trust } = dispatch_endpoint
  if (!trust) return
  app.post('/invoke', {
    // Taken over before Fastify reads the body: its limits are for other routes.
    onRequest: (request, reply) => {
      reply.hijack()
      void openInvocation(dispatch_endpoint, trust, request.raw, reply.raw)
    },
    handler: () => undefined,
  })
}

async function openInvocation(
  dispatch_endpoint: DispatchEndpoint,
  trust: EngineTrust,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const heard: Heard = { headers: {}, correlation_id: dispatch_endpoint.clock.uuid() }
  try {
    if (!trust.signer) throw cannotSign()
    const served = await serve(dispatch_endpoint, trust, heard, req, res)
    answer(dispatch_endpoint, trust, heard, res, served)
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    // Cut off by malformed bytes, which are recorded already.
    if (refusal.details.reason === aborted && isRefused(req)) return
    markRefused(req)
    recordRefused(dispatch_endpoint, heard, refusal, req)
    await journalled(dispatch_endpoint)
    answer(dispatch_endpoint, trust, heard, res, { kind: 'refused', refusal })
  } finally {
    heard.place?.leave()
  }
}

async function serve(
  dispatch_endpoint: DispatchEndpoint,
  trust: EngineTrust,
  heard: Heard,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<Served> {
  heard.headers = readHeaders(req.rawHeaders)
  const engine_did = requireEngine(dispatch_endpoint, trust, heard)
  heard.engine_did = engine_did
  heard.headers = readInvokeHeaders(req.rawHeaders, heard.headers)
  const header = heard.headers['x-svc-correlation-id']
  if (header && uuid_form.test(header)) heard.correlation_id = header
  heard.place = dispatch_endpoint.admission?.enter()
  requireJson(heard.headers)
  const body = await arrival(trust, readBody(req, heard.headers['content-length'], heard.place))
  const body_bytes = body.length
  if (!isSignedFor(heard.signed!, body)) throw untrusted('signed for another request')
  await requireFirstUse(trust, heard.signed!)
  const reading = body_bytes > large_bytes ? readLargeJson(body) : readJson(body)
  const invocation = readInvocation(await reading, heard.headers, body_bytes)
  return dispatch_endpoint.engine.serve({ ...invocation, engine_did, signal: leavingOf(res) })
}

function requireEngine(dispatch_endpoint: DispatchEndpoint, trust: EngineTrust, heard: Heard): string {
  const { authorization } = heard.headers
  const claimed = claimedSignerOf(authorization)
  // An unknown sender is neither verified nor answered with a signature: keys are free, and both cost us more than a request costs it.
  if (claimed !== undefined && !trust.dids.has(claimed)) {
    heard.claimed_did = parseDid(claimed) ? claimed : undefined
    throw untrusted('untrusted engine')
  }
  const signed = openSignature(authorization)
  if (typeof signed === 'string') throw untrusted(signed)
  heard.signed = signed
  const fault = faultOfSignature(signed, {
    audience: dispatch_endpoint.own.did,
    now_ms: dispatch_endpoint.clock.now_ms(),
  })
  if (fault) throw untrusted(fault)
  return signed.did
}

async function arrival(trust: EngineTrust, reading: Promise<Buffer>): Promise<Buffer> {
  return trust.inTime(reading).catch((error) => {
    if (error instanceof Refusal) throw error
    throw refuse('invalid_request', 'The body did not arrive in time; send it at once.', {
      reason: too_slow,
    })
  })
}

const too_slow = 'body too slow'

async function requireFirstUse(trust: EngineTrust, signed: Signed): Promise<void> {
  const fresh = await trust.claim(signed.did, signed.id, goodUntilMs(signed)).catch((error) => {
    throw unavailable('database', error)
  })
  if (!fresh) throw untrusted('signature already used')
}

function leavingOf(res: ServerResponse): AbortSignal {
  const controller = new AbortController()
  const leave = () => res.writableEnded || controller.abort(new Error('the calling engine left'))
  if (res.destroyed) leave()
  else res.once('close', leave)
  return controller.signal
}

/** The engine records its own refusals; this is for earlier ones. */
function recordRefused(
  dispatch_endpoint: DispatchEndpoint,
  heard: Heard,
  refusal: Refusal,
  req: IncomingMessage,
): void {
  const { headers, signed, engine_did, correlation_id } = heard
  const { clock, own, log } = dispatch_endpoint
  const address = engine_did === undefined ? addressOf(req, dispatch_endpoint.proxy_hops ?? 0) : undefined
  if (refusal.code === 'internal') log.error({ err: refusal.cause, correlation_id }, '/invoke failed')
  const entry: AuditEntry = {
    id: clock.uuid(),
    event_type: refusal.row.event,
    correlation_id,
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: own.tenant_id,
    caller_did: engine_did ?? 'unauthenticated',
    outcome: refusal.row.outcome,
    latency_ms: 0,
    meta: {
      origin: 'invoke',
      code: refusal.code,
      reason: refusal.details.reason ?? refusal.code,
      engine: signed?.did,
      source: address,
      supplied: heard.claimed_did === undefined ? undefined : { claimed_did: heard.claimed_did },
      // Names are untrusted text until the sender is known to be a trusted engine.
      protocol: engine_did && headers['x-svc-protocol'],
      operation: engine_did && headers['x-svc-operation'],
    },
  }
  const { correlation_id: recorded_id } = dispatch_endpoint.sums.take(entry, {
    kind: engine_did ? 'known' : 'unknown',
    id: engine_did ?? address!,
  })
  // The engine's own id stays the call's, even where its refusals are counted.
  if (!engine_did) heard.correlation_id = recorded_id
}

function answer(
  dispatch_endpoint: DispatchEndpoint,
  { signer }: EngineTrust,
  heard: Heard,
  res: ServerResponse,
  served: Served,
): void {
  const reply = replyOf(served)
  const { signed } = heard
  if (signer && signed) {
    const signing = { audience: signed.did, body: reply.text, now_ms: dispatch_endpoint.clock.now_ms() }
    res.setHeader('x-svc-signature', authorizeRequest(signer, signing, signed.id))
  }
  const slow = served.kind === 'refused' && served.refusal.details.reason === too_slow
  send(res, reply, { correlation_id: heard.correlation_id, close: dispatch_endpoint.engine.draining || slow })
}

function replyOf(served: Served): Reply {
  if (served.kind === 'served')
    return {
      status: 200,
      text: `{"data":${served.output_text},"metadata":${JSON.stringify(served.metadata)}}`,
    }
  const { code, message, details, row } = served.refusal
  const { reason = code, retry_after_ms } = details
  return {
    status: row.status,
    text: JSON.stringify({ error: { code, message, reason, retry_after_ms } }),
    retry_after_ms,
  }
}

function untrusted(reason: string): Refusal {
  return refuse(
    'unauthenticated',
    `POST /invoke answers engines this one trusts, by did-auth; this request is none: ${reason}.`,
    { reason },
  )
}

function cannotSign(): Refusal {
  return refuse(
    'no_endpoint_available',
    'This engine has no key to sign its answers with, so it serves no other engine; its operator must set SVC_AGENT_KEY.',
    { reason: 'no signing key' },
  )
}
