import type { Books } from '../money/books.ts'

export interface Budgets {
  /** What binds this tenant's spending now. */
  rules(): Promise<Books>
  /** What was spent of a budget of this tenant, and what calls under way may still spend of it. */
  counter(name: string): Promise<BudgetCounterState>
  /** Counts usage metered outside of dispatch against the runway, once the rows are committed. */
  countSpent(quanta: bigint): void
}

export interface BudgetCounterState {
  readonly spent_micro_usd: bigint
  readonly reserved_micro_usd: bigint
}
