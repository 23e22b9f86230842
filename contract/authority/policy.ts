// What an organization forbids beyond capabilities: Cedar policies, the scene they judge, and their verdict.
import type { Computation, Compute } from '../needs/computation.ts'

/** One version of a policy. It applies from a given time until its next version does. */
export interface PolicyText {
  readonly policy_id: string
  readonly version: string
  /** Cedar: one or more static policies. */
  readonly body: string
}

/** All policies in force together; the digest identifies exactly these texts. */
export interface PolicySet {
  readonly set_digest: string
  readonly policies: readonly PolicyText[]
}

/** A call as policies see it. An absent fact is unknown, and a policy that needs it fails to evaluate. */
export interface Scene {
  readonly principal: {
    readonly did: string
    readonly tenant: string
    readonly kind: string
    readonly level: 0 | 1 | 2
    readonly lineage_verified: boolean
    readonly human_root?: string
  }
  readonly resource: {
    readonly protocol: string
    readonly operation: string
    readonly state_changing: boolean
  }
  readonly context: {
    readonly tenant: string
    readonly target_tenant: string
    /** 0 to 23, UTC. */
    readonly hour: number
    /** 1 for Monday to 7 for Sunday, UTC. */
    readonly weekday: number
    readonly origin: string
    readonly jurisdiction?: string
    readonly amount_micro_usd?: bigint
    readonly action_kind?: string
    readonly treaty_id?: string
    /** What the call was sent with; undefined where it is not available, as in records. */
    readonly input?: unknown
  }
  readonly at_ms: number
}

export interface DeterminingPolicy {
  readonly policy_id: string
  readonly version: string
  readonly effect: 'permit' | 'forbid'
  readonly text: string
  /** From `@reason("…")` and `@appeal("…")`. */
  readonly reason?: string
  readonly appeal?: string
  /** From `@approval("…")`: whose consent lifts it for one call. */
  readonly approval?: string
}

export interface CedarDecision {
  readonly decision: 'allow' | 'deny'
  readonly determining: readonly DeterminingPolicy[]
  readonly errors: readonly {
    readonly policy_id: string
    readonly version: string
    /** A permit that fails to evaluate changes nothing; a forbid does. */
    readonly effect: 'permit' | 'forbid'
    readonly message: string
    /** It could not read the input, so it stops reads as well: whoever calls could choose what it cannot read. */
    readonly reads_input?: true
  }[]
}

export interface CedarFault {
  readonly message: string
  /** Position in the text, in UTF-16 code units; absent where the whole text is meant. */
  readonly from?: number
  readonly to?: number
}

export interface CedarCheck {
  /** How many policies it holds; 0 where it does not parse. */
  readonly policies: number
  readonly faults: readonly CedarFault[]
  readonly warnings: readonly CedarFault[]
}

export interface Cedar {
  /** Parsed and strictly validated against the schema; without faults it may be enacted. */
  check(body: string): CedarCheck
  /** The same in a thread, for long texts. */
  readonly checking: Computation<string, CedarCheck>
  decide(set: PolicySet, scene: Scene): CedarDecision
  /** With some facts of the context left open: which of them the decision depends on. */
  unknownsOf(set: PolicySet, scene: Scene, open: readonly string[]): readonly string[]
}

/** Up to this length it is checked in this thread, in a few milliseconds. The longest allowed text takes 0.1 s or more. */
const check_here_length_max = 1_024
const checking_ms_max = 10_000

export function checkCedar(
  {
    policies: { cedar },
    compute,
  }: { readonly policies: { readonly cedar: Cedar }; readonly compute: Compute },
  body: string,
): CedarCheck | Promise<CedarCheck> {
  if (body.length <= check_here_length_max) return cedar.check(body)
  return compute(cedar.checking, body, checking_ms_max)
}

/** What stage 4 needs to know of a verdict. */
export type PolicyRuling = { readonly set_digest: string; readonly warnings: readonly string[] } & (
  | { readonly allowed: true }
  | {
      readonly allowed: false
      /** `policy <id>@<version> forbids: <its reason>`, or `policy evaluation error`. */
      readonly reason: string
      /** `maxim://<id>@<version>` */
      readonly denying_policy: string
      readonly appeal_path?: string
      /** It could not be evaluated because of the input: another input may be allowed. */
      readonly reads_input?: true
      /** Set where consent lifts all that forbids it: only stage 4 asks for it, for everybody else it is forbidden. */
      readonly approvals?: readonly { readonly who: string; readonly policy: string }[]
    }
)

/** The verdict that enacted a policy, and the outvoted. Never changes. */
export interface PolicyCouncil {
  /** `mace://verdict/<id>` */
  readonly verdict: string
  readonly dissent: readonly {
    readonly did: string
    readonly position: string
    readonly position_id: string
    readonly reasoning_hash: string
    /** Truncated where long. */
    readonly reasoning?: string
  }[]
}
