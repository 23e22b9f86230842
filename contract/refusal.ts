// Every way the service says no: one row each. Consumers are handed the row; the code, status and exit code live nowhere else.

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
    | 'Error'
  /** refused = a rule said no; error = something broke. */
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

/** What a refusal carries beside its sentence. The four first are on every refusal, null where there is none. */
export interface RefusalDetails {
  requested_capability?: string
  denying_policy?: string
  dissent?: unknown
  appeal_path?: string
  /** A short stable phrase naming the rule, e.g. `no active treaty`. */
  reason?: string
  retry_after_ms?: number
  /** Of `unavailable`: what could not be asked. */
  unavailable?: Dependency
  /** Of `unavailable`: set where it may have been done all the same. */
  outcome?: 'unknown'
  /** One entry per fault of an invalid payload. */
  faults?: readonly { pointer: string; message: string }[]
  [more: string]: unknown
}

export class Refusal extends Error {
  readonly code: RefusalCode
  readonly details: RefusalDetails
  /** A plugin or a service outside said no: its details are its own words. */
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
  /** The same refusal, knowing more. */
  with(details: RefusalDetails): Refusal {
    return new Refusal(this.code, this.message, { ...this.details, ...details }, this.cause, this.is_foreign)
  }
  get row(): RefusalRow {
    return refusals[this.code]
  }
}

/** `throw refuse(...)` is the only way to say no. The sentence says what was asked, which rule said no, what to do next. */
export function refuse(
  code: RefusalCode,
  sentence: string,
  details: RefusalDetails = {},
  cause?: unknown,
): Refusal {
  return new Refusal(code, sentence, details, cause)
}

/** What a plugin or a service outside refused, in its own words. */
export function refuseForeign(
  code: RefusalCode,
  sentence: string,
  details: RefusalDetails,
  cause?: unknown,
): Refusal {
  return new Refusal(code, sentence, details, cause, true)
}

/** What a decision needs to know and may be unable to ask, and how a sentence names it. */
const dependencies = {
  keys: 'The API keys',
  identity: 'The identity documents and revocations',
  delegations: 'The delegations',
  membership: 'The charter members',
  treaties: 'The treaties',
  policies: 'The policies',
  budget: 'The budget',
  database: 'The database',
} as const

export type Dependency = keyof typeof dependencies

const unavailable_retry_ms = 1_000

/**
 * What could not be asked is not denied: this says so, and is the only way to say it. `outcome` is set where the
 * operation may have been done, because its commit was sent and never confirmed.
 */
export function unavailable(what: Dependency, cause?: unknown, outcome?: 'unknown'): Refusal {
  const subject = dependencies[what]
  const sentence = outcome
    ? `${subject} did not confirm this call, so it may or may not have been done; repeat it with the same idempotency key, or look first.`
    : `${subject} cannot be reached now, so this call was neither allowed nor denied, and nothing was done; try again shortly.`
  const details = { reason: `${what} unavailable`, unavailable: what, retry_after_ms: unavailable_retry_ms }
  return refuse('unavailable', sentence, outcome ? { ...details, outcome } : details, cause)
}

/** "Not found" inside a module: also the answer for another tenant's object, so nothing tells them apart. */
export function notFound(what: string, id: string): Refusal {
  return refuse('invalid_payload', `There is no ${what} ${id} that you may see; check the id.`, {
    reason: 'not_found',
  })
}
