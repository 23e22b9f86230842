import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cosine } from '@svc/contract/needs/embedding'
import fc from 'fast-check'
import { static_embedder, sumRows } from './static-table.ts'
import { piecesOf, readVocabulary } from './wordpiece.ts'

interface Case {
  readonly text: string
  readonly pieces: readonly number[]
  /** Hexadecimal int8. */
  readonly vector: string
}

const runs = 100
// Code units, so that lone surrogates occur; mostly letters, so that texts have words.
const unit = fc.oneof(fc.integer({ min: 32, max: 126 }), fc.integer({ min: 0, max: 0xffff }))
const any_text = fc.array(unit, { maxLength: 60 }).map((units) => String.fromCharCode(...units))
const table = join(import.meta.dirname, 'table')
const cases = JSON.parse(readFileSync(join(table, 'reference.json'), 'utf8')) as Case[]
const vocabulary = readVocabulary(readFileSync(join(table, 'vocabulary.txt'), 'utf8'))

function embed(text: string): Int8Array {
  const vectors = static_embedder.embed([text])
  assert.ok(Array.isArray(vectors), 'a value, not a promise')
  return vectors[0]
}

test('the committed files match the README', () => {
  const readme = readFileSync(join(table, 'README.md'), 'utf8')
  for (const name of ['vectors.bin', 'vocabulary.txt']) {
    const hash = createHash('sha256')
      .update(readFileSync(join(table, name)))
      .digest('hex')
    assert.ok(readme.includes(hash), name)
  }
})

test("texts are split like by the model's own tokenizer", () => {
  assert.ok(cases.length >= 40)
  for (const { text, pieces } of cases) assert.deepEqual(piecesOf(vocabulary, text), pieces, text)
})

test('vectors match the script that made the table', () => {
  for (const { text, vector } of cases) {
    const expected = new Int8Array(Buffer.from(vector, 'hex'))
    const sums = sumRows(text)
    const length = Math.hypot(...sums) || 1
    // Half a step of rounding, and a thousandth for another order of summation.
    for (let i = 0; i < expected.length; i++)
      assert.ok(Math.abs((sums[i]! / length) * 127 - expected[i]!) < 0.5 + 0.127, `${text} at ${i}`)
    assert.ok(
      embed(text).every((value, i) => Math.abs(value - expected[i]!) <= 1),
      text,
    )
  }
})

test('similar meanings are closer than others, without a word in common', () => {
  const near: readonly (readonly [string, string, string])[] = [
    ['My puppy chewed the slippers', 'What is the name of the dog?', 'Which car did they buy?'],
    ['The physician told me to walk more', 'What did the doctor recommend?', 'Which song won the prize?'],
    ['I cycle along the canal', 'riding a bike to work', 'the bank raised interest rates'],
    ['Shellfish makes my throat swell', 'food allergy', 'mountain railway'],
    ['The database ran out of memory', 'Why did the server crash?', 'Who baked the cake?'],
  ]
  for (const [text, alike, unlike] of near)
    assert.ok(cosine(embed(text), embed(alike)) > cosine(embed(text), embed(unlike)) + 0.05, text)
})

test('any text has a vector of length one or zero, always the same', () => {
  fc.assert(
    fc.property(any_text, (text) => {
      const vector = embed(text)
      assert.equal(vector.length, static_embedder.dimensions)
      const length = Math.hypot(...vector)
      assert.ok(length === 0 || Math.abs(length - 127) < 8, `${length}`)
      assert.equal(length === 0, piecesOf(vocabulary, text).length === 0)
      assert.ok(Buffer.from(vector).equals(Buffer.from(embed(text))))
      if (length > 0) assert.equal(cosine(vector, vector), 1)
    }),
    { numRuns: runs },
  )
})

test('special pieces cannot be written into a text', () => {
  for (const special of ['[CLS]', '[SEP]', '[MASK]', '[PAD]', '[UNK]', '[unused5]'])
    assert.ok(
      piecesOf(vocabulary, special).every((piece) => piece > 998),
      special,
    )
})

test('hostile texts take bounded time and are cut', () => {
  const begun = 'music '.repeat(8_192 / 4)
  assert.deepEqual(embed(begun + 'shipwreck '.repeat(100_000)), embed('music'))
  for (const unit of ['z', 'zq', '\u0301', '語', '\ud800', '##', 'q\u0000'])
    assert.equal(embed(unit.repeat(200_000)).length, 256)
})
