// Facts of an operation, without its code.
import type { TSchema } from 'typebox'
import type { SceneRole, SceneStep } from './scene.ts'
import type { ConformanceLevel } from './schema.ts'

export type ToolCategory = 'svc-cognitive' | 'svc-governance' | 'svc-commerce' | 'svc-infrastructure'

export type Meter = 'seconds' | 'tokens' | 'watts'

/** How a workflow reads the answer of a call. The expressions are CEL over `data`. */
export interface Ending {
  /** False: it was answered, and the work failed. */
  readonly success_when: string
  /** The field of the answer that says in words how the work ended. */
  readonly told_in?: string
  /** How to learn of work that goes on after the answer. */
  readonly later?: {
    /** True: it is not over. */
    readonly when: string
    /** A read of the same protocol, whose answer has the same shape and is judged the same way. */
    readonly operation: string
    /** The field of the answer that names the work, and of the input of that read. */
    readonly by: string
  }
}

/** What the stages, the meters and every derived surface need to know of an operation; no code. */
export interface OperationFacts {
  readonly summary: string
  readonly effect: 'read' | 'write'
  readonly level: ConformanceLevel
  readonly meters: readonly Meter[]
  /** Price multipliers (tokens, seconds, watts); 1 where absent. */
  readonly multipliers?: readonly [number, number, number]
  /** Rate bucket tokens per call; 1 where absent. */
  readonly rate_cost?: number
  /** Needs no capability: proving an identity (`anyone`), or asking about the caller's own DID (`self`). */
  readonly open_to?: 'anyone' | 'self'
  /** Not subject to limits, breaker and runway (MAX reads, MAKER.emergency_stop). */
  readonly exempt?: boolean
  /** Runs with an empty runway and under a hold: an organization must be able to see, govern, defend and refill itself. */
  readonly essential?: boolean
  /** Takes on something new, such as a treaty or an order: refused while the organization is dissolving. */
  readonly engages?: boolean
  /** Gives rights to others: refused with a key that has a budget, on which their spending would not count. */
  readonly hands_on?: boolean
  /** No rule makes it wait for the consent of others, else none could ever be given. */
  readonly needs_no_approval?: boolean
  /** Has an external effect that a rollback cannot undo: after a crash its outcome is unknown. */
  readonly acts_outside?: boolean
  /** May wait long for others: it holds no connection for its key meanwhile, so it must tolerate being run twice. */
  readonly waits?: boolean
  /** Also runs after the organization was sealed. */
  readonly outlives?: boolean
  /** What its answer says of the work; absent: whatever it answers, the work was done. */
  readonly ending?: Ending
  readonly deadline_ms?: number
  /** Default budget, which is reserved for callers that name none; the deadline above is the upper limit. */
  readonly budget_default?: { readonly tokens: number; readonly deadline_ms: number }
  readonly input_bytes_max?: number
  /** Inputs of writes are retained, encrypted, beside the chain unless this is false. */
  readonly keep_input?: boolean
  /** The answer holds a secret of its caller, such as a token: it is sealed when stored for a retry. */
  readonly secret_output?: boolean
  /** Reads content, or what others were told: roles that only look do not include it. */
  readonly reveals?: boolean
  /** Changes people or roles: only administrators of the organization, whatever capabilities a caller has. */
  readonly for_administrators?: boolean
  /** Untrusted schemas and code: every answer is checked, and its records are limited and priced. */
  readonly foreign?: boolean
  readonly input: TSchema
  /** Wider than `input`, and checked in its place: the handler answers which items of a list do not fit `input`, and why. */
  readonly checked_input?: TSchema
  readonly output: TSchema
  /** A real input: it succeeds on a fresh engine after its scene. Used by docs, console, SDKs and laws. */
  readonly example: unknown
  /** The steps that make the example possible; none where absent. */
  readonly scene?: readonly SceneStep[]
  /** Who calls it in the example; `you` where absent. */
  readonly example_by?: SceneRole
  /** What must be set up before the scene, because no call can: a sentence for readers. */
  readonly example_needs?: string
}
