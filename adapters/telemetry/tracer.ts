// Spans of sampled calls: a root for the call and a child for each stage it passed, built when everything is decided.
import type { Call, Used } from '@svc/engine/call'
import type { CallTrace } from '@svc/engine/call-trace'
import type { CallEnding, Clock, Tracer } from '@svc/engine/ports'
import { askedFor, isAlwaysOn, isInShare, readIncoming, secondly } from './sampling.ts'

const queue_max = 2_000
/** A hard limit, also for errors and always-on protocols, that no caller can exceed. */
const traces_a_second_max = 500
const batch_max = 200
const batches_a_flush_max = 10
/** A slow collector must not delay shutdown: after this time no further batch is begun. */
const flush_ms_max = 5_000
/** Separate from the others: many sampled calls must not hide an error. */
const errors_a_second_max = 100

/** A call waiting to be sent: its span data, without input or output. */
export interface FinishedTrace extends CallEnding {
  readonly trace_id: string
  readonly parent_span_id: string | undefined
  readonly tracestate: string | undefined
  readonly span_id: string
  readonly invoke_span_id: string
  readonly began_ms: number
  readonly started_ms: number
  readonly ended_ms: readonly number[]
  readonly refused_at: number | undefined
  readonly protocol: string
  readonly operation: string
  readonly tenant_id: string
  readonly agent_did: string
  readonly tokens_in: number
  readonly tokens_out: number
  /** The tool that it used, where it is one that others registered. */
  readonly tool_id: string | undefined
  readonly correlation_id: string
  readonly origin: string
  readonly dry_run: boolean
}

export interface OpenTracer extends Tracer {
  /** May change while calls are in flight; those that began keep their decision. */
  sample_rate: number
  readonly waiting: number
  readonly sent: number
  readonly dropped: number
  /**
   * Sends waiting traces, one flush at a time. Never throws: unsent traces wait, and the excess is counted
   * and dropped.
   */
  flush(): Promise<void>
}

interface Parts {
  readonly clock: Pick<Clock, 'uuid' | 'monotonic_ms'>
  /** `again` may be retried; throws if the collector was not reached. */
  send(traces: readonly FinishedTrace[]): Promise<'taken' | 'again' | 'never'>
  failed(error: unknown): void
}

export function openTracer(sample_rate: number, { clock, send, failed }: Parts): OpenTracer {
  let queue: FinishedTrace[] = []
  const mayAsk = askedFor()
  const mayKeep = secondly(traces_a_second_max)
  const mayKeepError = secondly(errors_a_second_max)
  let flushing: Promise<void> | undefined
  const sendAll = async () => {
    const until_ms = clock.monotonic_ms() + flush_ms_max
    for (let batches = 0; queue.length > 0 && batches < batches_a_flush_max; batches++) {
      const batch = queue.slice(0, batch_max)
      const verdict = await send(batch).catch((error: unknown) => {
        failed(error)
        return 'again' as const
      })
      if (verdict === 'again') return
      queue = queue.slice(batch.length)
      if (verdict === 'taken') tracer.sent += batch.length
      else tracer.dropped += batch.length
      if (clock.monotonic_ms() >= until_ms) return
    }
  }
  const tracer: OpenTracer & { sent: number; dropped: number } = {
    sample_rate,
    sent: 0,
    dropped: 0,
    get waiting() {
      return queue.length
    },
    begin: (call) => (isSampled(call, tracer.sample_rate, mayAsk) ? newTrace(call, clock) : undefined),
    end(call, ending) {
      if (!call.trace && ending.outcome !== 'error') return
      const at_ms = call.ended_ms.at(-1)!
      const has_room = mayKeep(at_ms) || (ending.outcome === 'error' && mayKeepError(at_ms))
      if (queue.length < queue_max && has_room) queue.push(finish(call, ending, clock))
      else tracer.dropped++
    },
    flush() {
      // Two at once would send the same traces, and then mark others as sent.
      flushing ??= sendAll().finally(() => {
        flushing = undefined
      })
      return flushing
    },
  }
  return tracer
}

/** Nested calls of a sampled call are sampled too; a caller's request counts only at the outermost call. */
function isSampled(call: Call, rate: number, mayAsk: (now_ms: number) => boolean): boolean {
  const { within, request, trace_context, origin } = call.asked
  if (within?.sampled || isAlwaysOn(request.protocol)) return true
  if (trace_context === undefined) return isInShare(call.correlation_id, rate)
  const { trace_id, sampled } = readIncoming(trace_context)
  if (isInShare(trace_id, rate)) return true
  return sampled && (within === undefined || origin === 'invoke') && mayAsk(call.started_ms)
}

type Ids = Pick<Clock, 'uuid'>

function newTrace(call: Call, clock: Ids): CallTrace {
  const { trace_id, tracestate } = parentOf(call)
  const [span_id, invoke_span_id] = [newSpanId(clock), newSpanId(clock)]
  const traceparent = `00-${trace_id}-${invoke_span_id}-01`
  const context = tracestate === undefined ? { traceparent } : { traceparent, tracestate }
  return { trace_id, span_id, invoke_span_id, context }
}

/** Without a caller's trace the correlation id is the trace id, which links the two. */
function parentOf({ asked, correlation_id }: Call) {
  const incoming = asked.trace_context && readIncoming(asked.trace_context)
  return {
    trace_id: incoming?.trace_id ?? correlation_id.replaceAll('-', ''),
    parent_span_id: incoming?.parent_span_id,
    tracestate: incoming?.tracestate,
  }
}

/** Sixteen digits of a new UUID, of which all but two bits are random. */
export function newSpanId(clock: Ids): string {
  return clock.uuid().replaceAll('-', '').slice(-16)
}

function finish(call: Call, ending: CallEnding, clock: Ids): FinishedTrace {
  const { asked, operation, registered, ended_ms, started_ms, now_ms, correlation_id, trace } = call
  const ids = trace ?? { span_id: newSpanId(clock), invoke_span_id: newSpanId(clock) }
  return {
    ...ending,
    ...parentOf(call),
    span_id: ids.span_id,
    invoke_span_id: ids.invoke_span_id,
    began_ms: now_ms,
    started_ms,
    ended_ms,
    refused_at: ending.code === undefined ? undefined : call.stage,
    // Unknown names are the caller's own text.
    protocol: operation ? registered!.facts.id : 'unknown',
    operation: operation?.name ?? 'unknown',
    tenant_id: asked.credential.tenant_id,
    agent_did: asked.credential.did,
    ...tokensOf(call),
    tool_id: trace?.tool_id,
    correlation_id,
    origin: asked.origin,
    dry_run: asked.dry_run === true,
  }
}

/** Only a call that was done has used any. */
function tokensOf(call: Call & { readonly used?: Used }): { tokens_in: number; tokens_out: number } {
  const { tokens_in = 0, tokens_out = 0 } = call.used ?? {}
  return { tokens_in, tokens_out }
}
