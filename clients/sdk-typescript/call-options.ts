/** What one call may say beside its input. */
export interface CallOptions {
  /** A write sent twice under one key happens once, and is answered alike. */
  idempotencyKey?: string
  /**
   * How long one attempt may take, its answer included; 30 000 where absent, 0 for as long as it takes.
   * Of a stream it is the time between two signs of life, not that of the whole.
   */
  timeoutMs?: number
  /** Ends the call, any wait before another attempt, and a stream; its reason is what is thrown. */
  signal?: AbortSignal
  /** A UUID to find the call by, in records and logs; the engine makes one where absent. */
  correlationId?: string
  /** W3C trace context, passed on and given back. */
  traceparent?: string
  /** W3C trace state; only together with a `traceparent`. */
  tracestate?: string
  /** The protocol's version; the catalogue's where absent. */
  version?: string
  /** Another tenant than the client's. */
  tenantId?: string
  /** Answers only when the record is committed, and brings its receipt. Not for streams. */
  waitForAudit?: boolean
  /** False: asked once, whatever comes. Operations that change something are never asked twice anyway. */
  retry?: boolean
}
