// Which calls are traced. Decided by the trace id, so that engines with the same rate agree.
import type { TraceContext } from '@svc/contract/invoke-context'

/** Identity proofs and council decisions are always traced. */
const always_on: ReadonlySet<string> = new Set(['MACS', 'MOOT'])
/** Callers may request tracing by the flag of their traceparent, up to this many a second in all. */
const asked_for_a_second_max = 20
const digits = 12
const numbers = 16 ** digits

export interface Incoming {
  readonly trace_id: string
  readonly parent_span_id: string
  readonly sampled: boolean
  readonly tracestate: string | undefined
}

const trace_at = 3
const parent_at = 36
const flags_at = 53

/** For a traceparent whose form was checked on receipt. */
export function readIncoming({ traceparent, tracestate }: TraceContext): Incoming {
  return {
    trace_id: traceparent.slice(trace_at, parent_at - 1),
    parent_span_id: traceparent.slice(parent_at, flags_at - 1),
    sampled: (Number.parseInt(traceparent.slice(flags_at), 16) & 1) === 1,
    tracestate,
  }
}

export function isAlwaysOn(protocol: string): boolean {
  return protocol.length === 4 && always_on.has(protocol.toUpperCase())
}

/** As in OpenTelemetry: the last digits of an id are random, and their highest share is sampled. */
export function isInShare(id: string, rate: number): boolean {
  if (rate <= 0) return false
  return rate >= 1 || Number.parseInt(id.slice(-digits), 16) >= (1 - rate) * numbers
}

/** At most this many per second, by the caller's clock. */
export function secondly(max: number): (now_ms: number) => boolean {
  let left = max
  let since_ms = Number.NEGATIVE_INFINITY
  return (now_ms) => {
    if (now_ms - since_ms >= 1_000) {
      since_ms = now_ms
      left = max
    }
    return left-- > 0
  }
}

export function askedFor(): (now_ms: number) => boolean {
  return secondly(asked_for_a_second_max)
}
