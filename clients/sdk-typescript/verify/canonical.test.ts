import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalText, isCanonicalOrder } from './canonical.ts'

test('numbers have the canonical form of RFC 8785', () => {
  const numbers: [number, string][] = [
    [0, '0'],
    [-0, '0'],
    [4.5, '4.5'],
    [0.002, '0.002'],
    [1e-6, '0.000001'],
    [1e-7, '1e-7'],
    [1e20, '100000000000000000000'],
    [1e21, '1e+21'],
    [999999999999999900000, '999999999999999900000'],
    [0.1 + 0.2, '0.30000000000000004'],
    [Number('333333333.33333329'), '333333333.3333333'],
    [9007199254740992, '9007199254740992'],
    [-Number.MAX_VALUE, '-1.7976931348623157e+308'],
    [Number.MIN_VALUE, '5e-324'],
  ]
  for (const [value, text] of numbers) assert.equal(canonicalText(value), text)
})

test('keys are sorted by UTF-16 code units, and strings escape only what they must', () => {
  // U+1F600 is the pair D83D DE00 and so sorts before U+FB33, though its code point is higher.
  const object = {
    '\ufb33': 1,
    '\u{1f600}': 2,
    '\u20ac': 3,
    a: 4,
    B: 5,
    '10': 6,
    '9': 7,
    '': 8,
    é: 9,
    '\r': 10,
  }
  const text = '{"":8,"\\r":10,"10":6,"9":7,"B":5,"a":4,"é":9,"€":3,"\u{1f600}":2,"\ufb33":1}'
  assert.equal(canonicalText(object), text)
  assert.equal(canonicalText('"\\/\b\f\n\r\t'), '"\\"\\\\/\\b\\f\\n\\r\\t"')
  assert.equal(canonicalText('\u0000\u001f\u007f\u2028é'), '"\\u0000\\u001f\u007f\u2028é"')
})

test('absent members are omitted, and keys of any name are own properties', () => {
  assert.equal(
    canonicalText({ b: [1, { d: null, c: true }], a: {}, z: undefined }),
    '{"a":{},"b":[1,{"c":true,"d":null}]}',
  )
  const named = '{"__proto__":1,"constructor":2}'
  assert.equal(canonicalText(JSON.parse(named)), named)
})

test('values that are not JSON are refused, at any depth', () => {
  const holed = Array.of<unknown>(1, 2, 3)
  delete holed[1]
  const bad = [NaN, Infinity, undefined, 1n, Symbol('s'), () => 1, '\ud800', new Date(0), holed]
  for (const value of bad) {
    assert.throws(() => canonicalText(value), TypeError)
    assert.throws(() => canonicalText([value]), TypeError)
  }
  assert.throws(() => canonicalText({ '\ud800': 1 }), TypeError)
  const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])
  assert.equal(canonicalText(nest(128)).length, 257)
  assert.throws(() => canonicalText(nest(129)), /deeper than 128/)
  const within = (depth: number): unknown => (depth === 0 ? 1 : { a: within(depth - 1) })
  assert.ok(canonicalText(within(128)))
  assert.throws(() => canonicalText(within(129)), { message: 'nested deeper than 128 levels' })
  assert.throws(() => canonicalText(NaN), { message: 'NaN is not a JSON number' })
  assert.throws(() => canonicalText('\ud800'), { message: 'a string holds a lone surrogate' })
  assert.throws(() => canonicalText(1n), { message: 'bigint is not a JSON value' })
  assert.throws(() => canonicalText(new Date(0)), { message: 'an object with toJSON is not a JSON value' })
})

test('writing, reading and writing again changes nothing, and key order does not matter', () => {
  const any = fc.dictionary(
    fc.string({ unit: 'binary' }),
    fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }),
  )
  const property = fc.property(any, (object) => {
    const text = canonicalText(object)
    assert.equal(canonicalText(JSON.parse(text)), text)
    assert.equal(canonicalText(Object.fromEntries(Object.entries(object).reverse())), text)
  })
  fc.assert(property, { numRuns: 500 })
})

test('what JSON.stringify writes of a value in canonical order is its canonical text', () => {
  const letters = fc.constantFrom(
    'a',
    'b',
    '1',
    '10',
    '9',
    '__proto__',
    'toJSON',
    '\u00e9',
    '\ud83d\ude00',
    '\ud800',
  )
  const values = fc.jsonValue({ stringUnit: letters, maxDepth: 4 })
  fc.assert(
    fc.property(values, (value) => {
      const text = JSON.stringify(value)
      const parsed = JSON.parse(text)
      if (isCanonicalOrder(parsed) && !text.includes('\\ud')) assert.equal(canonicalText(parsed), text)
    }),
  )
  assert.equal(isCanonicalOrder(JSON.parse('{"9":1,"10":1}')), false)
  assert.equal(isCanonicalOrder(JSON.parse('[{"b":1,"a":1}]')), false)
  assert.equal(isCanonicalOrder(JSON.parse('{"n":1e999}')), false)
  assert.equal(isCanonicalOrder(JSON.parse('['.repeat(129) + ']'.repeat(129))), false)
  assert.equal(isCanonicalOrder(JSON.parse('{"10":1,"9":{"a":[1,null,"x"]}}')), false)
  assert.equal(isCanonicalOrder(JSON.parse('{"a":{"a":[1,null,"x"],"b":true},"b":-0}')), true)
})
