// What an organization forbids beyond capabilities: rules in Cedar, the scene they judge, and what they said of it.
import type { Computation, Compute } from '../needs/computation.ts'

/** One version of a rule. It applies from a moment on, until its next version does. */
export interface PolicyText {
  readonly policy_id: string
  readonly version: string
  /** Cedar: one or more static policies. */
  readonly body: string
}

/** All that is in force together; the digest names exactly these texts. */
export interface PolicySet {
  readonly set_digest: string
  readonly policies: readonly PolicyText[]
}

/** A call as rules see it. Absent facts are unknown, and a rule that needs one errs. */
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
}

export interface CedarDecision {
  readonly decision: 'allow' | 'deny'
  readonly determining: readonly DeterminingPolicy[]
  readonly errors: readonly {
    readonly policy_id: string
    readonly version: string
    /** A permit that errs changes nothing; a forbid does. */
    readonly effect: 'permit' | 'forbid'
    readonly message: string
  }[]
}

export interface CedarFault {
  readonly message: string
  /** Where in the text, in UTF-16 code units; absent where the whole is meant. */
  readonly from?: number
  readonly to?: number
}

export interface CedarCheck {
  /** How many it holds; 0 where it does not even parse. */
  readonly policies: number
  readonly faults: readonly CedarFault[]
  readonly warnings: readonly CedarFault[]
}

export interface Cedar {
  /** Parsed and strictly validated against the schema; no faults means that it may be enacted. */
  check(body: string): CedarCheck
  /** The same in a thread, for a text that is not short. */
  readonly checking: Computation<string, CedarCheck>
  decide(set: PolicySet, scene: Scene): CedarDecision
  /** With facts of the scene's context left open: which of them the decision hangs on. */
  unknownsOf(set: PolicySet, scene: Scene, open: readonly string[]): readonly string[]
}

/** Checked at once up to this: it takes a few milliseconds. One as long as it may be takes a tenth of a second and more. */
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

/** What stage 4 needs to know of a judgement. */
export type PolicyRuling = { readonly set_digest: string; readonly warnings: readonly string[] } & (
  | { readonly allowed: true }
  | {
      readonly allowed: false
      /** `policy <id>@<version> forbids: <its reason>`, or `policy evaluation error`. */
      readonly reason: string
      /** `maxim://<id>@<version>` */
      readonly denying_policy: string
      readonly appeal_path?: string
    }
)

/** Whose verdict enacted a rule, and who was outvoted. Never changes once the rule is there. */
export interface PolicyCouncil {
  /** `mace://verdict/<id>` */
  readonly verdict: string
  readonly dissent: readonly {
    readonly did: string
    readonly position: string
    readonly position_id: string
    readonly reasoning_hash: string
    /** Cut short where it is long. */
    readonly reasoning?: string
  }[]
}
