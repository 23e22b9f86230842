// Relevance is calibrated: judged on notes that its scale was not read from.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { manualClock } from '../../../checks/rehearsal/manual-clock.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { mind } from '../mind/mind.ts'
import { notes } from './test-notes.ts'

interface Memory {
  readonly payload: { readonly text: string }
  readonly relevance: number
}
interface Answer {
  readonly memories: readonly Memory[]
  readonly nothing_found: boolean
}

const judged = notes.slice(notes.length / 2)
const clock = manualClock('2026-11-15T10:00:00.000Z')
let stage: Rehearsal
before(async () => {
  stage = await rehearse(mind, { ports: { clock, identity: localAdminResolver() } })
  for (const [text] of judged) await stage.run('store_memory', { kind: 'semantic', payload: { text } })
})
after(() => stage.close())

async function ask(text: string, more = {}): Promise<Answer> {
  // Refills the rate limit.
  clock.advance(1_000)
  return stage.run('recall_memory', { predicate: { semantic: { text } }, ...more }) as Promise<Answer>
}

test('relevance says how often a memory is about the question', async () => {
  const pairs: { relevance: number; is_about: number }[] = []
  for (const [note, answered, unanswered] of judged)
    for (const [question, about] of [
      [answered, note],
      [unanswered, ''],
    ] as const)
      for (const { payload, relevance } of (await ask(question)).memories)
        pairs.push({ relevance, is_about: payload.text === about ? 1 : 0 })
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  let error = 0
  for (const bin of Map.groupBy(pairs, ({ relevance }) => Math.min(9, Math.floor(relevance * 10))).values()) {
    const gap = mean(bin.map(({ relevance }) => relevance)) - mean(bin.map(({ is_about }) => is_about))
    error += (Math.abs(gap) * bin.length) / pairs.length
  }
  assert.ok(error < 0.08, `expected calibration error ${error}`)
  const brier = mean(pairs.map(({ relevance, is_about }) => (relevance - is_about) ** 2))
  const share = mean(pairs.map(({ is_about }) => is_about))
  assert.ok(brier < 0.6 * share * (1 - share), `Brier score ${brier}`)
})

test('no question that a note answers finds nothing, and most that are far from all do', async () => {
  const far: string[] = []
  for (const [note, answered, unanswered] of judged) {
    const { memories, nothing_found } = await ask(answered)
    assert.deepEqual([memories[0]?.payload.text, nothing_found], [note, false], answered)
    const nothing = await ask(unanswered)
    assert.equal(nothing.memories.length === 0, nothing.nothing_found)
    if (nothing.nothing_found) far.push(unanswered)
  }
  assert.ok(far.includes('What is the capital of Mongolia?') && far.length >= 8, far.join('\n'))
  const sure = await ask('How warm is the server room?', { min_relevance: 0.5 })
  assert.equal(sure.memories.length, 1)
})

test('a misspelt name still finds something', async () => {
  const { memories } = await ask('Umbrela')
  assert.match(memories[0]!.payload.text, /^Umbrella/)
})

test('the memory that has the word is before the one that only means something near', async () => {
  const namespace = 'words'
  const store = (text: string, index = {}) =>
    stage.run('store_memory', { kind: 'semantic', payload: { text }, namespace, index })
  await store('The lorry stays in the workshop for repairs.')
  await store('Zebulon has a meeting.', { vector: false })
  // The nearest meaning and the best words: each is first in one list only, and the second was stored last.
  const { memories } = await ask('Zebulon vehicle maintenance', { namespace })
  assert.deepEqual(
    memories.map(({ payload }) => payload.text),
    ['Zebulon has a meeting.', 'The lorry stays in the workshop for repairs.'],
  )
})
