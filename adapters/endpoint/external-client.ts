// The engine's side of the external contract: POST /invoke and GET /health of a service outside, with every wait and size bounded.
import { canonicalJson } from '@svc/contract/canonical-json'
import { authorizeRequest } from '@svc/contract/did-auth'
import type { InvokeContext } from '@svc/contract/invoke-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { SigningKey } from '@svc/contract/signature'
import type { Clock } from '@svc/engine/ports'

export interface ExternalService {
  readonly protocol: string
  /** Without a trailing slash. */
  readonly url: string
  readonly timeout_ms: number
  /** Signs each request as this engine; undefined where the service asks for no did-auth. */
  readonly signer: SigningKey | undefined
}

export interface ExternalClient {
  readonly url: string
  invoke(operation: string, payload: unknown, context: InvokeContext, signal?: AbortSignal): Promise<unknown>
  /** True where the service says it is well; never raises. */
  isHealthy(): Promise<boolean>
}

const answer_bytes_max = 6 * 1024 * 1024
const health_ms_max = 3_000
const sentence_chars_max = 500

export function externalClient(service: ExternalService, clock: Clock): ExternalClient {
  return {
    url: service.url,
    async invoke(operation, payload, context, signal) {
      const body = canonicalJson({ operation, payload, ctx: context })
      const answer = await post(service, clock, body, operation, context, signal)
      const read = await readAnswer(service, answer)
      if (answer.ok) return readData(service, read)
      throw refusalOf(service, answer.status, read)
    },
    async isHealthy() {
      try {
        const signal = AbortSignal.timeout(health_ms_max)
        const answer = await fetch(`${service.url}/health`, { signal, redirect: 'error' })
        await answer.body?.cancel()
        return answer.ok
      } catch {
        return false
      }
    },
  }
}

async function post(
  service: ExternalService,
  clock: Clock,
  body: string,
  operation: string,
  context: InvokeContext,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { protocol, url, timeout_ms, signer } = service
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'x-svc-protocol': protocol,
    'x-svc-operation': operation,
    'x-svc-correlation-id': context.correlation_id,
  }
  if (context.trace_context) headers.traceparent = context.trace_context.traceparent
  if (signer) {
    const request = { audience: protocol, body, now_ms: clock.now_ms() }
    headers.authorization = authorizeRequest(signer, request, clock.uuid())
  }
  const deadline = AbortSignal.timeout(timeout_ms)
  const stop = signal ? AbortSignal.any([signal, deadline]) : deadline
  try {
    // A redirect would lead to an address nobody checked.
    return await fetch(`${url}/invoke`, { method: 'POST', headers, body, signal: stop, redirect: 'error' })
  } catch (error) {
    throw deadline.aborted ? tooSlow(service) : unreachable(service, error)
  }
}

async function readAnswer(service: ExternalService, answer: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length
      if (bytes > answer_bytes_max) throw new RangeError(`more than ${answer_bytes_max} bytes`)
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks, bytes).toString('utf8'))
  } catch (error) {
    throw (error as Error).name === 'TimeoutError' ? tooSlow(service) : unreadable(service, error)
  }
}

function readData(service: ExternalService, answer: unknown): unknown {
  if (typeof answer === 'object' && answer !== null && 'data' in answer) return answer.data
  throw unreadable(service, new TypeError('it holds no data'))
}

/** The codes a service outside may use for itself; every other failure of its is the adapter's. */
const own_codes = ['invalid_payload', 'policy_denied'] as const

function refusalOf(service: ExternalService, status: number, answer: unknown): Refusal {
  const { code, message, reason } = (answer as { error?: Record<string, unknown> })?.error ?? {}
  const own = own_codes.find((known) => known === code)
  if (status === 422 && own) {
    const sentence = typeof message === 'string' ? message.toWellFormed().slice(0, sentence_chars_max) : own
    return refuse(own, sentence, { reason: typeof reason === 'string' ? reason.slice(0, 200) : own })
  }
  return refuse('adapter_error', `${service.protocol} answered ${status}; try again later.`, {
    reason: 'service failed',
    status,
  })
}

function tooSlow({ protocol, timeout_ms }: ExternalService): Refusal {
  return refuse('timeout', `${protocol} did not answer within ${timeout_ms} ms; try again later.`, {
    reason: 'service too slow',
  })
}

function unreachable({ protocol }: ExternalService, cause: unknown): Refusal {
  return refuse(
    'adapter_error',
    `${protocol} cannot be reached; try again later.`,
    { reason: 'unreachable' },
    cause,
  )
}

function unreadable({ protocol }: ExternalService, cause: unknown): Refusal {
  return refuse('adapter_error', `${protocol} gave an answer that cannot be read; its operator must look.`, {
    reason: 'unreadable answer',
  }, cause) // biome-ignore format: one thought
}
