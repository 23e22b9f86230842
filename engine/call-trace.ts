// The trace a sampled call belongs to.
import type { TraceContext } from '@svc/contract/invoke-context'

/** A call sampled from its start: spans of the calls it makes are children of its invocation. */
export interface CallTrace {
  readonly trace_id: string
  readonly span_id: string
  readonly invoke_span_id: string
  readonly context: TraceContext
  /** The tool that this call used, as approved; set when it is recorded. */
  tool_id?: string
}
