// The MCP server's interface to an engine: whoami and calls. Over HTTP here; an engine that hosts the server implements it directly.
import { type Client, type StreamEvent, SvcError, type Whoami } from '@svc/sdk'
import type { KnownTools } from './known-tools.ts'

export interface ToolRequest {
  readonly protocol: string
  readonly operation: string
  /** The version whose schemas were listed; absent for an unknown operation. */
  readonly version?: string
  readonly input: unknown
  readonly idempotency_key?: string
  /** Used for the call if it is a UUID. */
  readonly correlation_id?: string
  readonly traceparent?: string
  readonly tracestate?: string
  readonly signal?: AbortSignal
  /** Present if the client requested progress. */
  readonly onProgress?: (event: Readonly<Record<string, unknown>>) => void
}

export interface Refused {
  readonly code: string
  readonly message: string
  readonly reason: string | null
  readonly stage: number | null
  readonly correlation_id: string | null
  readonly retryable: boolean
  readonly retry_after_ms: number | null
  readonly details: Readonly<Record<string, unknown>>
  readonly audit_head: string | null
}

export type ToolAnswer =
  | { readonly ok: true; readonly output: unknown; readonly metadata: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: Refused }

export interface ToolEngine {
  /** Descriptions of its tools; the catalogue's if absent. */
  readonly tools?: KnownTools
  whoami(signal?: AbortSignal): Promise<Whoami>
  /** Returns refusals; throws only other failures, such as a disconnected caller. */
  call(request: ToolRequest): Promise<ToolAnswer>
}

/** Through POST /v1/dispatch. The client must have been created with `X-SVC-Origin: mcp`. */
export function engineOver(client: Client, tools?: KnownTools): ToolEngine {
  return {
    ...(tools ? { tools } : {}),
    whoami: (signal) => client.whoami({ ...(signal ? { signal } : {}) }),
    async call(request) {
      try {
        const { output, metadata } = await finish(client, request)
        return { ok: true, output, metadata: { ...metadata } }
      } catch (thrown) {
        if (!(thrown instanceof SvcError)) throw thrown
        const { code, message, reason, stage, correlation_id, retryable } = thrown
        const { retry_after_ms, details, audit_head } = thrown
        const where = { correlation_id, stage, audit_head }
        return { ok: false, error: { code, message, reason, retryable, retry_after_ms, details, ...where } }
      }
    },
  }
}

async function finish(client: Client, request: ToolRequest) {
  const { protocol, operation, version, input, idempotency_key, signal, onProgress } = request
  const { traceparent, tracestate, correlation_id } = request
  const options = {
    ...(version === undefined ? {} : { version }),
    ...(idempotency_key === undefined ? {} : { idempotencyKey: idempotency_key }),
    ...(correlation_id === undefined ? {} : { correlationId: correlation_id }),
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(tracestate === undefined ? {} : { tracestate }),
    ...(signal ? { signal } : {}),
    // No timeout here: the MCP client decides and cancels.
    timeoutMs: 0,
  }
  if (!onProgress) return await client.dispatch(protocol, operation, input, options)
  let last: StreamEvent | undefined
  for await (const event of client.stream(protocol, operation, input, options)) {
    if (event.event === 'progress') onProgress(event.data)
    last = event
  }
  if (last?.event !== 'result') throw new Error('the stream ended without a result')
  return last.answer
}
