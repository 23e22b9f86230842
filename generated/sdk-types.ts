// Derived from the catalogue; do not edit. Run `npm run generate` after changing a protocol.

/** Record measurements, logs or spans of the calling tenant. */
export interface MotetEmitInput {
  signals: Array<{
    name: string
    kind: "counter" | "gauge" | "histogram"
    value: number
    unit?: string
    labels?: Record<string, string>
    /** RFC 3339 time in UTC. */
    at?: string
  } | {
    severity: "debug" | "info" | "warn" | "error"
    body: string
    attributes?: Record<string, string>
    /** RFC 3339 time in UTC. */
    at?: string
  } | {
    trace_id: string
    span_id: string
    parent?: string
    name: string
    /** RFC 3339 time in UTC. */
    start: string
    /** RFC 3339 time in UTC. */
    end: string
    status: "unset" | "ok" | "error"
  }>
}

/** Answer of MOTET emit. */
export interface MotetEmitOutput {
  accepted: number
  rejected: Array<{
    index: number
    reason: string
  }>
  series_created: number
}

/** Every operation: `Catalogue['MAX']['audit_query']['input']`. */
export interface Catalogue {
  MOTET: {
    emit: { input: MotetEmitInput; output: MotetEmitOutput }
  }
}
