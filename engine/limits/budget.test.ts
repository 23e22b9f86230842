import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Tier, tiers } from '@svc/contract/authority/tier'
import { deadlineOf, type Priced, worstOf } from './budget.ts'

/** An operation that meters tokens and may take ten minutes, called with this input. */
function asking(input: unknown, facts: object = {}, tier: Tier = 'sovereign'): Priced {
  const operation = { multipliers: [1, 1, 1], facts: { deadline_ms: 600_000, ...facts } }
  return { operation, asked: { request: { input }, credential: { tier } } } as unknown as Priced
}
const budget_default = { tokens: 5_000, deadline_ms: 20_000 }

test('a named budget is binding, within what the operation allows', () => {
  const call = asking({ budget: { tokens: 10, deadline_ms: 900_000 } }, { budget_default })
  assert.deepEqual(worstOf(call, undefined), { ms: 600_000, tokens: 10 })
  assert.equal(deadlineOf(asking({ budget: { deadline_ms: 100 } }, { budget_default })), 100)
})

test("without a budget the operation's default is reserved, not its maximum", () => {
  assert.deepEqual(worstOf(asking({}, { budget_default }), undefined), { ms: 20_000, tokens: 5_000 })
  assert.equal(worstOf(asking({}), undefined).ms, 600_000)
})

test("a deadline above the tier's limit is cut to it, and no more is reserved", () => {
  const wish = { budget: { tokens: 10, deadline_ms: 600_000 } }
  const granted = (Object.keys(tiers) as Tier[]).map((tier) => deadlineOf(asking(wish, {}, tier)))
  assert.deepEqual(granted, [30_000, 120_000, 300_000, 600_000])
  assert.equal(worstOf(asking(wish, {}, 'sandbox'), undefined).ms, 30_000)
  assert.equal(deadlineOf(asking({ budget: { deadline_ms: 29_000 } }, {}, 'sandbox')), 29_000)
  const unmetered = {
    ...asking({}, {}, 'sandbox'),
    operation: { multipliers: [0, 1, 1], facts: { deadline_ms: 600_000 } },
  }
  assert.equal(
    deadlineOf(unmetered as unknown as Priced),
    600_000,
    'what meters no tokens waits, and computes little',
  )
})
