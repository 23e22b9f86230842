// A function of this process as a governed call: begun with the engine, run, and ended.
import type { DispatchClient } from './client.ts'
import { SvcError } from './errors.ts'

/** Settings of governed functions. */
export interface GovernOptions {
  /** The client of the agent; default `createClient()`. */
  client?: DispatchClient
  /** Where a call needs the consent of others: how long to wait for it; default 0, the refusal is returned at once. */
  waitForApprovalMs?: number
  /** Called when a function has run and its end could not be reported; default a warning on the console. */
  onUnreported?: (error: unknown, call: { readonly tool: string; readonly call_id: string }) => void
}

/** What a model gets in place of a result when its call was refused: what happened, why, and what to do. */
export interface Refused {
  readonly refused: true
  readonly code: string
  readonly message: string
  readonly reason: string | null
  /** The approval that the call waits for. */
  readonly approval_id?: string
  readonly correlation_id: string | null
}

/** Whether a result is a refusal. */
export function isRefused(result: unknown): result is Refused {
  return typeof result === 'object' && result !== null && (result as Partial<Refused>).refused === true
}

/** Throws what is no refusal: no answer, no settings, or a request that never became a call. */
export function asRefused(error: unknown): Refused {
  if (!(error instanceof SvcError) || error.stage === null) throw error
  const { code, message, reason, correlation_id, details } = error
  const { approval_id } = details
  return {
    refused: true,
    code,
    message,
    reason,
    ...(typeof approval_id === 'string' && { approval_id }),
    correlation_id,
  }
}

type Outcome = 'ok' | 'tool_error' | 'timeout'

/** A call that may run now. */
export interface BegunCall {
  readonly call_id: string
  end(outcome: Outcome): Promise<void>
}

/** Never runs anything: without an answer of the engine the caller must not either. */
export async function beginOwnCall(
  client: DispatchClient,
  tool: string,
  args: unknown,
  options: GovernOptions & { readonly signal?: AbortSignal | undefined },
): Promise<BegunCall | Refused> {
  const { waitForApprovalMs = 0, signal, onUnreported = warn } = options
  const waiting = { waitForApprovalMs, ...(signal && { signal }) }
  try {
    const { output } = await client.dispatch(
      'MAT',
      'begin_call',
      { tool, arguments: asObject(args) },
      waiting,
    )
    const { call_id } = output
    const begun_ms = performance.now()
    return {
      call_id,
      async end(outcome) {
        const latency_ms = Math.round(performance.now() - begun_ms)
        try {
          // Also after an abort: it ran, whoever waits for it.
          await client.dispatch('MAT', 'end_call', { call_id, outcome, latency_ms })
        } catch (error) {
          onUnreported(error, { tool, call_id })
        }
      },
    }
  } catch (error) {
    return asRefused(error)
  }
}

/** Rules read fields, so anything else becomes one. */
function asObject(args: unknown): Record<string, unknown> {
  const is_object = typeof args === 'object' && args !== null && !Array.isArray(args)
  return is_object ? (args as Record<string, unknown>) : args === undefined ? {} : { value: args }
}

function warn(error: unknown, { tool, call_id }: { readonly tool: string; readonly call_id: string }): void {
  const why = error instanceof Error ? error.message : String(error)
  console.warn(`${tool} has run, but its end could not be reported (call ${call_id}): ${why}`)
}
