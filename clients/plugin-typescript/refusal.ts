// Refusals of and to a plugin: wire names here, WIT names at the component boundary.

/** The codes a plugin may use; any other becomes `protocol_error` in the engine. */
export type OwnCode =
  | 'invalid_payload'
  | 'policy_denied'
  | 'missing_capability'
  | 'not_found'
  | 'adapter_error'

export interface RefusalWords {
  /** A short stable phrase naming the rule, e.g. `no such language`. */
  readonly reason?: string | undefined
  readonly details?: Readonly<Record<string, unknown>> | undefined
}

/** Raised by `context.call` and `context.audit` with any code of the service. */
export class PluginRefusal extends Error {
  readonly code: string
  readonly reason: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  constructor(code: string, message: string, { reason, details }: RefusalWords = {}) {
    super(message)
    this.name = 'PluginRefusal'
    this.code = code
    this.reason = reason
    this.details = details
  }
}

/**
 * Refuses a call: `throw refuse(...)`. The message says what happened, why, and what to do.
 */
export function refuse(code: OwnCode, message: string, words: RefusalWords = {}): PluginRefusal {
  return new PluginRefusal(code, message, words)
}

/** `refusal` of the WIT. */
export interface WitRefusal {
  readonly code: string
  readonly message: string
  readonly reason: string | undefined
  /** JSON. */
  readonly details: string | undefined
}

const codes: readonly string[] = [
  ...['invalid_request', 'unauthenticated', 'capability_denied', 'missing_capability', 'not_found'],
  ...['unknown_protocol', 'unknown_version', 'unknown_operation', 'idempotency_in_flight'],
  ...['payload_too_large', 'invalid_payload', 'policy_denied', 'idempotency_key_reused', 'rate_limited'],
  ...['protocol_error', 'internal', 'adapter_error', 'circuit_open', 'no_endpoint_available'],
  ...['draining', 'timeout'],
]

/** Throws for a code that the WIT does not have. */
export function toWit({ code, message, reason, details }: PluginRefusal): WitRefusal {
  if (!codes.includes(code)) throw new TypeError(`${code} is not a refusal code: ${message}`)
  return {
    code: code.replaceAll('_', '-'),
    message: String(message ?? ''),
    reason,
    details: details && JSON.stringify(details),
  }
}

/** A refusal raised by a host function, in wire names; undefined for any other error. */
export function fromHost(thrown: unknown): PluginRefusal | undefined {
  const { payload } = (thrown ?? {}) as { payload?: Partial<WitRefusal> }
  if (typeof payload?.code !== 'string') return undefined
  const { code, message = '', reason, details } = payload
  return new PluginRefusal(code.replaceAll('-', '_'), message, {
    reason,
    details: details === undefined ? undefined : JSON.parse(details),
  })
}
