import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { readJson } from './read-json.ts'

const read = (text: string) => readJson(Buffer.from(text))

function refuses(body: string | Buffer, why: RegExp, label = ''): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  assert.throws(
    () => readJson(bytes),
    (thrown) => {
      assert.ok(thrown instanceof Refusal, `${label}: ${thrown}`)
      assert.deepEqual([thrown.code, thrown.details.reason], ['invalid_request', 'malformed body'], label)
      assert.match(thrown.message, why, label)
      return true
    },
    label,
  )
}
const nested = (depth: number, inside = '') => '['.repeat(depth) + inside + ']'.repeat(depth)

test('64 levels are read and the 65th is refused, in arrays, objects and both', () => {
  assert.equal(JSON.stringify(read(nested(64))), nested(64))
  refuses(nested(65), /nested deeper than 64 levels/)
  const objects = (depth: number) => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
  assert.equal(JSON.stringify(read(objects(64))), objects(64))
  refuses(objects(65), /nested deeper/)
  const both = (depth: number) => '[{"a":'.repeat(depth) + '1' + '}]'.repeat(depth)
  assert.equal(JSON.stringify(read(both(32))), both(32))
  refuses(both(33), /nested deeper/)
  refuses('['.repeat(65), /nested deeper/, 'never closed')
})

test('siblings do not add depth, and brackets in strings are no levels', () => {
  assert.equal((read(`[${Array(200).fill('[]').join(',')}]`) as unknown[]).length, 200)
  const text = JSON.stringify({ a: '['.repeat(500), '{{{{': '\\"[[[' })
  assert.deepEqual(read(text), JSON.parse(text))
})

test('a million levels are refused at the 65th, without reading the rest', () => {
  refuses('['.repeat(1_000_000), /nested deeper/)
  refuses(`${'['.repeat(65)} this is no JSON`, /nested deeper/, 'what follows is not read')
})

test('up to the maximum of keys is accepted', () => {
  const keys = (count: number) => `{${Array.from({ length: count }, (_, i) => `"k${i}":0`).join(',')}}`
  assert.equal(Object.keys(read(keys(4_000)) as object).length, 4_000)
  refuses(keys(10_000), /more than 4000 different keys or orders of keys/)
  refuses(keys(80_001), /more than 80000 keys/)
  const spread = (count: number) =>
    `[${Array.from({ length: count / 4 }, () => '{"a":0,"b":0,"c":0,"d":0}').join(',')}]`
  assert.equal((read(spread(80_000)) as unknown[]).length, 20_000)
  refuses(spread(80_004), /more than 80000 keys/)
})

test('up to the maximum of lists and objects is accepted, though lists in lists have no commas', () => {
  const lists = (count: number) => `[${'[[]],'.repeat((count - 2) / 2)}[]]`
  assert.equal((read(lists(50_000)) as unknown[]).length, 25_000)
  refuses(lists(50_002), /more than 50000 lists and objects/)
})

test('the end of a long string is found, with and without escapes', () => {
  for (const length of [255, 256, 257, 300, 5000]) {
    for (const special of ['', '\\', '"', '\\"', '\n']) {
      const text = 'x'.repeat(length) + special + 'y'.repeat(length) + special
      assert.deepEqual(read(JSON.stringify({ text, after: [text] })), { text, after: [text] })
    }
    refuses(`{"a":"${'x'.repeat(length)}`, /not valid JSON/)
    refuses(`{"a":"${'x'.repeat(length)}\\"`, /not valid JSON/)
  }
})

test('up to the maximum of elements is accepted', () => {
  const elements = (count: number) => `[${Array(count).fill('0').join(',')}]`
  assert.equal((read(elements(100_001)) as unknown[]).length, 100_001)
  refuses(elements(100_002), /more than 100000 elements/)
})

test('a duplicate key is refused at any depth, however it is written', () => {
  const twice = [
    '{"a":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":2}',
    '{"\\u0061":1,"\\u0061":2}',
    '{"/":1,"\\/":2}',
    '{"":1,"":2}',
    '{"é":1,"\\u00e9":2}',
    '{"😀":1,"\\ud83d\\ude00":2}',
    '{"a":{"b":[{"c":1,"c":2}]}}',
    '[[[{"x":{"y":1},"x":{"y":1}}]]]',
    '{"a":{"b":1,"c":2},"a":{"b":1}}',
    '{"a":[],"b":1,"a":{"z":1}}',
    '{"1":1,"1":2}',
  ]
  for (const text of twice) refuses(text, /same key twice/, text)
  assert.deepEqual(read('{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}'), {
    a: { a: { a: 1 } },
    b: [{ a: 1 }, { a: 2 }],
  })
  assert.deepEqual(read('{"a":":::","b":"{\\"c\\":1}"}'), { a: ':::', b: '{"c":1}' })
})

