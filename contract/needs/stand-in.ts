import type { AgentCapability } from '../authority/capability.ts'
import type { Tier } from '../authority/tier.ts'

/** A caller who is not there any more: what its credential carried, and where in a chain of calls it stood. */
export interface StandIn {
  readonly key_id: string
  readonly did: string
  /** Where the caller is at home. */
  readonly tenant_id: string
  readonly tier: Tier
  readonly capabilities: readonly AgentCapability[]
  readonly correlation_id: string
  readonly depth: number
}
