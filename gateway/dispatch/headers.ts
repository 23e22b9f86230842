// The headers of a dispatch, read once from the raw list so that a repeated header cannot hide.
import type { TraceContext } from '@svc/contract/invoke-context'
import { refuse } from '@svc/contract/refusal'
import { uuid_form } from '@svc/contract/text-form'

export interface DispatchHeaders {
  host?: string
  authorization?: string
  dpop?: string
  'x-agent-did'?: string
  'content-type'?: string
  'content-length'?: string
  'content-encoding'?: string
  accept?: string
  prefer?: string
  traceparent?: string
  tracestate?: string
  'idempotency-key'?: string
  'x-correlation-id'?: string
  'x-svc-dry-run'?: string
  'x-svc-origin'?: string
  'x-svc-context'?: string
  cookie?: string
  'x-svc-csrf'?: string
}

const read_headers: ReadonlySet<string> = new Set<keyof DispatchHeaders>([
  'host',
  'authorization',
  'dpop',
  'x-agent-did',
  'content-type',
  'content-length',
  'content-encoding',
  'accept',
  'prefer',
  'traceparent',
  'tracestate',
  'idempotency-key',
  'x-correlation-id',
  'x-svc-dry-run',
  'x-svc-origin',
  'x-svc-context',
  'cookie',
  'x-svc-csrf',
])

/** Refuses a known header that came twice: readers might disagree on which one counts. */
export function readHeaders(raw: readonly string[]): DispatchHeaders {
  const headers: DispatchHeaders = {}
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase()
    if (!read_headers.has(name)) continue
    if (headers[name as keyof DispatchHeaders] !== undefined) {
      throw refuse('invalid_request', `Header ${name} was sent twice; send it once.`, {
        reason: 'duplicate header',
      })
    }
    headers[name as keyof DispatchHeaders] = raw[i + 1]!
  }
  return headers
}

const traceparent_form = /^[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
/** Printable, like a header: a body may contain anything, and an unreadable value would spoil everything exported with it. */
const tracestate_form = /^[\t\x20-\x7e]{1,512}$/

/** W3C Trace Context: an invalid traceparent is ignored, as the standard requires, and its tracestate with it. */
export function traceContextOf(headers: DispatchHeaders): TraceContext | undefined {
  const { traceparent, tracestate } = headers
  if (!traceparent || !traceparent_form.test(traceparent) || traceparent.startsWith('ff')) return undefined
  const usable = tracestate !== undefined && tracestate_form.test(tracestate)
  return usable ? { traceparent, tracestate } : { traceparent }
}

/** RFC 9562: the nil UUID means none, and is no valid trace id either. */
const nil_uuid = '00000000-0000-0000-0000-000000000000'

/** The caller's correlation id in lower case; undefined where it is not a UUID. */
export function suppliedCorrelationId(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const id = text.toLowerCase()
  return uuid_form.test(id) && id !== nil_uuid ? id : undefined
}

/** HTTP/1.1 requires a Host. Node would check it at every call, at some cost, and refuse without a record. */
export function requireHost(
  host: string | undefined,
  { httpVersionMinor }: { httpVersionMinor: number },
): void {
  if (host !== undefined || httpVersionMinor === 0) return
  throw refuse('invalid_request', 'The request has no Host header; send one.', { reason: 'no host' })
}

export function requireJson(headers: DispatchHeaders): void {
  if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
    throw refuse('invalid_request', 'Compressed bodies are not taken; send plain JSON.', {
      reason: 'content encoding',
    })
  }
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'application/json') return
  throw refuse('invalid_request', 'Send the request as Content-Type: application/json.', {
    reason: 'content type',
  })
}

export function wantsStream(headers: DispatchHeaders): boolean {
  const accept = headers.accept?.toLowerCase()
  if (!accept?.includes('text/event-stream')) return false
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}

export function wantsReceipt(headers: DispatchHeaders): boolean {
  return (
    headers.prefer?.split(',').some((preference) => preference.trim().toLowerCase() === 'wait=audit') ?? false
  )
}

export function isDryRun(headers: DispatchHeaders): boolean {
  const header = headers['x-svc-dry-run']
  if (header === undefined || header.toLowerCase() === 'false') return false
  if (header.toLowerCase() === 'true') return true
  throw refuse('invalid_request', 'X-SVC-Dry-Run is true or false.', { reason: 'dry run header' })
}

/** The surface the caller claims: a label in the record that grants nothing. An unknown one is ignored. */
export function originOf(headers: DispatchHeaders): 'http' | 'mcp' {
  return headers['x-svc-origin'] === 'mcp' ? 'mcp' : 'http'
}
