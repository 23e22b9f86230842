// POST /v1/dispatch, the one endpoint for calls. Served by node:http because the benchmark shows the gain; Fastify serves the rest.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HandleRequestInput } from '@svc/contract/dispatch'
import { Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import type { Asked, Credential } from '@svc/engine/call'
import type { Outcome } from '@svc/engine/dispatch'
import { Compile } from 'typebox/compile'
import { exactAddressOf } from '../oauth/address.ts'
import { acceptContext, redeemContext, type Vouched } from './accept-context.ts'
import { engine_busy, type Place } from './admission-control.ts'
import { refusalReply, replyOf, send } from './answer.ts'
import { authenticate } from './authenticate.ts'
import {
  type DispatchHeaders,
  isDryRun,
  originOf,
  readHeaders,
  requireHost,
  requireJson,
  suppliedCorrelationId,
  traceContextOf,
  wantsReceipt,
  wantsStream,
} from './headers.ts'
import type { Presented } from './presented.ts'
import { isNewcomer, isProven } from './proofs.ts'
import { aborted, readBody } from './read-body.ts'
import { readJson } from './read-json.ts'
import { large_bytes, readLargeJson } from './read-large-json.ts'
import { recognise } from './recognise.ts'
import {
  type DispatchEndpoint,
  isRefused,
  journalled,
  markRefused,
  type RefusalRecorder,
  recordRefusedRequest,
} from './refusal-recorder.ts'
import { requireBody } from './signed-context.ts'
import { isFarTooFast, slowDown } from './slow-down.ts'
import { streamDispatch } from './stream.ts'

const envelope = Compile(HandleRequestInput)

export async function openEndpoint(
  dispatch_endpoint: DispatchEndpoint,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  let headers: DispatchHeaders = {}
  let credential: Credential | undefined
  let place: Place | undefined
  try {
    headers = readHeaders(req.rawHeaders)
    requireHost(headers.host, req)
    place = dispatch_endpoint.admission?.enter()
    const context = headers['x-svc-context']
    const vouched =
      context === undefined ? undefined : await acceptContext(context, headers, dispatch_endpoint)
    // Set by the gateway, even where this request is refused before it becomes a call.
    if (vouched) headers['x-correlation-id'] = vouched.claims.context.correlation_id
    const identified = vouched
      ? admit(dispatch_endpoint, vouched.credential)
      : identifySender(dispatch_endpoint, { headers, method: 'POST', path: '/v1/dispatch', request: req })
    credential = identified instanceof Promise ? await identified : identified
    place?.belongTo(credential.tenant_id)
    requireJson(headers)
    const body = await readBody(req, headers['content-length'], place)
    const body_bytes = body.length
    // Before it is read: a large body is transferred to the thread that reads it.
    if (vouched) requireBody(vouched.claims, body)
    const body_sha256 = vouched || !isProven(headers, credential) ? undefined : sha256Hex(body)
    const reading = body_bytes > large_bytes ? readLargeJson(body) : readJson(body)
    const request = readRequest(reading instanceof Promise ? await reading : reading, headers)
    if (vouched) await redeemContext(vouched, request, dispatch_endpoint.gateways!, dispatch_endpoint.proofs)
    if (body_sha256 !== undefined) await dispatch_endpoint.proofs?.redeem(headers, request, body_sha256)
    const { proxy_hops = 0 } = dispatch_endpoint
    const http_call = new HttpCall(res, request, credential, headers, body_bytes, vouched, proxy_hops)
    if (wantsStream(headers)) return await streamDispatch(dispatch_endpoint, http_call, res)
    const outcome = await dispatch_endpoint.engine.dispatch(http_call)
    if (isFarTooFast(outcome, body_bytes)) await slowDown(credential.tenant_id, place)
    const receipt_text = wantsReceipt(headers) ? await receiptText(dispatch_endpoint, outcome) : undefined
    answer(dispatch_endpoint, res, http_call, outcome, receipt_text)
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    // Cut off by malformed bytes, which are recorded already.
    if (refusal.details.reason === aborted && isRefused(req)) return
    credential ??= refusal.details.reason === engine_busy ? recognise(dispatch_endpoint, headers) : undefined
    await refuseAtEndpoint(
      dispatch_endpoint,
      res,
      refusal,
      credential,
      suppliedCorrelationId(headers['x-correlation-id']),
    )
  } finally {
    place?.leave()
  }
}

/** Also an agent without a session, which may call only what it needs to prove its identity. */
function identifySender(
  dispatch_endpoint: DispatchEndpoint,
  presented: Presented,
): Credential | Promise<Credential> {
  const { proofs } = dispatch_endpoint
  if (!proofs || !isNewcomer(presented.headers)) return identify(dispatch_endpoint, presented)
  requireNoGateway(dispatch_endpoint)
  return lookedUp(dispatch_endpoint, proofs.newcomer(presented)).then((credential) =>
    admit(dispatch_endpoint, credential),
  )
}

/** A value rather than a promise where key and tenant are cached, so the common case does not wait. */
export function identify(
  dispatch_endpoint: DispatchEndpoint,
  presented: Presented,
  changes_state = true,
): Credential | Promise<Credential> {
  requireNoGateway(dispatch_endpoint)
  const authenticated = authenticate(presented, dispatch_endpoint, changes_state)
  if (authenticated instanceof Promise)
    return lookedUp(dispatch_endpoint, authenticated).then((credential) =>
      admit(dispatch_endpoint, credential),
    )
  return admit(dispatch_endpoint, authenticated)
}

function admit(
  dispatch_endpoint: DispatchEndpoint,
  credential: Credential,
): Credential | Promise<Credential> {
  const loading = dispatch_endpoint.audit_log.ready(credential.tenant_id)
  return loading ? lookedUp(dispatch_endpoint, loading).then(() => credential) : credential
}

/** An unavailable database is not a bug: the caller is told that nothing was done, and may retry. */
function lookedUp<Found>(dispatch_endpoint: DispatchEndpoint, looking: Promise<Found>): Promise<Found> {
  return looking.catch((error) => {
    if (error instanceof Refusal) throw error
    dispatch_endpoint.log.warn({ err: error }, 'a caller could not be looked up')
    throw unavailable('database', error)
  })
}

function requireNoGateway({ gateways }: DispatchEndpoint): void {
  if (!gateways?.required) return
  throw refuse('unauthenticated', 'This engine takes calls from its gateway only; send yours there.', {
    reason: 'gateway required',
  })
}

function readRequest(value: unknown, headers: DispatchHeaders): HandleRequestInput {
  if (!envelope.Check(value)) throw invalidEnvelope(value)
  const key = headers['idempotency-key']
  if (key === undefined) return value
  if (value.idempotency_key !== undefined && value.idempotency_key !== key) {
    throw refuse(
      'idempotency_key_reused',
      'The Idempotency-Key header and the body name different keys; send one.',
      {
        reason: 'two keys',
      },
    )
  }
  // The same rules as in the body, or a long one would only fail in the database.
  const request = { ...value, idempotency_key: key }
  if (!envelope.Check(request)) throw invalidEnvelope(request)
  return request
}

function invalidEnvelope(value: unknown): Refusal {
  const [first] = envelope.Errors(value)
  const where = first?.instancePath || 'the request'
  return refuse(
    'invalid_request',
    `The request is not a dispatch: ${where} ${first?.message ?? 'does not fit'}. ` +
      'It needs protocol, version, operation, input and tenant_id.',
    { reason: 'envelope', faults: [{ pointer: first?.instancePath ?? '', message: first?.message ?? '' }] },
  )
}

/** An HTTP request. A class so that `signal` and `address` cost nothing until they are read: most never are. */
class HttpCall implements Asked {
  readonly origin: Asked['origin']
  readonly request: HandleRequestInput
  readonly credential: Credential
  readonly trace_context: Asked['trace_context']
  readonly correlation_id: Asked['correlation_id']
  readonly dry_run: boolean
  readonly body_bytes: number
  readonly identity: Asked['identity']
  readonly gateway: Asked['gateway']
  progress: Asked['progress']
  readonly #res: ServerResponse
  readonly #vouched: Vouched | undefined
  readonly #proxy_hops: number
  #left: AbortController | undefined

  constructor(
    res: ServerResponse,
    request: HandleRequestInput,
    credential: Credential,
    headers: DispatchHeaders,
    body_bytes: number,
    vouched: Vouched | undefined,
    proxy_hops: number,
  ) {
    this.#res = res
    this.#vouched = vouched
    this.#proxy_hops = proxy_hops
    this.request = request
    this.credential = credential
    this.origin = originOf(headers)
    // The one in the body is caller text that goes into a header, so it must have the header's form.
    this.trace_context =
      traceContextOf(headers) ?? traceContextOf(request.invoke_context?.trace_context ?? {})
    // Behind a gateway the invoke context is still the caller's own, so it takes precedence over an id the gateway made.
    this.correlation_id =
      suppliedCorrelationId(request.invoke_context?.correlation_id) ??
      suppliedCorrelationId(headers['x-correlation-id'])
    this.dry_run = isDryRun(headers)
    this.body_bytes = body_bytes
    this.identity = vouched?.identity
    this.gateway = vouched?.gateway
    this.progress = undefined
  }

  /** Behind a gateway only the gateway saw the caller. */
  get address(): string | undefined {
    if (this.#vouched) return this.#vouched.claims.address
    return exactAddressOf(this.#res.req, this.#proxy_hops)
  }

  get signal(): AbortSignal {
    if (!this.#left) {
      const controller = new AbortController()
      const res = this.#res
      const leave = () => res.writableEnded || controller.abort(new Error('the caller left'))
      this.#left = controller
      if (res.destroyed) leave()
      else res.once('close', leave)
    }
    return this.#left.signal
  }
}

function answer(
  dispatch_endpoint: DispatchEndpoint,
  res: ServerResponse,
  incoming: Asked,
  outcome: Outcome,
  receipt_text: string | undefined,
): void {
  send(res, replyOf(outcome, receipt_text), {
    correlation_id: outcome.correlation_id,
    allowance: outcome.allowance,
    trace_context: incoming.trace_context,
    receipt_given: receipt_text !== undefined,
    close: dispatch_endpoint.engine.draining,
  })
}

/** The decision does not depend on its proof: if that is late, the answer comes without one. */
async function receiptText(
  dispatch_endpoint: DispatchEndpoint,
  outcome: Outcome,
): Promise<string | undefined> {
  const { tenant_id, correlation_id, record_id } = outcome
  if (record_id === null) return undefined
  try {
    return JSON.stringify(await dispatch_endpoint.audit_log.receipt(tenant_id, correlation_id, record_id))
  } catch (error) {
    dispatch_endpoint.log.warn({ err: error, correlation_id }, 'no receipt in time')
    return undefined
  }
}

/** A request that never became a call is still recorded before it is answered. */
export async function refuseAtEndpoint(
  dispatch_endpoint: RefusalRecorder,
  res: ServerResponse,
  refusal: Refusal,
  credential?: Credential,
  supplied?: string,
): Promise<void> {
  markRefused(res.req)
  const correlation_id = recordRefusedRequest(dispatch_endpoint, refusal, res.req, credential, supplied)
  await journalled(dispatch_endpoint)
  const audit_head = credential ? dispatch_endpoint.audit_log.head(credential.tenant_id) : null
  const reply = refusalReply(refusal, { correlation_id, stage: null, audit_head })
  // Only a stream can have begun already.
  if (res.headersSent) return void res.end(`event: error\ndata: ${reply.text}\n\n`)
  if (reply.status === 401 && dispatch_endpoint.logins)
    res.setHeader('www-authenticate', dispatch_endpoint.logins.challenge)
  // Closing on a client that is still sending resets the connection and loses the answer: the rest is read and discarded.
  send(res, reply, { correlation_id, close: dispatch_endpoint.engine.draining })
}
