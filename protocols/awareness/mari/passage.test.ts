import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { divideQuestion, isProposition } from './inquiry-question.ts'
import { doesDeny, doesMismatch, isSupported, readPassage, splitPassages } from './passage.ts'

const supports = (passage: string, sentence: string) =>
  isSupported(readPassage(sentence), readPassage(passage))

test('every passage is a slice of its text, in order and short, and only white space is left out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (text) => {
      const passages = splitPassages(text)
      let last = 0
      for (const { start, end, text: passage_text } of passages) {
        assert.equal(text.slice(start, end).toWellFormed(), passage_text)
        assert.ok(start >= last && passage_text.length <= 320)
        assert.equal(text.slice(last, start).trim(), '')
        last = end
      }
      assert.equal(text.slice(last).trim(), '')
    }),
    { numRuns: 200 },
  )
})

test('a sentence supports itself, but not its negation or the same with another number', () => {
  const word = fc.constantFrom(
    'pump',
    'valve',
    'runs',
    'heats',
    'Acme',
    'slowly',
    'delivered',
    'crates',
    'green',
  )
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 2, maxLength: 8 }),
      fc.integer({ min: 13, max: 999 }),
      (words, number) => {
        const sentence = `the ${words.join(' ')} weighs ${number} kg`
        assert.ok(supports(sentence, sentence))
        assert.ok(!supports(sentence, `${sentence} not`))
        assert.ok(!supports(sentence, sentence.replace(String(number), String(number + 1))))
        assert.ok(doesDeny(readPassage(sentence), readPassage(`${sentence} never`)))
        assert.ok(
          doesMismatch(
            readPassage(sentence),
            readPassage(sentence.replace(String(number), String(number + 1))),
          ),
        )
      },
    ),
    { numRuns: 100 },
  )
})

test('word forms match, names and numbers must be present, and labels distinguish things', () => {
  const sentence = 'Acme delivered 1,450 pumps to Oslo; two valves were missing.'
  for (const fair of ['Acme delivers 1450 pumps', 'Pumps were delivered to Oslo.', '2 valves were missing'])
    assert.ok(supports(sentence, fair), fair)
  for (const wrong of [
    'Acme delivered 1451 pumps',
    'Acme delivered pumps to Bergen',
    'Acme did not deliver pumps',
    'The chairman resigned after a scandal',
    'of the',
    '',
  ])
    assert.ok(!supports(sentence, wrong), wrong)
  const [seven, eight] = [readPassage('Pump 7 is running.'), readPassage('Pump 8 is running.')]
  assert.deepEqual([doesMismatch(seven, eight), isSupported(seven, eight)], [false, false])
  assert.ok(doesMismatch(readPassage('Pressure 4.1 bar.'), readPassage('Pressure 0 bar.')))
})

test('a question is split at conjunctions and question words; a part with "it" keeps the name', () => {
  const cases: [string, string[]][] = [
    ['Who leads Acme and where does it deliver?', ['Who leads Acme', 'where does it deliver (Acme)']],
    ['Is it late? Who says so?', ['Is it late', 'Who says so']],
    ['What do salt and pepper cost?', ['What do salt and pepper cost']],
    ['Compare Acme and Globex.', ['Acme', 'Globex', 'Compare Acme and Globex']],
    ['What broke; when did it break', ['What broke', 'when did it break']],
  ]
  for (const [question, parts] of cases) assert.deepEqual(divideQuestion(question), parts)
  const yes_or_no = ['Is the pump broken?', 'The pump is broken.', 'Who broke it?', 'In which year was it?']
  assert.deepEqual(yes_or_no.map(isProposition), [true, true, false, false])
})

test('any question has one to eight parts, each with a word in it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 300 }), (text) => {
      const parts = divideQuestion(`a ${text}`)
      assert.ok(parts.length >= 1 && parts.length <= 8)
      for (const part of parts) assert.match(part, /[\p{L}\p{N}]/u)
    }),
    { numRuns: 200 },
  )
})
