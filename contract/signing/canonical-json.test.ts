import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonicalJson, contentHash, sha256Hex } from './canonical-json.ts'

// From RFC 8785 section 3.2.2.3: the shortest digits that read back as the same double, in ECMAScript's form.
const numbers: [number, string][] = [
  [0, '0'],
  [-0, '0'],
  [1, '1'],
  [-1, '-1'],
  [1.0, '1'],
  [4.5, '4.5'],
  [0.002, '0.002'],
  [1e-6, '0.000001'],
  [1e-7, '1e-7'],
  [-1e-7, '-1e-7'],
  [1e20, '100000000000000000000'],
  [1e21, '1e+21'],
  [999999999999999900000, '999999999999999900000'],
  [0.1 + 0.2, '0.30000000000000004'],
  [Number('333333333.33333329'), '333333333.3333333'],
  [9007199254740991, '9007199254740991'],
  [9007199254740992, '9007199254740992'],
  [Number.MAX_VALUE, '1.7976931348623157e+308'],
  [-Number.MAX_VALUE, '-1.7976931348623157e+308'],
  [Number.MIN_VALUE, '5e-324'],
]

test('numbers take the one form of RFC 8785', () => {
  for (const [value, text] of numbers) assert.equal(canonicalJson(value), text)
})

test('keys are ordered by UTF-16 code units, not by code point, value or insertion', () => {
  // U+1F600 is the pair D83D DE00 and so comes before U+FB33, though its code point is higher.
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
  assert.equal(
    canonicalJson(object),
    '{"":8,"\\r":10,"10":6,"9":7,"B":5,"a":4,"é":9,"€":3,"\u{1f600}":2,"\ufb33":1}',
  )
})

test('strings escape only what they must, in the short form where there is one', () => {
  assert.equal(canonicalJson('"\\/\b\f\n\r\t'), '"\\"\\\\/\\b\\f\\n\\r\\t"')
  assert.equal(canonicalJson('\u0000\u0001\u001f'), '"\\u0000\\u0001\\u001f"')
  assert.equal(canonicalJson('\u007f\u0080\u2028\u2029é€\u{1f600}'), '"\u007f\u0080\u2028\u2029é€\u{1f600}"')
})

test('structure has no white space and absent members are omitted', () => {
  assert.equal(canonicalJson({ b: [1, { d: null, c: true }], a: {} }), '{"a":{},"b":[1,{"c":true,"d":null}]}')
  assert.equal(canonicalJson({ a: undefined, b: false }), '{"b":false}')
  assert.equal(
    canonicalJson(JSON.parse('{"__proto__":1,"constructor":2}')),
    '{"__proto__":1,"constructor":2}',
  )
})

test('values that JSON cannot represent are refused at any depth', () => {
  const holed = Array.of<unknown>(1, 2, 3)
  delete holed[1]
  const bad = [
    holed,
    Number.NaN,
    Infinity,
    -Infinity,
    undefined,
    1n,
    Symbol('s'),
    () => 1,
    '\ud800',
    'a\udc00b',
    new Date(0),
  ]
  for (const value of bad) {
    assert.throws(() => canonicalJson(value), TypeError)
    assert.throws(() => canonicalJson([value]), TypeError)
    if (value !== undefined) assert.throws(() => canonicalJson({ a: { b: value } }), TypeError)
  }
  assert.throws(() => canonicalJson({ '\ud800': 1 }), TypeError)
})

test('depth is limited', () => {
  const nest = (depth: number): unknown => (depth === 0 ? 1 : [nest(depth - 1)])
  assert.equal(canonicalJson(nest(128)).length, 257)
  assert.throws(() => canonicalJson(nest(129)), /deeper than 128/)
})

test('a content hash is the sha256 of the canonical bytes', () => {
  assert.equal(sha256Hex('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  assert.equal(contentHash({ b: 1, a: 'é' }), `sha256:${sha256Hex(Buffer.from('{"a":"é","b":1}', 'utf8'))}`)
})

const any_json = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' })

test('writing, reading and writing again changes nothing', () => {
  fc.assert(
    fc.property(any_json, (value) => {
      const text = canonicalJson(value)
      assert.equal(canonicalJson(JSON.parse(text)), text)
    }),
    { numRuns: 2000 },
  )
})

test('the insertion order of keys does not matter', () => {
  const shuffled = fc
    .dictionary(fc.string({ unit: 'binary' }), any_json)
    .chain((object) =>
      fc.tuple(
        fc.constant(object),
        fc.shuffledSubarray(Object.keys(object), { minLength: Object.keys(object).length }),
      ),
    )
  fc.assert(
    fc.property(shuffled, ([object, keys]) => {
      const reordered = Object.fromEntries(keys.map((key) => [key, object[key]]))
      assert.equal(canonicalJson(reordered), canonicalJson(object))
    }),
    { numRuns: 2000 },
  )
})

test('a second, naive implementation writes the same text', () => {
  fc.assert(
    fc.property(any_json, (value) => assert.equal(canonicalJson(value), naive(value))),
    { numRuns: 2000 },
  )
})

function naive(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(naive).join(',')}]`
  if (typeof value === 'string') return `"${[...value].map(naiveCharacter).join('')}"`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => compareUnits(a, b))
    return `{${members.map(([key, member]) => `${naive(key)}:${naive(member)}`).join(',')}}`
  }
  return value === 0 ? '0' : `${value}`
}

function naiveCharacter(character: string): string {
  const short: Record<string, string> = {
    '"': '\\"',
    '\\': '\\\\',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
  }
  if (short[character]) return short[character]
  return character < ' ' ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : character
}

function compareUnits(a: string, b: string): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i)
  }
  return a.length - b.length
}
