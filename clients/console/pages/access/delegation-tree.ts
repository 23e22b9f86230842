// Delegations as trees: each below the delegation it was derived from.
import type { Catalogue } from '@svc/sdk'

export type Delegation = NonNullable<Catalogue['Aegis']['policy']['output']['delegations']>[number]

export interface DelegationBranch {
  readonly delegation: Delegation
  readonly redelegated: readonly DelegationBranch[]
}

/** A delegation whose parent is not in the list becomes a root; each appears once. */
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
  // A cycle has no root; the engine never creates one, but the answer is not trusted.
  const left = delegations.filter(({ token_id }) => !placed.has(token_id))
  return [...trees, ...left.map((delegation) => ({ delegation, redelegated: [] }))]
}

/** The number of delegations that end with this one. */
export function countBranches({ redelegated }: DelegationBranch): number {
  return redelegated.reduce((sum, each) => sum + 1 + countBranches(each), 0)
}
