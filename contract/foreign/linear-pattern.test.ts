import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { LinearPattern } from './linear-pattern.ts'

test('it matches what V8 matches, in patterns people write', () => {
  const texts = [
    '',
    'a',
    'ab',
    'Ada',
    '2026-11-16',
    'v1.20',
    'GET',
    'POSTS',
    'x\ny',
    '😀',
    '\ud83d',
    'ſ',
    'a_b c',
  ]
  for (const pattern of [
    '^[a-z][a-z0-9-]{0,62}$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^v?\\d{1,3}\\.\\d{1,3}$',
    '^(GET|POST)$',
    '^(?<verb>GET|POST)',
    '^(?:ab|c)?x$',
    '^.*$',
    '^[^\\]]+$',
    '(a+)+$',
    '^(a|aa)+$',
    '^((a*)b){2}$|^$',
    '\\bb|\\Bc',
    '^\\p{L}{1,9}$',
    '^\\u{61}[{b]$',
    '^[\\u{1F600}-\\u{1F64F}]$',
    '^\\ud83d\\ude00$',
    '^😀?$',
    '^\\x61\\cA?',
    '^[\\]\\\\]*$',
  ]) {
    const [linear, native] = [new LinearPattern(pattern), new RegExp(pattern, 'u')]
    for (const text of texts) assert.equal(linear.test(text), native.test(text), `${pattern} on ${text}`)
  }
})

const letters = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '^', '$', '\\b', '\\B')
const { pattern: any_pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  part: fc.oneof(
    { weight: 4, arbitrary: letters },
    { weight: 2, arbitrary: tie('pattern').map((inner) => `(?:${inner})`) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}?', '{2,}'))
        .map(([inner, count]) => `(?:${inner})${count}`),
    },
  ),
  pattern: fc.oneof(
    fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
    fc.tuple(tie('part'), tie('part')).map(([one, other]) => `${one}|${other}`),
  ),
}))

test('it matches what V8 matches, in patterns nobody writes', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', ' ', '_', '\n'), { maxLength: 8 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(any_pattern, fc.array(text, { minLength: 1, maxLength: 5 }), (pattern, texts) => {
      const [linear, native] = [new LinearPattern(pattern), new RegExp(pattern, 'u')]
      for (const one of texts) assert.equal(linear.test(one), native.test(one), `/${pattern}/ on "${one}"`)
    }),
    { numRuns: 500 },
  )
})

test('each character of a text is processed once, whatever the pattern', () => {
  for (const pattern of ['^a*[ab]{0,99}c0', '(a+)+$', '^(a|aa)+$', '^a{0,200}a{0,200}b', '^(?:a|.){0,40}c']) {
    const taken = (chars: number) => {
      let looks = 0
      const text = 'a'.repeat(chars)
      const counted = {
        *[Symbol.iterator]() {
          for (const char of text) {
            looks++
            yield char
          }
          yield '!'
        },
      }
      assert.equal(new LinearPattern(pattern).test(counted as unknown as string), false, pattern)
      return looks
    }
    assert.equal(taken(100_000), 100_000, pattern)
  }
})

test('patterns that are not linear, or expand too far, are refused', () => {
  for (const pattern of ['^(?=a)a$', '^(?!a)', '(?<=a)b', '(?<!a)b', '^(.)\\1$', '^(?<n>a)\\k<n>$', '(?i:a)'])
    assert.throws(() => new LinearPattern(pattern), SyntaxError, pattern)
  for (const pattern of ['a{5000}', '((a{90}){90}){90}', 'a{1,99999}', '(?:){0,99999999}'])
    assert.throws(() => new LinearPattern(pattern), RangeError, pattern)
  assert.ok(new LinearPattern('^(?:){99999999}$').test(''))
  for (const pattern of ['(', 'a)', '{', '[b-a]'])
    assert.throws(() => new LinearPattern(pattern), SyntaxError)
})

test('a repeated class is compiled once', (t) => {
  let made = 0
  const counting = new Proxy(RegExp, {
    construct(target, args) {
      made++
      return Reflect.construct(target, args)
    },
  })
  t.mock.property(globalThis, 'RegExp', counting)
  assert.ok(new LinearPattern(`^[${'a'.repeat(1_000)}]{4000}$`).test('a'.repeat(4_000)))
  assert.equal(made, 1)
})

test('the transition cache of all patterns together is bounded', () => {
  const text = Array.from({ length: 20_000 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
  const before = heapUsed()
  const patterns = Array.from({ length: 80 }, (_, i) => new LinearPattern(`^[^!]*!${i}`))
  for (const pattern of patterns) assert.equal(pattern.test(text), false)
  const grown = heapUsed() - before
  assert.ok(patterns.length === 80 && grown < 30 * 2 ** 20, `${grown} bytes are kept`)
})

function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
