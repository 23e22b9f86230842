// One request and its answer over fetch: no retries, no types of the catalogue.
import type { Reply } from './answer.ts'
import { readAnswerHeaders } from './answer-headers.ts'
import { Attempt } from './attempt.ts'
import type { CallOptions } from './call-options.ts'
import { badAnswer, refusalOf, SvcError } from './errors.ts'
import { readEvents } from './events.ts'
import type { Request } from './request.ts'
import { type Authorization, apiKeyAuthorization, type Credentials, sessionAuthorization } from './session.ts'
import type { Settings } from './settings.ts'

export interface Wire {
  readonly settings: Settings
  readonly authorization: Authorization
  readonly fetch: typeof globalThis.fetch
  /** Sent with every request, such as the surface of a call. */
  readonly headers?: Readonly<Record<string, string>>
}

/** With the API key where one is set, otherwise with a session. */
export function openWire(wire: Omit<Wire, 'authorization'>): Wire {
  const { settings } = wire
  if (settings.api_key !== undefined) return { ...wire, authorization: apiKeyAuthorization(settings) }
  const authorization = sessionAuthorization(settings, async (request, credentials) => {
    const as_sent = { headersFor: async () => credentials, mayRepeat: () => false }
    const { body } = await askJson({ ...wire, authorization: as_sent }, request, {})
    const answer = body as Record<string, unknown> & { readonly output?: Record<string, unknown> }
    return answer.output ?? answer
  })
  return { ...wire, authorization }
}

type Waiting = Pick<CallOptions, 'signal' | 'timeoutMs'>

const timeout_ms_default = 30_000

/** Calls any route with the client's credentials; throws unsuccessful answers. */
export async function askJson(wire: Wire, request: Request, options: Waiting): Promise<Reply> {
  const exchange = await begin(wire, request, options)
  const { attempt, response, fail } = exchange
  try {
    return replyOf(exchange, await attempt.text(response))
  } catch (cause) {
    throw fail(cause, connection_lost)
  } finally {
    attempt.close()
  }
}

/** The same as a stream of events. A plain answer counts as the `result`. */
export async function* askEvents(
  wire: Wire,
  request: Request,
  options: Waiting,
): AsyncGenerator<Reply & { readonly event: string }, void, undefined> {
  const exchange = await begin(wire, request, options)
  const { attempt, response, fail } = exchange
  try {
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      yield { event: 'result', ...replyOf(exchange, await attempt.text(response)) }
      return
    }
    for await (const { event, data } of readEvents(attempt.texts(response, true)))
      yield { event, ...replyOf(exchange, data) }
    throw new Error('the stream ended before its result')
  } catch (cause) {
    throw fail(cause, connection_lost)
  } finally {
    attempt.close()
  }
}

interface Exchange {
  readonly attempt: Attempt
  readonly response: Response
  readonly api_url: string
  fail(cause: unknown, how?: string): unknown
}

/** Resolves when the answer begins. The receiver must close the attempt. */
async function begin(wire: Wire, request: Request, options: Waiting): Promise<Exchange> {
  const { authorization } = wire
  let credentials: Credentials | undefined
  try {
    credentials = await authorization.headersFor(request)
    return await send(wire, request, credentials, options)
  } catch (refusal) {
    if (!(refusal instanceof SvcError) || !authorization.mayRepeat(refusal, credentials)) throw refusal
    return await send(wire, request, await authorization.headersFor(request), options)
  }
}

