import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { humanText, pageOf } from './human.ts'
import { widthOf } from './text-width.ts'

const plain = (text: string) => text
const colours = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain, cyan: plain }
const shown = (value: unknown, columns = 80) => humanText(value, pageOf({ columns }, colours))

test('a list of objects is a table', () => {
  const rows = [
    { name: 'MAX', version: 'v1.0.0', healthy: true },
    { name: 'MOTET', version: 'v1.2.0', healthy: false, note: null },
  ]
  assert.equal(
    shown(rows),
    ['name   version  healthy', 'MAX    v1.0.0   yes', 'MOTET  v1.2.0   no', ''].join('\n'),
  )
})

test('in a table hashes, identities and times are shortened; in a record they are complete', () => {
  const hash = 'ab12'.repeat(16)
  const row = { did: `did:oas:dev:agent:${hash}`, hash: `sha256:${hash}`, at: '2026-11-15T07:59:23.123Z' }
  assert.match(
    shown([row], 100),
    /did:oas:dev:agent:ab12ab12ab12… +sha256:ab12ab12ab12… +2026-11-15 07:59:23Z\n$/,
  )
  assert.match(
    shown(row, 100),
    new RegExp(`did +did:oas:dev:agent:${hash}\nhash +sha256:${hash}\nat +2026-11-15 07:59:23.123Z\n`),
  )
})

test('a measured number has six digits, and no more than three decimals from 1000 on', () => {
  const numbers = [17.75894299999345, 0.22813705631634923, 0.000002179, 1763593200.1234, 12_781_567, -2.5]
  assert.equal(shown(numbers), '17.7589, 0.228137, 0.000002179, 1763593200.123, 12781567, -2.5\n')
})

test('objects too wide for a table are listed one below the other', () => {
  const row = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`field_${i}`, `some text ${i}`]))
  const lines = shown([row, row], 80).split('\n')
  assert.equal(lines.filter((line) => line.startsWith('field_0 ')).length, 2)
  assert.ok(lines.includes(''))
})

test('nested values are indented, and empty ones say so', () => {
  const value = { a: { b: { c: 1 } }, list: [1, 2], none: [], empty: {}, nothing: null, deep: [{ x: 1 }] }
  assert.equal(
    shown(value),
    [
      'a',
      '  b',
      '    c  1',
      'list     1, 2',
      'none     none',
      'empty    empty',
      'nothing  -',
      'deep (1)',
      '  x',
      '  1',
      '',
    ].join('\n'),
  )
  assert.equal(shown([]), 'none\n')
  assert.equal(shown('just text'), 'just text\n')
})

test('untrusted text never reaches the terminal as a control character', () => {
  const hostile = fc.string({ unit: fc.constantFrom('\x1b', '[2J', '\x9b', '\n', 'a', ' ', '日', '\u202e') })
  const objects = fc.dictionary(hostile, fc.oneof(hostile, fc.integer(), fc.array(hostile)), { maxKeys: 5 })
  fc.assert(
    fc.property(fc.oneof(objects, fc.array(objects), fc.jsonValue()), (value) => {
      for (const line of shown(value).split('\n')) assert.doesNotMatch(line, /[\p{Cc}\u202a-\u202e]/u)
    }),
  )
})

test('no line is wider than the terminal, however long the text and however wide its letters', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'word', '日本', ' '), maxLength: 200 })
  const text = words.map((word) => word.replace(/\S{20,}/g, 'x'))
  const value = fc.oneof(
    text,
    fc.array(text),
    fc.record({ one: text, list: fc.array(fc.record({ a: text, b: text })) }),
  )
  fc.assert(
    fc.property(value, fc.integer({ min: 40, max: 130 }), (sample, columns) => {
      for (const line of shown(sample, columns).split('\n'))
        assert.ok(widthOf(line) <= Math.min(columns, 100), line)
    }),
  )
})

test('a deeply nested answer is still shown', () => {
  let value: unknown = 1
  for (let i = 0; i < 64; i++) value = { down: value }
  assert.match(shown(value), /\{"down":/)
})
