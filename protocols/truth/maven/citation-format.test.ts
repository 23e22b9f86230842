import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { excerpt_length_max, excerptOf, formatCitation, titleOf } from './citation-format.ts'

const located = (text: string | null, body: unknown = { text }) => ({ body, text, seq: 7 })

test('an excerpt is a part of its source, limited in length, and never splits a character', () => {
  const texts = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1_200 })
  fc.assert(
    fc.property(texts, fc.nat(1_000), fc.integer({ min: 1, max: 1_000 }), (text, start, length) => {
      const whole = excerptOf(located(text))!
      assert.ok(whole.length <= excerpt_length_max && text.startsWith(whole) && whole.isWellFormed())
      const end = start + length
      if (end > text.length) return
      const part = excerptOf(located(text), { char_range: { start, end } })!
      assert.ok(part.length <= excerpt_length_max && part.isWellFormed())
    }),
  )
})

test('a pointer resolves as in RFC 6901, and nothing that does not exist', () => {
  const body = { 'a/b': [{ 'm~n': 'deep' }], '': 'empty', list: [1, 2] }
  const at = (json_pointer: string) => excerptOf(located('x', body), { json_pointer })
  assert.equal(at('/a~1b/0/m~0n'), 'deep')
  assert.equal(at('/'), 'empty')
  assert.equal(at('/list'), '[1,2]')
  for (const pointer of ['/list/2', '/list/length', '/constructor', '/a~1b/0/m~0n/0'])
    assert.throws(() => at(pointer), { code: 'invalid_payload' })
})

test('one locator at a time, and redacted content has no excerpt', () => {
  assert.equal(excerptOf(located(null), { json_pointer: '/any' }), null)
  assert.equal(excerptOf(located('x'), { record_seq: 7 }), 'x')
  assert.throws(() => excerptOf(located('x'), { record_seq: 8 }), { code: 'invalid_payload' })
  const two = { record_seq: 7, json_pointer: '' }
  assert.throws(() => excerptOf(located('x'), two), { code: 'invalid_payload' })
})

test('a citation names its author, day, version and state in each style', () => {
  const cited = {
    citation_id: 'c'.repeat(64),
    source_ref: 'mind://cell/0199f3b0-5c1e-7c3a-9d2e-6f1b2a3c4d5e',
    kind: 'semantic',
    version: 3,
    issuer_did: `did:oas:acme:agent:${'ab'.repeat(32)}`,
    attested_at: '2026-02-03T04:05:06.000Z',
    accessed_at: '2026-11-15T00:00:00Z',
    status: 'superseded',
    title: titleOf(' Tides   come\ntwice a day. '),
  }
  assert.equal(formatCitation(cited, 'short'), '[mind 0199f3b0, acme agent abababab, 2026-02-03, superseded]')
  assert.equal(
    formatCitation(cited, 'apa'),
    `acme agent abababab. (2026, February 3). Tides come twice a day. (Version 3) [semantic] (superseded). ${cited.source_ref}`,
  )
  assert.deepEqual(formatCitation(cited, 'csl-json'), {
    id: cited.citation_id,
    type: 'document',
    title: 'Tides come twice a day.',
    author: [{ literal: cited.issuer_did }],
    issued: { 'date-parts': [[2026, 2, 3]] },
    accessed: { 'date-parts': [[2026, 11, 15]] },
    genre: 'semantic',
    version: '3',
    status: 'superseded',
    URL: cited.source_ref,
  })
  assert.equal(titleOf('word '.repeat(40)).length, 80)
  assert.deepEqual([titleOf(null), titleOf(' ')], ['[redacted]', '[untitled]'])
})
