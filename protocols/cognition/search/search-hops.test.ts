// Two-hop questions: the second memory is named by the first, not by the question.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { mind } from '../mind/mind.ts'

const clock = manualClock('2026-11-15T10:00:00.000Z')
const people = 60
const syllables = ['ba', 'do', 'ki', 'lu', 'me', 'no', 'ra', 'su', 'ti', 've']
const invented = (number: number, end: string) => {
  const name = [number, number * 7 + 3, number * 3 + 1].map((at) => syllables[at % 10]).join('')
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}${end}${Math.floor(number / 10)}`
}
const personOf = (number: number) => invented(number, 'x')
const firmOf = (number: number) => invented(number + 4, 'corp')
const townOf = (number: number) => invented(number + 7, 'ville')

let stage: Rehearsal
before(async () => {
  stage = await rehearse(mind, { ports: { clock, identity: localAdminResolver() } })
  for (let number = 0; number < people; number++) {
    const texts = [
      `${personOf(number)} is the head of ${firmOf(number)} since last spring.`,
      `${personOf(number)} lives in ${townOf(number)} near the river.`,
      `${personOf((number * 13) % people)} had lunch with us on Monday.`,
    ]
    for (const text of texts) await stage.run('store_memory', { kind: 'semantic', payload: { text } })
    clock.advance(1_000)
  }
})
after(() => stage.close())

test('the evidence of the second hop is among the first ten', async () => {
  let answered = 0
  let first = 0
  for (let number = 0; number < people; number += 2) {
    clock.advance(1_000)
    const text = `In which town does the head of ${firmOf(number)} live?`
    const { memories } = await stage.run('recall_memory', { predicate: { semantic: { text } } })
    const texts = memories.map(({ payload }: { payload: { text: string } }) => payload.text)
    if (texts.includes(`${personOf(number)} lives in ${townOf(number)} near the river.`)) answered++
    if (texts[0] === `${personOf(number)} is the head of ${firmOf(number)} since last spring.`) first++
  }
  assert.deepEqual([answered >= 27, first], [true, people / 2], `${answered} of ${people / 2}`)
})
