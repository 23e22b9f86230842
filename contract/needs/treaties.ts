import type { HeldCapability } from '../authority/capability.ts'
import type { StandingTreaty } from '../authority/treaty.ts'
import type { CrossTenantCall } from '../authority/treaty-grants.ts'

/** Treaties between this tenant and others. */
export interface TenantTreaties {
  /** A treaty that this tenant is a party of, whatever its state in time; undefined where there is none. */
  find(treaty_id: string): Promise<StandingTreaty | undefined>
  /** Whether one organization may do this in another, by the code stage 4 uses. */
  judge(question: CrossTenantCall): Promise<CrossTenantVerdict>
}

/** What stage 4, and the limits of stage 5, would decide of a cross-tenant call. */
export interface CrossTenantVerdict {
  readonly active: boolean
  /** `no active treaty`, `capability not granted`, `treaty grant expired`, `treaty suspended`, `caveat unsatisfied: …`, `limit reached: …` */
  readonly reason?: string
  readonly treaty?: StandingTreaty
  /** The grant it rests on, or the nearest one. */
  readonly grant?: HeldCapability
  /** Null where the treaty sets no such limit. */
  readonly remaining: {
    readonly per_hour: bigint | null
    readonly per_day: bigint | null
    readonly weekly_budget_micro_usd: bigint | null
  }
}
