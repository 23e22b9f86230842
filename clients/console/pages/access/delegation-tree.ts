// Loans as the trees they are: each under the loan it was made of.
import type { Catalogue } from '@svc/sdk'

export type Loan = NonNullable<Catalogue['Aegis']['policy']['output']['delegations']>[number]

export interface LoanBranch {
  readonly loan: Loan
  readonly lent_on: readonly LoanBranch[]
}

/** A loan whose parent is not in the list stands at the root; each stands once, whatever the list says. */
export function loanTrees(loans: readonly Loan[]): readonly LoanBranch[] {
  const known = new Map(loans.map((loan) => [loan.token_id, loan]))
  const placed = new Set<string>()
  const branch = (loan: Loan): LoanBranch => {
    placed.add(loan.token_id)
    const lent_on = loans.filter(
      ({ token_id, parent_token }) => parent_token === loan.token_id && !placed.has(token_id),
    )
    return { loan, lent_on: lent_on.map(branch) }
  }
  const roots = loans.filter(({ parent_token }) => parent_token === undefined || !known.has(parent_token))
  const trees = roots.map(branch)
  // A circle has no root; it cannot be made, but a list is only what was answered.
  const left = loans.filter(({ token_id }) => !placed.has(token_id))
  return [...trees, ...left.map((loan) => ({ loan, lent_on: [] }))]
}

/** How many end with this one. */
export function countBranches({ lent_on }: LoanBranch): number {
  return lent_on.reduce((sum, each) => sum + 1 + countBranches(each), 0)
}
