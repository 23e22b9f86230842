import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadlineOf, type Priced, worstOf } from './budget.ts'

/** An operation that meters tokens and may take ten minutes, asked with this input. */
function asking(input: unknown, facts: object = {}): Priced {
  const operation = { multipliers: [1, 1, 1], facts: { deadline_ms: 600_000, ...facts } }
  return { operation, asked: { request: { input } } } as unknown as Priced
}
const budget_default = { tokens: 5_000, deadline_ms: 20_000 }

test('who names a budget is held to it, and to no more than the operation allows', () => {
  const call = asking({ budget: { tokens: 10, deadline_ms: 900_000 } }, { budget_default })
  assert.deepEqual(worstOf(call, undefined), { ms: 600_000, tokens: 10 })
  assert.equal(deadlineOf(asking({ budget: { deadline_ms: 100 } }, { budget_default })), 100)
})

test('who names none reserves what the operation does by default, not the most it could', () => {
  assert.deepEqual(worstOf(asking({}, { budget_default }), undefined), { ms: 20_000, tokens: 5_000 })
  assert.equal(worstOf(asking({}), undefined).ms, 600_000)
})
