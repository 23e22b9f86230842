import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inputJudge, isCondition } from './input-condition.ts'

test('a condition is true of an input, or it does not count', () => {
  const judge = inputJudge({ amount_usd: 100, to: { country: 'DE' }, tags: ['a', 'b'] }, 0)
  for (const condition of [
    'input.amount_usd <= 100',
    'input.amount_usd < 100.5',
    'input.to.country in ["DE", "FR"]',
    'input.tags.all(tag, size(tag) == 1)',
    'input.to.country.matches("^D")',
    '!has(input.memo)',
  ])
    assert.equal(judge(condition), true, condition)
  for (const condition of [
    'input.amount_usd < 100',
    'input.memo == "x"',
    'input.amount_usd',
    '"true"',
    'input.amount_usd <',
    'steps.x',
    'signal',
  ])
    assert.equal(judge(condition), false, condition)
  for (const input of [null, undefined, 5, 'text', []])
    assert.equal(inputJudge(input, 0)('input.amount_usd <= 100'), false)
})

test('all conditions on one input share a limit of work', () => {
  const items = Array.from({ length: 200 }, (_, place) => place)
  const judge = inputJudge({ items }, 0)
  const costly = (n: number) => `input.items.map(i, i + ${n}).all(i, i >= 0)`
  const answers = Array.from({ length: 400 }, (_, n) => judge(costly(n)))
  const admitted = answers.filter(Boolean).length
  assert.ok(admitted > 5 && admitted < 100, `${admitted} were judged`)
  assert.deepEqual(
    answers,
    answers.toSorted((one, other) => Number(other) - Number(one)),
    'none after the limit',
  )
  assert.equal(inputJudge({ items }, 0)(costly(0)), true, 'another call has its own')
  assert.equal(inputJudge({ items }, 0)('input.items.all(a, input.items.all(b, a + b >= 0))'), false)
})

test('what cannot be true or false is no condition', () => {
  for (const text of ['input.a == 1', 'input.a', 'true', 'size(input) > 0'])
    assert.equal(isCondition(text), true, text)
  for (const text of ['', '1', 'size(input)', '"x"', 'input.a ==', 'unknown == 1', 'x'.repeat(3_000)])
    assert.equal(isCondition(text), false, text)
})
