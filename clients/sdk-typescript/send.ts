// One request and its answer over fetch: no retries, no types of the catalogue.
import { refusalOf, SvcError } from './errors.ts'
import type { Settings } from './settings.ts'

/** What a call costs, as the service metered it. */
export interface Usage {
  tokens_in: number
  tokens_out: number
  seconds: number
  watt_hours: number
  /** Decimal text, so that nothing is lost to rounding. */
  amount_usd: string
}

/** What an answer says about the call itself. */
export interface AnswerMetadata {
  correlation_id: string
  protocol: string
  version: string
  operation: string
  /** The newest record hash of your tenant's chain that this engine knows. */
  audit_head: string | null
  audit_record_id: string
  usage: Usage
  /** True where this is the kept answer to an earlier call with the same idempotency key. */
  replayed: boolean
  /** Present where `waitForAudit` was asked for and the record was committed in time. */
  receipt?: unknown
}

export interface Answer<Output = unknown> {
  output: Output
  metadata: AnswerMetadata
}

/** What a dry run found, stage by stage. */
export interface DryRun {
  verdict: 'allowed' | 'refused'
  stages: { stage: number; name: string; verdict: string; knew: Record<string, unknown> }[]
  error: Record<string, unknown> | null
}

export interface CallOptions {
  /** A write sent twice under one key happens once, and is answered alike. */
  idempotencyKey?: string
  /** How long one attempt may take; 30 000 where absent, 0 for as long as it takes. */
  timeoutMs?: number
  /** Ends the call, and any wait before another attempt. */
  signal?: AbortSignal
  /** W3C trace context, passed on and given back. */
  traceparent?: string
  /** The protocol's version; the catalogue's where absent. */
  version?: string
  /** Another tenant than the client's. */
  tenantId?: string
  /** Answers only when the record is committed, and brings its receipt. */
  waitForAudit?: boolean
}

export interface Wire {
  readonly settings: Settings
  readonly fetch: typeof globalThis.fetch
  /** Sent with every request, such as the surface a call came by. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Envelope {
  readonly protocol: string
  readonly version: string
  readonly operation: string
  readonly input: unknown
  readonly tenant_id: string
}

const timeout_ms_default = 30_000

export async function sendDispatch(
  wire: Wire,
  envelope: Envelope,
  options: CallOptions,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { idempotencyKey, traceparent, waitForAudit } = options
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(waitForAudit ? { prefer: 'wait=audit' } : {}),
    ...more,
  }
  return await ask(wire, '/v1/dispatch', { method: 'POST', headers, body: JSON.stringify(envelope) }, options)
}

/** Asks any route of the service with the client's credentials; an answer that is no success is thrown. */
export async function ask(
  { settings, fetch, headers }: Wire,
  path: string,
  request: RequestInit,
  { signal, timeoutMs = timeout_ms_default }: Pick<CallOptions, 'signal' | 'timeoutMs'> = {},
): Promise<Response> {
  const ends = [...(signal ? [signal] : []), ...(timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : [])]
  const identified = { authorization: `Bearer ${settings.api_key}`, 'x-agent-did': settings.agent_did }
  let response: Response
  try {
    response = await fetch(`${settings.api_url}${path}`, {
      ...request,
      headers: { ...identified, ...headers, ...(request.headers as Record<string, string>) },
      redirect: 'error',
      signal: AbortSignal.any(ends),
    })
  } catch (cause) {
    throw failed(cause, signal, settings.api_url, timeoutMs)
  }
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => undefined)
  throw refusalOf(body, response.status, response.headers.get('retry-after'))
}

/** Reads a body; a connection that breaks halfway is the network's fault, and a body that is no JSON the address's. */
export async function readJson<Body>(
  response: Response,
  api_url: string,
  options: Pick<CallOptions, 'signal' | 'timeoutMs'>,
): Promise<Body> {
  let text: string
  try {
    text = await response.text()
  } catch (cause) {
    throw failed(cause, options.signal, api_url, options.timeoutMs ?? timeout_ms_default)
  }
  try {
    return JSON.parse(text) as Body
  } catch (cause) {
    const message = `${api_url} answered with something that is no JSON; check apiUrl.`
    throw new SvcError({ code: 'bad_answer', message }, cause)
  }
}

/** The caller's own abort is handed back as it came; a timeout and a broken connection are told apart. */
export function failed(
  cause: unknown,
  signal: AbortSignal | undefined,
  api_url: string,
  timeout_ms: number,
): unknown {
  if (signal?.aborted) return signal.reason
  if (cause instanceof SvcError) return cause
  if ((cause as { name?: string } | null)?.name === 'TimeoutError') {
    const message = `${api_url} did not answer within ${timeout_ms} ms; allow more time, or try again.`
    return new SvcError({ code: 'timeout', message, reason: 'client timeout' }, cause)
  }
  const why = innermost(cause)
  const message = `${api_url} cannot be reached (${why}); check the address and that the engine runs.`
  return new SvcError({ code: 'network', message, reason: 'unreachable', retryable: true }, cause)
}

function innermost(cause: unknown): string {
  const {
    message,
    code,
    cause: deeper,
  } = (cause ?? {}) as { message?: string; code?: string; cause?: unknown }
  return deeper ? innermost(deeper) : code || message || 'no reason given'
}
