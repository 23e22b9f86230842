// Counters of what calls may spend, as the engine asks them.
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import type { Take } from '../call.ts'

/** Where budgets are counted: in one process, or in a store that all replicas share. PostgreSQL knows what was really spent. */
export interface BudgetCounters {
  /** Takes from all or from none. Undefined where taken; otherwise the first counter that is full. `take: false` only checks. */
  reserve(
    tenant_id: string,
    takes: readonly Take[],
    take: boolean,
  ): Take | undefined | Promise<Take | undefined>
  /** Replaces the reserved worst case by the amount spent, in quanta. Once per reservation; never waits, never throws. */
  settle(tenant_id: string, takes: readonly Take[], quanta: bigint): void
  state(tenant_id: string, budget_counter: string): BudgetCounterState | Promise<BudgetCounterState>
  /** For a counter of calls: how many were admitted. */
  calls(tenant_id: string, budget_counter: string): bigint | Promise<bigint>
}
