import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PleaDraft, pleadingOf, pleasOf } from './plea.ts'

test('each side is offered its pleas, and a mere judge none', () => {
  const filed_by = 'claimant'
  assert.deepEqual(pleasOf({ roles: ['respondent'], filed_by }), ['deny', 'admit', 'counterclaim', 'settle'])
  assert.deepEqual(pleasOf({ roles: ['claimant'], filed_by }), ['deny', 'settle', 'withdraw'])
  assert.deepEqual(pleasOf({ roles: ['venue'], filed_by }), [])
  assert.ok(pleasOf({ roles: ['respondent'], filed_by: 'respondent' }).includes('withdraw'))
})

test('a plea sends its own fields and nothing else', () => {
  const draft: PleaDraft = {
    plea: 'deny',
    argument: 'It was done.',
    evidence: ' max://acme/record/0 \n\n',
    kind: 'pay',
    amount_usd: '5.00',
    claim: 'They owe us.',
  }
  const pleading = { case_id: 'x', argument: 'It was done.', evidence: ['max://acme/record/0'] }
  const remedy = { kind: 'pay', amount_usd: '5.00' }
  assert.deepEqual(pleadingOf('x', draft), { ...pleading, plea: 'deny' })
  assert.deepEqual(pleadingOf('x', { ...draft, plea: 'settle' }), {
    ...pleading,
    plea: 'settle',
    settlement: remedy,
  })
  assert.deepEqual(pleadingOf('x', { ...draft, plea: 'counterclaim' }), {
    ...pleading,
    plea: 'counterclaim',
    counterclaim: { claim: 'They owe us.', requested_remedy: remedy },
  })
})
