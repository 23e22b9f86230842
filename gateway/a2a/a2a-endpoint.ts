// POST /a2a/<agent>: JSON-RPC of A2A. Authenticated like a dispatch, but never by a cookie; each method is one or more calls of the engine.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { asRefusal } from '@svc/database/as-refusal'
import type { Credential } from '@svc/engine/call'
import type { Place } from '../dispatch/admission-control.ts'
import { errorBody } from '../dispatch/answer.ts'
import { checkAgain } from '../dispatch/check-again.ts'
import { identify } from '../dispatch/dispatch-endpoint.ts'
import {
  type DispatchHeaders,
  readHeaders,
  requireHost,
  requireJson,
  suppliedCorrelationId,
  traceContextOf,
} from '../dispatch/headers.ts'
import type { Presented } from '../dispatch/presented.ts'
import { aborted, readBody } from '../dispatch/read-body.ts'
import { readJson } from '../dispatch/read-json.ts'
import { large_bytes, readLargeJson } from '../dispatch/read-large-json.ts'
import {
  type DispatchEndpoint,
  isRefused,
  journalled,
  markRefused,
  recordRefusedRequest,
} from '../dispatch/refusal-recorder.ts'
import { boundDid } from '../mcp-admit.ts'
import { exactAddressOf } from '../oauth/address.ts'
import { type A2aCaller, engineFor } from './engine-call.ts'
import {
  cancelTask,
  type Exchange,
  getTask,
  listTasks,
  noPush,
  requireParams,
  sendMessage,
} from './methods.ts'
import { type ErrorKind, engineRefusal, RpcError } from './rpc-error.ts'
import { type EventStream, type Streams, streamMessage, subscribe } from './streams.ts'
import { isObject, type MethodKind, type Wire } from './wire.ts'
import { wire_v1 } from './wire-v1.ts'
import { wire_v03 } from './wire-v03.ts'

export interface A2aEndpoint {
  readonly dispatch_endpoint: DispatchEndpoint
  readonly streams: Streams
  /** The card for this caller, in the form of this version. */
  cardFor(exchange: Exchange): Promise<unknown>
}

/** What is known of a request so far: enough to refuse it in its own form. */
interface Request {
  headers: DispatchHeaders
  credential?: Credential
  id: string | number | null
  correlation_id: string
}

export async function openA2a(
  endpoint: A2aEndpoint,
  agent_did: string,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { dispatch_endpoint } = endpoint
  const request: Request = { headers: {}, id: null, correlation_id: dispatch_endpoint.clock.uuid() }
  try {
    await serve(endpoint, agent_did, request, req, res)
  } catch (thrown) {
    if (thrown instanceof RpcError) return answerError(res, request, thrown)
    const refusal = asRefusal(thrown)
    // Cut off by malformed bytes, which are recorded already.
    if (refusal.details.reason === aborted && isRefused(req)) return
    await refuseRequest(dispatch_endpoint, request, refusal, req, res)
  }
}

async function serve(
  endpoint: A2aEndpoint,
  agent_did: string,
  request: Request,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { dispatch_endpoint } = endpoint
  const body = await readRequest(dispatch_endpoint, request, req)
  const wire = wireOf(req.headers['a2a-version'])
  const { method, params } = readRpc(body, request)
  const kind = wire.methods.get(method)
  if (!kind)
    throw new RpcError(
      'method_not_found',
      `A2A ${wire.version} has no method of this name here; see the card.`,
    )
  const caller = callerOf(dispatch_endpoint, request, req, res)
  const exchange: Exchange = {
    agent_did,
    wire,
    params: wire.readParams(requireParams(params)),
    call: engineFor(dispatch_endpoint, caller),
    signal: caller.signal,
    idempotency_key: keyOf(request.headers),
  }
  if (kind === 'stream' || kind === 'subscribe') return openStream(endpoint, exchange, request, kind, res)
  answer(res, request, 200, { result: await perform(endpoint, exchange, kind) })
}

function perform(endpoint: A2aEndpoint, exchange: Exchange, kind: MethodKind): Promise<unknown> {
  if (kind === 'send') return sendMessage(exchange)
  if (kind === 'get') return getTask(exchange)
  if (kind === 'list') return listTasks(exchange)
  if (kind === 'cancel') return cancelTask(exchange)
  if (kind === 'extended_card') return endpoint.cardFor(exchange)
  throw noPush()
}

async function openStream(
  { dispatch_endpoint, streams }: A2aEndpoint,
  exchange: Exchange,
  request: Request,
  kind: 'stream' | 'subscribe',
  res: ServerResponse,
): Promise<void> {
  const leave = streams.enter(request.credential!)
  const stream: EventStream = {
    res,
    headers: { 'x-correlation-id': request.correlation_id },
    envelope: (result) => JSON.stringify({ jsonrpc: '2.0', id: request.id, ...result }),
    isStopping: () => dispatch_endpoint.engine.draining,
  }
  try {
    await (kind === 'stream' ? streamMessage(exchange, stream) : subscribe(exchange, stream))
  } finally {
    leave()
  }
}

/** The sender is known before its body is read. */
async function readRequest(
  dispatch_endpoint: DispatchEndpoint,
  request: Request,
  req: IncomingMessage,
): Promise<unknown> {
  let place: Place | undefined
  try {
    const headers = readHeaders(req.rawHeaders)
    request.headers = headers
    requireHost(headers.host, req)
    place = dispatch_endpoint.admission?.enter()
    request.credential = await identifyCaller(dispatch_endpoint, headers, req)
    place?.belongTo(request.credential.tenant_id)
    request.correlation_id = suppliedCorrelationId(headers['x-correlation-id']) ?? request.correlation_id
    requireJson(headers)
    const body = await readBody(req, headers['content-length'], place)
    if (request.credential.proof_key !== undefined)
      await dispatch_endpoint.proofs?.redeem(headers, undefined, sha256Hex(body))
    return await (body.length > large_bytes ? readLargeJson(body) : readJson(body))
  } finally {
    place?.leave()
  }
}

