import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countBranches, type Delegation, type DelegationBranch, delegationTrees } from './delegation-tree.ts'

const delegation = (token_id: string, parent_token?: string) =>
  ({ token_id, ...(parent_token === undefined ? {} : { parent_token }) }) as unknown as Delegation

const names = ({ delegation: own, redelegated }: DelegationBranch): string[] => [
  own.token_id,
  ...redelegated.flatMap(names),
]

test('each delegation is listed once, under its parent if that is listed', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 12 })
  fc.assert(
    fc.property(
      ids,
      fc.array(fc.option(fc.integer({ min: 0, max: 40 })), { minLength: 12, maxLength: 12 }),
      (own, parents) => {
        const delegations = own.map((id, at) =>
          delegation(String(id), parents[at] === null ? undefined : String(parents[at])),
        )
        const names_in_trees = delegationTrees(delegations).flatMap(names)
        assert.deepEqual(names_in_trees.toSorted(), delegations.map(({ token_id }) => token_id).toSorted())
      },
    ),
  )
})

test('revoking a delegation ends everything redelegated from it', () => {
  const [tree] = delegationTrees([
    delegation('a'),
    delegation('b', 'a'),
    delegation('c', 'b'),
    delegation('d', 'a'),
  ])
  assert.equal(countBranches(tree!), 3)
  assert.equal(delegationTrees([delegation('x', 'gone')]).length, 1)
})
