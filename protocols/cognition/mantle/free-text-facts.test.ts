import assert from 'node:assert/strict'
import { test } from 'node:test'
import { factsInText } from './free-text-facts.ts'

const read = (text: string) =>
  factsInText(text).map(({ subject, predicate, object }) => `${subject} | ${predicate} | ${object}`)

test('plain sentences state facts, the same in each tense and degree', () => {
  const cases: [string, string[]][] = [
    ['Bolt paid 9 days late again.', ['Bolt | pay | late']],
    ['Yesterday Bolt paid two weeks late.', ['Bolt | pay | late']],
    [
      'Acme Steel delivers pumps. Acme Steel delivered pumps!',
      ['Acme Steel | deliver | pumps', 'Acme Steel | deliver | pumps'],
    ],
    ['The ceo of Acme is Ada Byron.', ['Acme | ceo | Ada Byron']],
    ['Acme opened Hall 3 on 3 May.', ['Acme | open | Hall 3 on 3 May']],
    ['Line 2 is a press.', ['Line 2 | is_a | press']],
    ['Hooli owes 900 euros.', ['Hooli | owe | 900 euros']],
    ['Hooli owed 900 euros.', ['Hooli | owe | 900 euros']],
    ['Vanta planned a plant.', ['Vanta | plan | a plant']],
    ['Vanta planned a plant and closed it.', []],
    ['Umbrella supplied glass.', ['Umbrella | supply | glass']],
  ]
  for (const [text, facts] of cases) assert.deepEqual(read(text), facts, text)
})

test('what is hedged, denied, asked, supposed, reported or without a name states no fact', () => {
  const none = [
    'Bolt probably paid late.',
    'Bolt did not pay late.',
    "Bolt didn't pay late.",
    'Bolt paid late?',
    'If Bolt paid late, call.',
    'Bolt might pay late.',
    'Ada said Bolt paid late.',
    'Rex claimed “Bolt paid late”.',
    'He paid late.',
    'This paid late.',
    'Bolt late again.',
    'Bolt',
    '',
  ]
  for (const text of none) assert.deepEqual(read(text), [], text)
})

test('long and strange texts cost little', () => {
  assert.equal(read('Bolt paid late. '.repeat(1_000_000)).length, 10)
  assert.deepEqual(read(`${'A '.repeat(500)}paid`), [])
  assert.deepEqual(read('\u0000'.repeat(1_000)), [])
})
