import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareWords } from './share-words.ts'
import { tallyBars } from './tally-bars.ts'

const counts = { for: 2, against: 1, abstain: 0, recused: 0, absent: 0 }
const motion = {
  seats: 3,
  attendance: { present: 3, needed: 2 },
  threshold: { of_votes: '>=2/3', of_seats: '>1/2' },
  verdict: { counts } as never,
}
const met = (shown: Parameters<typeof tallyBars>[0]) => tallyBars(shown).map((bar) => bar.met)

test('a bar says whether its mark was reached, exactly at the mark too', () => {
  assert.deepEqual(met(motion), [true, true, true])
  const half = { ...motion, seats: 4, threshold: { of_votes: '>2/3', of_seats: '>1/2' } }
  assert.deepEqual(met(half), [true, false, false])
  const nobody = { ...counts, for: 0, against: 0, abstain: 3 }
  assert.deepEqual(met({ ...motion, verdict: { counts: nobody } as never }), [true, false, false])
})

test('before the tally only attendance is shown, and nothing counts as missed', () => {
  const open = { ...motion, verdict: undefined, attendance: { present: 1, needed: 2 } }
  const [came, ...others] = tallyBars(open)
  assert.deepEqual([came?.met, came?.mark?.text, others], [undefined, '2 of 3', []])
})

test('the parts of a bar add up to its whole', () => {
  for (const { segments, whole } of tallyBars(motion))
    assert.equal(
      segments.reduce((sum, { count }) => sum + count, 0),
      whole,
    )
})

test('a share is said in words, and another text as it is', () => {
  assert.equal(shareWords('>=2/3'), 'at least 2/3')
  assert.equal(shareWords('>1/2'), 'more than 1/2')
  assert.equal(shareWords('all'), 'all')
})
