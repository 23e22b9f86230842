// Loans as the trees they are: each under the loan it was made of.
import type { Catalogue } from '@svc/sdk'

export type Delegation = NonNullable<Catalogue['Aegis']['policy']['output']['delegations']>[number]

export interface DelegationBranch {
  readonly delegation: Delegation
  readonly redelegated: readonly DelegationBranch[]
}

/** A loan whose parent is not in the list stands at the root; each stands once, whatever the list says. */
export function delegationTrees(delegations: readonly Delegation[]): readonly DelegationBranch[] {
  const by_token_id = new Map(delegations.map((delegation) => [delegation.token_id, delegation]))
  const placed = new Set<string>()
  const branch = (delegation: Delegation): DelegationBranch => {
    placed.add(delegation.token_id)
    const redelegated = delegations.filter(
      ({ token_id, parent_token }) => parent_token === delegation.token_id && !placed.has(token_id),
    )
    return { delegation, redelegated: redelegated.map(branch) }
  }
  const roots = delegations.filter(
    ({ parent_token }) => parent_token === undefined || !by_token_id.has(parent_token),
  )
  const trees = roots.map(branch)
  // A circle has no root; it cannot be made, but a list is only what was answered.
  const left = delegations.filter(({ token_id }) => !placed.has(token_id))
  return [...trees, ...left.map((delegation) => ({ delegation, redelegated: [] }))]
}

/** How many end with this one. */
export function countBranches({ redelegated }: DelegationBranch): number {
  return redelegated.reduce((sum, each) => sum + 1 + countBranches(each), 0)
}
