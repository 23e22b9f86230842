// Every kind of refusal: one row each. Code, status and exit code are defined only here.

type RetryRule = 'never' | 'after_delay' | 'back_off'

interface RefusalRow {
  readonly status: number
  readonly exit: number
  readonly retry: RetryRule
  readonly event:
    | 'SecurityViolation'
    | 'RateLimitExceeded'
    | 'CircuitBreakerOpen'
    | 'DependencyUnavailable'
    | 'AuthorizationCheck'
    | 'Error'
  /** refused = a rule said no; error = a failure. */
  readonly outcome: 'refused' | 'error'
}

export const refusals = {
  invalid_request: { status: 400, exit: 1, retry: 'never', event: 'Error', outcome: 'refused' },
  unauthenticated: { status: 401, exit: 2, retry: 'never', event: 'SecurityViolation', outcome: 'refused' },
  capability_denied: { status: 403, exit: 3, retry: 'never', event: 'SecurityViolation', outcome: 'refused' },
  missing_capability: {
    status: 403,
    exit: 3,
    retry: 'never',
    event: 'SecurityViolation',
    outcome: 'refused',
  },
  approval_required: {
    status: 403,
    exit: 9,
    retry: 'never',
    event: 'AuthorizationCheck',
    outcome: 'refused',
  },
  not_found: { status: 404, exit: 1, retry: 'never', event: 'Error', outcome: 'refused' },
  unknown_protocol: { status: 404, exit: 1, retry: 'never', event: 'Error', outcome: 'refused' },
  unknown_version: { status: 404, exit: 1, retry: 'never', event: 'Error', outcome: 'refused' },
  unknown_operation: { status: 404, exit: 1, retry: 'never', event: 'Error', outcome: 'refused' },
  idempotency_in_flight: { status: 409, exit: 4, retry: 'after_delay', event: 'Error', outcome: 'refused' },
  payload_too_large: { status: 413, exit: 1, retry: 'never', event: 'Error', outcome: 'refused' },
  invalid_payload: { status: 422, exit: 1, retry: 'never', event: 'Error', outcome: 'refused' },
  policy_denied: { status: 422, exit: 7, retry: 'never', event: 'Error', outcome: 'refused' },
  idempotency_key_reused: {
    status: 422,
    exit: 1,
    retry: 'never',
    event: 'SecurityViolation',
    outcome: 'refused',
  },
  rate_limited: {
    status: 429,
    exit: 4,
    retry: 'after_delay',
    event: 'RateLimitExceeded',
    outcome: 'refused',
  },
  protocol_error: { status: 500, exit: 6, retry: 'never', event: 'Error', outcome: 'error' },
  internal: { status: 500, exit: 6, retry: 'never', event: 'Error', outcome: 'error' },
  adapter_error: { status: 502, exit: 6, retry: 'back_off', event: 'Error', outcome: 'error' },
  circuit_open: { status: 503, exit: 6, retry: 'back_off', event: 'CircuitBreakerOpen', outcome: 'refused' },
  no_endpoint_available: { status: 503, exit: 6, retry: 'back_off', event: 'Error', outcome: 'refused' },
  draining: { status: 503, exit: 6, retry: 'back_off', event: 'Error', outcome: 'refused' },
  unavailable: {
    status: 503,
    exit: 6,
    retry: 'back_off',
    event: 'DependencyUnavailable',
    outcome: 'error',
  },
  timeout: { status: 504, exit: 5, retry: 'back_off', event: 'Error', outcome: 'error' },
} as const satisfies Record<string, RefusalRow>

export type RefusalCode = keyof typeof refusals

/** Details of a refusal. The first four are always present, null where there is none. */
export interface RefusalDetails {
  requested_capability?: string
  denying_policy?: string
  dissent?: unknown
  appeal_path?: string
  /** A short stable phrase naming the rule, e.g. `no active treaty`. */
  reason?: string
  /** The condition of a capability that was not met. */
  caveat?: string | undefined
  retry_after_ms?: number
  /** For `unavailable` and `timeout`: the dependency that did not answer. */
  unavailable?: Dependency
  /** For `unavailable`: set where the call may have run. */
  outcome?: 'unknown'
  /** One entry per fault of an invalid payload. */
  faults?: readonly { pointer: string; message: string }[]
  [more: string]: unknown
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails
  /** Refused by a plugin or an outside service: the details are its own. */
  readonly is_foreign: boolean
  constructor(
    code: RefusalCode,
    sentence: string,
    details: RefusalDetails,
    cause?: unknown,
    is_foreign = false,
  ) {
    super(sentence, cause === undefined ? undefined : { cause })
    this.name = 'Refusal'
    this.code = code
    this.details = details
    this.is_foreign = is_foreign
  }
  /** The same refusal with further details. */
  with(details: RefusalDetails): Refusal {
    return new Refusal(this.code, this.message, { ...this.details, ...details }, this.cause, this.is_foreign)
  }
  /** The same refusal with these details alone. */
  replacing(details: RefusalDetails): Refusal {
    return new Refusal(this.code, this.message, details, this.cause, this.is_foreign)
  }
  get row(): RefusalRow {
    return refusals[this.code]
  }
}

/** `throw refuse(...)` is the only way to refuse. The sentence says what was asked, which rule refused it, and what to do. */
export function refuse(
  code: RefusalCode,
  sentence: string,
  details: RefusalDetails = {},
  cause?: unknown,
): Refusal {
  return new Refusal(code, sentence, details, cause)
}

/** A refusal by a plugin or an outside service, in its own words. */
export function refuseForeign(
  code: RefusalCode,
  sentence: string,
  details: RefusalDetails,
  cause?: unknown,
): Refusal {
  return new Refusal(code, sentence, details, cause, true)
}

/** Dependencies of a decision that may be unavailable, and their names in messages. */
const dependencies = {
  keys: 'The API keys',
  identity: 'The identity documents and revocations',
  delegations: 'The delegations',
  membership: 'The charter members',
  treaties: 'The treaties',
  policies: 'The policies',
  budget: 'The budget',
  database: 'The database',
  log_archive: 'The archive of the audit log',
} as const

export type Dependency = keyof typeof dependencies

const unavailable_retry_ms = 1_000

/**
 * An unavailable dependency is not a denial: this is the only way to report it. `outcome` is set where the operation may have run, because
 * its commit was sent and not confirmed.
 */
export function unavailable(what: Dependency, cause?: unknown, outcome?: 'unknown'): Refusal {
  const subject = dependencies[what]
  const sentence = outcome
    ? `${subject} did not confirm this call, so it may or may not have been done; repeat it with the same idempotency key, or look first.`
    : `${subject} cannot be reached now, so this call was neither allowed nor denied, and nothing was done; try again shortly.`
  const details = { reason: `${what} unavailable`, unavailable: what, retry_after_ms: unavailable_retry_ms }
  return refuse('unavailable', sentence, outcome ? { ...details, outcome } : details, cause)
}

/** "Not found" inside a module, also for another tenant's object, so that the two look the same. */
export function notFound(what: string, id: string): Refusal {
  return refuse('invalid_payload', `There is no ${what} ${id} that you may see; check the id.`, {
    reason: 'not_found',
  })
}