export async function identifyCaller(
  dispatch_endpoint: DispatchEndpoint,
  headers: DispatchHeaders,
  request: IncomingMessage,
): Promise<Credential> {
  const did = headers['x-agent-did'] ?? (await boundDid(dispatch_endpoint, headers.authorization))
  const claim = did === undefined ? {} : { 'x-agent-did': did }
  return identify(dispatch_endpoint, presentedBy({ ...headers, ...claim }, request))
}

/** Cookies are not looked at: any page's request carries them. */
function presentedBy(
  { authorization, dpop, 'x-agent-did': did }: DispatchHeaders,
  request: IncomingMessage,
): Presented {
  const headers = {
    ...(authorization !== undefined && { authorization }),
    ...(dpop !== undefined && { dpop }),
    ...(did !== undefined && { 'x-agent-did': did }),
  }
  const { method = '', url: path = '' } = request
  return { headers, method, path, request }
}

export function callerOf(
  dispatch_endpoint: DispatchEndpoint,
  { credential, correlation_id, headers }: Pick<Request, 'credential' | 'correlation_id' | 'headers'>,
  req: IncomingMessage,
  res: ServerResponse,
): A2aCaller {
  const controller = new AbortController()
  const leave = () => res.writableEnded || controller.abort(new Error('the caller left'))
  if (res.destroyed) leave()
  else res.once('close', leave)
  return {
    credential: credential!,
    again: () => checkAgain(dispatch_endpoint, credential!, presentedBy(headers, req)),
    correlation_id,
    address: exactAddressOf(req, dispatch_endpoint.proxy_hops ?? 0),
    trace_context: traceContextOf(headers),
    signal: controller.signal,
  }
}

/** Without the header it is 0.3, which had none. */
function wireOf(header: string | string[] | undefined): Wire {
  const version = String(header ?? '').trim()
  if (version === '' || /^0\.3(\.\d+)?$/.test(version)) return wire_v03
  if (/^1(\.0)?(\.\d+)?$/.test(version)) return wire_v1
  throw new RpcError(
    'version_not_supported',
    'This version of A2A is not supported; send A2A-Version: 1.0 or 0.3.',
  )
}

function readRpc(body: unknown, request: Request): { method: string; params: unknown } {
  if (!isObject(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string')
    throw new RpcError(
      'invalid_request',
      'The body must be one JSON-RPC 2.0 request with jsonrpc, method and id.',
    )
  const { id = null, method, params } = body
  if (id !== null && typeof id !== 'string' && !Number.isSafeInteger(id))
    throw new RpcError('invalid_request', 'id must be a text or a whole number.')
  request.id = id as Request['id']
  return { method, params }
}

const key_form = /^[\x20-\x7e]{1,255}$/

function keyOf({ 'idempotency-key': key }: DispatchHeaders): string | undefined {
  if (key === undefined || key_form.test(key)) return key
  throw refuse('invalid_request', 'An Idempotency-Key has up to 255 printable characters.', {
    reason: 'idempotency key',
  })
}

/** Refusals of a body that A2A or JSON-RPC has an error for. */
const kinds_by_reason: Readonly<Record<string, ErrorKind>> = {
  'malformed body': 'parse_error',
  'content type': 'content_type_not_supported',
}

async function refuseRequest(
  dispatch_endpoint: DispatchEndpoint,
  request: Request,
  refusal: Refusal,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  markRefused(req)
  const { credential } = request
  const supplied = credential && request.correlation_id
  const correlation_id = recordRefusedRequest(dispatch_endpoint, refusal, req, credential, supplied)
  await journalled(dispatch_endpoint)
  if (res.headersSent) return void res.destroy()
  const audit_head = credential ? dispatch_endpoint.audit_log.head(credential.tenant_id) : null
  const { error } = errorBody(refusal, { correlation_id, stage: null, audit_head })
  const { status } = refusal.row
  if (status === 401 && dispatch_endpoint.logins)
    res.setHeader('www-authenticate', dispatch_endpoint.logins.challenge)
  const { retry_after_ms } = refusal.details
  if (retry_after_ms !== undefined) res.setHeader('retry-after', String(Math.ceil(retry_after_ms / 1000)))
  const kind = kinds_by_reason[String(refusal.details.reason)]
  const fault = kind
    ? new RpcError(kind, refusal.message, error)
    : engineRefusal(error, status, { is_about_task: false, ended: 'unsupported_operation' })
  answerError(res, { ...request, correlation_id }, fault)
}

function answerError(res: ServerResponse, request: Request, error: RpcError): void {
  const { retry_after_ms } = error.engine_error ?? {}
  if (typeof retry_after_ms === 'number')
    res.setHeader('retry-after', String(Math.ceil(retry_after_ms / 1000)))
  answer(res, request, error.status, { error })
}

function answer(
  res: ServerResponse,
  { id, correlation_id }: Request,
  status: number,
  result: { readonly result: unknown } | { readonly error: RpcError },
): void {
  if (res.destroyed) return
  const text = JSON.stringify({ jsonrpc: '2.0', id, ...result })
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-correlation-id': correlation_id,
  })
  res.end(text)
}