test('a lone surrogate is refused in strings and in keys; a pair is a character', () => {
  for (const text of ['"\\ud800"', '"\\udc00"', '"\\udc00\\ud800"', '["a","\\ud83dx"]']) {
    refuses(text, /lone surrogate/, text)
  }
  refuses('{"\\ud800":1}', /key is not allowed/)
  assert.equal(read('"\\ud83d\\ude00"'), '😀')
})

test('a number that cannot be represented exactly is refused', () => {
  const wrong = ['1e400', '-1e400', '[1e309]', '9007199254740993', '-9007199254740993', '9007199254740992']
  for (const text of [...wrong, '1e21', '{"a":[{"b":12345678901234567890}]}', '1e308']) {
    refuses(text, /too large to be exact/, text)
  }
  const right = ['9007199254740991', '-9007199254740991', '0.1', '1e-7', '-1.5e2', '0', '1e15', '5e-324']
  for (const text of right) assert.equal(read(text), Number(text), text)
})

test('minus zero is read, and written as zero', () => {
  assert.equal(Object.is(read('-0'), -0), true)
  assert.equal(canonicalJson(read('{"a":-0}')), '{"a":0}')
})

test('__proto__ is refused however it is written, and similar names pollute nothing', () => {
  const plain = ['{"__proto__":{"polluted":1}}', '{"a":[{"__proto__":null}]}', '{"__proto__":1,"a":2}']
  for (const text of [...plain, '{"\\u005f_proto__":{"polluted":1}}', '{"__pr\\u006fto__":1}']) {
    refuses(text, /key is not allowed/, text)
  }
  const kin = read('{"constructor":{"prototype":{"polluted":1}},"hasOwnProperty":1}')
  assert.deepEqual(Object.keys(kin as object), ['constructor', 'hasOwnProperty'])
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})

test('invalid UTF-8 is refused, a byte order mark too', () => {
  const bytes = [
    [0x22, 0xff, 0x22],
    [0x22, 0xc3, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xc0, 0xaf, 0x22],
    [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22],
  ]
  for (const list of bytes) refuses(Buffer.from(list), /not valid UTF-8/, list.join(' '))
  refuses(Buffer.from('\ufeff{}'), /not valid JSON/)
  refuses(Buffer.from('{}', 'utf16le'), /not valid JSON/)
})

test('invalid JSON is refused', () => {
  const texts = [
    '',
    ' ',
    '{',
    '}',
    '[1,]',
    '{"a":1,}',
    "{'a':1}",
    '{a:1}',
    'undefined',
    'NaN',
    '01',
    '1 2',
    '{}{}',
  ]
  for (const text of [
    ...texts,
    '"',
    '"\\',
    '"\n"',
    '[1',
    ']'.repeat(100) + '['.repeat(100),
    '// x\n1',
    '+1',
    '.5',
  ]) {
    refuses(text, /not valid JSON/, text)
  }
})

const exact = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)),
)
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((s) => !s.includes('\0'))
const key = text.filter((name) => name !== '__proto__')
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 8, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, ''),
    exact,
    text,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value

test('output of JSON.stringify is read back equal, with or without blanks', () => {
  fc.assert(
    fc.property(value, fc.constantFrom(undefined, 2, '\t'), (written, blanks) => {
      const text = JSON.stringify(written, undefined, blanks)
      assert.deepEqual(read(text), JSON.parse(text))
      assert.equal(JSON.stringify(read(text)), JSON.stringify(written))
    }),
    { numRuns: 500 },
  )
})

test("for any bytes, the result is JSON.parse's value or a refusal", () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"a"',
    '"',
    '\\',
    '1',
    '-',
    'null',
    ' ',
    'é',
    '\\u0061',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 14 }), (list) => {
      const text = list.join('')
      let value: unknown
      try {
        value = read(text)
      } catch (thrown) {
        assert.ok(thrown instanceof Refusal)
        return
      }
      assert.deepEqual(value, JSON.parse(text))
    }),
    { numRuns: 2000 },
  )
})

test('a run of digits longer than any number is refused before it is parsed', () => {
  const read = (digits: number) => readJson(Buffer.from(`[0.${'1'.repeat(digits)}]`))
  assert.doesNotThrow(() => read(900))
  assert.throws(() => read(6_000_000), /a number or gap of more than 1000 characters/)
})
