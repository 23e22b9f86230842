import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rulesIn } from './policy-rules.ts'

test('a rule says what it forbids, why, and who can approve', () => {
  const text = `@reason("above 5,000 USD; finance decides") @approval("role:finance within 2d")
forbid(principal, action, resource)
when { resource.protocol == "MADE" && context has amount_micro_usd };`
  assert.deepEqual(rulesIn(text), [
    {
      effect: 'forbid',
      calls: ['MADE'],
      reason: 'above 5,000 USD; finance decides',
      approval: 'role:finance within 2d',
    },
  ])
})

test('each rule of a text is listed, with the operations that it names', () => {
  const text = `// forbid (everything);
permit(principal, action, resource);
forbid(principal, action, resource)
when { resource.protocol == "MAKER" && (resource.operation == "execute_action" || resource.operation == "status") };
forbid(principal, action, resource) unless { context.note == "permit (all)" };`
  assert.deepEqual(rulesIn(text), [
    { effect: 'permit', calls: [] },
    { effect: 'forbid', calls: ['MAKER execute_action', 'MAKER status'] },
    { effect: 'forbid', calls: [] },
  ])
})

test('what is no rule is left out', () => {
  assert.deepEqual(rulesIn(''), [])
  assert.deepEqual(rulesIn('nothing; "forbid (x)"; @reason("'), [])
})
