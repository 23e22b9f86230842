import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readPassage } from './passage.ts'
import { type Candidate, chooseDiverse } from './passage-choice.ts'
import {
  countWords,
  compute as findPoints,
  fitPoints,
  poolConfidence,
  type Statement,
  supportOf,
} from './synthesis.ts'
import { checkSentences } from './synthesis-model.ts'
import type { ReadStatement } from './synthesis-reading.ts'

const occurred_at = '2026-11-01T00:00:00.000Z'
const did = (who: number) => `did:oas:acme:agent:${String(who).repeat(64).slice(0, 64)}`

function statement(place: number, text: string, more: Partial<Statement> = {}): Statement {
  const ref = `mari://finding/${place}`
  const source = { ref: `mind://cell/${place}`, kind: 'semantic', status: 'valid', occurred_at } as const
  const speakers = [{ ref: source.ref, issuer_did: did(place), confidence: 0.8, reliability: 0.8 }]
  const vector = Int8Array.from({ length: 16 }, (_, at) => (text.charCodeAt(at % text.length) % 50) - 20)
  return {
    ref,
    source,
    text,
    reading: readPassage(text),
    vector,
    section: 0,
    relevance: 0.5,
    stance: 'supports',
    speakers,
    against: [],
    ...more,
  }
}

const sentences = [
  'The crane lifts 40 tonnes.',
  'The crane lifts 35 tonnes.',
  'The crane was painted green.',
  'The crane was not painted green.',
  'Harbour dues rose in spring.',
  'The pilot is called Ida.',
]
const some = fc.array(
  fc.record({
    text: fc.constantFrom(...sentences),
    section: fc.integer({ min: 0, max: 2 }),
    relevance: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  { maxLength: 12 },
)
const statementsOf = (drawn: { text: string; section: number; relevance: number }[]) =>
  drawn.map(({ text, ...more }, place) => statement(place, text, more))

test('points do not depend on order, show both sides of each contradiction, and have a valid confidence', () => {
  fc.assert(
    fc.property(some, fc.integer({ min: 5, max: 60 }), (drawn, words_max) => {
      const statements = statementsOf(drawn)
      const points = findPoints(statements)
      assert.deepEqual(findPoints(statements.toReversed()), points)
      const fitted = fitPoints(points, words_max)
      const sides = fitted.flatMap(({ side, other }) => (other ? [side, other] : [side]))
      assert.ok(sides.reduce((sum, { centre }) => sum + countWords(centre.text), 0) <= words_max)
      for (const { centre, support, confidence } of sides) {
        assert.ok(confidence >= 0 && confidence <= 1)
        assert.ok(support.includes(centre) && statements.includes(centre))
      }
      for (const { side, other } of points)
        if (other) assert.notEqual(side.centre.text, other.centre.text)
        else
          for (const one of points)
            assert.notDeepEqual([one.side.centre.text].sort(), [opposite(side.centre.text)])
    }),
    { numRuns: 200 },
  )
})

function opposite(text: string): string | undefined {
  const place = sentences.indexOf(text)
  return place > 3 ? undefined : sentences[place % 2 === 0 ? place + 1 : place - 1]
}

test('agreement keeps the confidence, disagreement lowers it, and no source counts twice', () => {
  const one = statement(1, sentences[0]!)
  const two = statement(2, sentences[0]!)
  const against = statement(3, sentences[1]!)
  assert.ok(Math.abs(poolConfidence([one, two], []) - 0.8) < 1e-9)
  assert.ok(Math.abs(poolConfidence([one], [against]) - 0.5) < 1e-9)
  assert.ok(poolConfidence([one, two], [against]) > 0.5)
  assert.equal(poolConfidence([one, { ...two, speakers: one.speakers }], [against]), 0.5)
  assert.equal(poolConfidence([], []), 0)
  assert.equal(supportOf({ support: [one, two, { ...two, ref: 'again' }] }), 2)
})

test('model text is kept only if every cited passage supports it, and invalid output is ignored', () => {
  const statements = sentences.map((text, place) => statement(place, text)) as unknown as ReadStatement[]
  const wish = { questions: ['?'], statements, max_words: 12, require_support: 1 }
  const proposed: unknown[] = [
    { text: ' The  crane lifts 40 tonnes. ', findings: [0] },
    { text: 'The crane lifts 40 tonnes.', findings: [0, 1] },
    { text: 'The crane lifts 41 tonnes.', findings: [0] },
    { text: 'The crane lifts 40 tonnes.', findings: [] },
    { text: 'The crane lifts 40 tonnes.', findings: [99] },
    { text: 'The crane lifts 40 tonnes.', findings: ['length'] },
    { text: '', findings: [0] },
    { text: 'x'.repeat(2_000), findings: [0] },
    null,
    'The crane lifts 40 tonnes.',
    { text: 'The pilot is called Ida.', findings: [5] },
    { text: 'Harbour dues rose in spring.', findings: [4] },
  ]
  const { sentences: supported, removed } = checkSentences(proposed, wish)
  assert.deepEqual(
    supported.map(({ text }) => text),
    ['The crane lifts 40 tonnes.', 'The pilot is called Ida.'],
  )
  assert.equal(removed, 9)
  assert.equal(checkSentences(proposed.slice(0, 1), { ...wish, require_support: 2 }).removed, 1)
})

test('the most relevant come first, each source once, and duplicates are attached', () => {
  const source = (place: number) => ({ ref: `mind://cell/${place}`, status: 'valid' }) as Candidate['source']
  const candidate = (place: number, text: string, relevance: number, vector: number[]): Candidate => ({
    source: source(place),
    passage: { start: 0, end: text.length, text },
    reading: readPassage(text),
    vector: Int8Array.from(vector),
    relevance,
  })
  const candidates = [
    candidate(1, 'The crane lifts 40 tonnes.', 0.9, [100, 0]),
    candidate(2, 'The crane lifts 40 tonnes.', 0.9, [100, 0]),
    candidate(3, 'The crane lifts 35 tonnes.', 0.85, [100, 1]),
    candidate(4, 'Harbour dues rose.', 0.6, [0, 100]),
    candidate(5, 'Nothing of it.', 0.1, [50, 50]),
  ]
  const chosen = chooseDiverse(candidates, 10)
  assert.deepEqual(
    chosen.map(({ source: { ref }, also }) => [ref.at(-1), also.length]),
    [
      ['1', 1],
      ['4', 0],
      ['3', 0],
    ],
  )
  assert.equal(chooseDiverse(candidates, 1).length, 1)
})
