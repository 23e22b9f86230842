import type { AgentCapability } from '../authority/capability.ts'
import type { Tier } from '../authority/tier.ts'
import type { KeyBudget } from './keys.ts'

/** A caller that is no longer present: what its credential carried, and its place in a chain of calls. */
export interface StandIn {
  readonly key_id: string
  readonly did: string
  /** Identities that count as the same where somebody else must consent; absent in what was stored before it was kept. */
  readonly kin?: readonly string[]
  /** The caller's own tenant. */
  readonly tenant_id: string
  readonly tier: Tier
  readonly capabilities: readonly AgentCapability[]
  /** As in the credential. */
  readonly usable_for?: readonly string[]
  readonly proof_key?: string
  readonly delegation_id?: string
  readonly workload_id?: string
  readonly budget?: KeyBudget
  readonly correlation_id: string
  readonly depth: number
}
