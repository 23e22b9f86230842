// The trace a sampled call belongs to.
import type { TraceContext } from '@svc/contract/invoke-context'

/** A call that is sampled from its beginning: those it calls hang below its invocation. */
export interface CallTrace {
  readonly trace_id: string
  readonly span_id: string
  readonly invoke_span_id: string
  readonly context: TraceContext
}
