import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countBranches, type Loan, type LoanBranch, loanTrees } from './delegation-tree.ts'

const loan = (token_id: string, parent_token?: string) =>
  ({ token_id, ...(parent_token === undefined ? {} : { parent_token }) }) as unknown as Loan

const names = ({ loan: own, lent_on }: LoanBranch): string[] => [own.token_id, ...lent_on.flatMap(names)]

test('each loan stands once, under its parent where that is there', () => {
  const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 12 })
  fc.assert(
    fc.property(
      ids,
      fc.array(fc.option(fc.integer({ min: 0, max: 40 })), { minLength: 12, maxLength: 12 }),
      (own, parents) => {
        const loans = own.map((id, at) =>
          loan(String(id), parents[at] === null ? undefined : String(parents[at])),
        )
        const told = loanTrees(loans).flatMap(names)
        assert.deepEqual(told.toSorted(), loans.map(({ token_id }) => token_id).toSorted())
      },
    ),
  )
})

test('what ends with a loan is everything lent on from it', () => {
  const [tree] = loanTrees([loan('a'), loan('b', 'a'), loan('c', 'b'), loan('d', 'a')])
  assert.equal(countBranches(tree!), 3)
  assert.equal(loanTrees([loan('x', 'gone')]).length, 1)
})