async function send(
  wire: Wire,
  request: Request,
  credentials: Credentials,
  options: Waiting,
): Promise<Exchange> {
  const { api_url } = wire.settings
  const { signal, timeoutMs = timeout_ms_default } = options
  const headers = headersOf(wire, request, credentials)
  const attempt = new Attempt(signal, timeoutMs)
  const fail = (cause: unknown, how?: string) => {
    const why = attempt.signal.aborted && !(cause instanceof SvcError) ? attempt.signal.reason : cause
    return failed(why, signal, api_url, timeoutMs, { how, in_doubt: request.changes })
  }
  try {
    attempt.signal.throwIfAborted()
    const { method, body } = request
    const response = await wire.fetch(`${api_url}${request.path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      // Following a redirect would send the key elsewhere. (Not every platform supports `error`.)
      redirect: 'manual',
      signal: attempt.signal,
    })
    if (!response.ok) throw await refused(response, attempt, api_url)
    return { attempt, response, api_url, fail }
  } catch (cause) {
    attempt.close()
    throw fail(cause)
  }
}

/** Names an invalid header without its value, which fetch would print and which may be the key. */
function headersOf(
  { headers = {} }: Pick<Wire, 'headers'>,
  request: Request,
  credentials: Credentials,
): Record<string, string> {
  const all = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    ...request.headers,
    ...credentials,
  }
  const sent = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  for (const [name, value] of sent) {
    if (/^[a-z0-9_-]+$/.test(name) && /^[\x20-\x7e]*$/.test(value)) continue
    const message = `The header ${JSON.stringify(name)} cannot be sent; use printable ASCII for its value.`
    throw new SvcError({ code: 'invalid_request', message, reason: 'header' })
  }
  return Object.fromEntries(sent)
}

async function refused(response: Response, attempt: Attempt, api_url: string): Promise<SvcError> {
  const { status, type, headers } = response
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    void response.body?.cancel().catch(() => undefined)
    const to = headers.get('location')
    const place = to ? ` (${to})` : ''
    const message = `${api_url} sends its callers elsewhere${place}; set apiUrl to the engine's own address.`
    return badAnswer(message, { status, location: to }, readAnswerHeaders(headers))
  }
  const body = parsed(await attempt.text(response))
  return refusalOf(body, status, headers.get('retry-after'), {
    api_url,
    answered_at: headers.get('date'),
    headers: readAnswerHeaders(headers),
  })
}

function replyOf({ response, api_url }: Exchange, text: string): Reply {
  const headers = readAnswerHeaders(response.headers)
  const body = parsed(text)
  if (body !== undefined) return { body, headers, api_url }
  const details = { status: response.status, content_type: response.headers.get('content-type') }
  throw badAnswer(`${api_url} answered with something that is no JSON; check apiUrl.`, details, headers)
}

/** Undefined if it is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const connection_lost = 'broke off in the middle of its answer'

interface Failing {
  /** What went wrong, as a predicate of the address. */
  readonly how?: string | undefined
  /** A write may have been executed. */
  readonly in_doubt?: boolean
}

/** Passes the caller's abort on unchanged; distinguishes timeouts from broken connections. */
function failed(
  cause: unknown,
  signal: AbortSignal | undefined,
  api_url: string,
  timeout_ms: number,
  { how = 'cannot be reached', in_doubt = false }: Failing = {},
): unknown {
  if (signal?.aborted) return signal.reason
  if (cause instanceof SvcError) return cause
  const why = innermost(cause)
  const unknown = in_doubt && !never_sent.has(why)
  const doubt = ' It may have been executed: check before you retry, or set an idempotencyKey.'
  const sentenceWith = (sentence: string) => `${api_url} ${sentence}${unknown ? doubt : ''}`
  const retryable = !unknown
  if ((cause as { name?: string } | null)?.name === 'TimeoutError') {
    const message = sentenceWith(`did not answer within ${timeout_ms} ms; allow more time, or try again.`)
    return new SvcError({ code: 'timeout', message, reason: 'client timeout', retryable }, cause)
  }
  const reason = how === connection_lost ? 'connection lost' : 'unreachable'
  const message = sentenceWith(`${how} (${why}); check the address and that the engine runs.`)
  return new SvcError({ code: 'network', message, reason, retryable }, cause)
}

/** There was no connection, so nothing was executed. */
const never_sent: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
])
const causes_max = 8

function innermost(cause: unknown, depth = 0): string {
  const { message, code, cause: deeper } = (cause ?? {}) as Readonly<Record<string, unknown>>
  if (deeper && depth < causes_max) return innermost(deeper, depth + 1)
  return String((typeof code === 'string' && code) || message || 'no reason given')
}
