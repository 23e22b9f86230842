/** Options of one call. */
export interface CallOptions {
  /** A write sent twice with the same key is executed once and gets the same answer. */
  idempotencyKey?: string
  /**
   * The timeout of one attempt, including its answer; default 30 000, 0 for no limit.
   * For a stream it is the time between two events.
   */
  timeoutMs?: number
  /** Aborts the call, waits between attempts, and streams; its reason is thrown. */
  signal?: AbortSignal
  /** A UUID that identifies the call in records and logs; by default the engine creates one. */
  correlationId?: string
  /** W3C trace context, passed on and returned. */
  traceparent?: string
  /** W3C trace state; only together with a `traceparent`. */
  tracestate?: string
  /** The protocol's version; default the catalogue's. */
  version?: string
  /** The target tenant; default the client's. */
  tenantId?: string
  /** Waits until the record is committed, and returns its receipt. Not for streams. */
  waitForAudit?: boolean
  /**
   * If the call needs the approval of others: waits for it up to this long, then sends the call again. By default
   * the refusal `approval_required` is thrown at once. Not for streams.
   */
  waitForApprovalMs?: number
  /** False disables retries. Writes are never retried. */
  retry?: boolean
}
