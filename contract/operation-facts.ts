// What is known of an operation without its code.
import type { TSchema } from 'typebox'
import type { ConformanceLevel } from './schema.ts'

export type ToolCategory = 'svc-cognitive' | 'svc-governance' | 'svc-commerce' | 'svc-infrastructure'

export type Meter = 'seconds' | 'tokens' | 'watts'

/** What the stages, the meters and every derived surface need to know of an operation; no code. */
export interface OperationFacts {
  readonly summary: string
  readonly effect: 'read' | 'write'
  readonly level: ConformanceLevel
  readonly meters: readonly Meter[]
  /** Price multipliers (tokens, seconds, watts); 1 where absent. */
  readonly multipliers?: readonly [number, number, number]
  /** Tokens of the rate bucket one call takes; 1 where absent. */
  readonly rate_cost?: number
  /** Needs no capability: how an identity is proved (`anyone`), or asked of the caller's own DID (`self`). */
  readonly open_to?: 'anyone' | 'self'
  /** Not subject to limits, breaker and runway (MAX reads, MAKER.emergency_stop). */
  readonly exempt?: boolean
  /** Goes on with an empty runway and under a hold: an organization must be able to see, govern, defend and refill itself. */
  readonly essential?: boolean
  /** Takes on something new, such as a treaty or an order: refused while the organization is being wound up. */
  readonly engages?: boolean
  /** Does something in the world that our rows cannot take back: after a crash nobody knows whether it was done. */
  readonly acts_outside?: boolean
  /** May wait long for what others do: no connection is held for its key meanwhile, so it must bear being asked twice. */
  readonly waits?: boolean
  /** Also answers after the organization was sealed. */
  readonly outlives?: boolean
  readonly deadline_ms?: number
  /** What a caller who names no budget is held to, and reserves; the deadline above is the most anybody may ask for. */
  readonly budget_default?: { readonly tokens: number; readonly deadline_ms: number }
  readonly input_bytes_max?: number
  /** Inputs of writes are kept, encrypted, beside the chain unless this is false. */
  readonly keep_input?: boolean
  /** The answer holds what only its caller may know, such as a token: kept for a retry, it is sealed. */
  readonly secret_output?: boolean
  /** A stranger wrote its schemas and what it does: every answer is checked, and what it records is bounded and priced. */
  readonly foreign?: boolean
  readonly input: TSchema
  readonly output: TSchema
  /** A real input, used by the docs, the console and the laws that every operation must pass. */
  readonly example: unknown
}
