import type { Books } from '../money/books.ts'

export interface Budgets {
  /** What limits this tenant's spending now. */
  rules(): Promise<Books>
  /** What was spent of a budget of this tenant, and what running calls may still spend. */
  counter(name: string): Promise<BudgetCounterState>
  /** Counts usage metered outside of dispatch against the runway, once the rows are committed. */
  countSpent(quanta: bigint): void
}

export interface BudgetCounterState {
  readonly spent_micro_usd: bigint
  readonly reserved_micro_usd: bigint
}
