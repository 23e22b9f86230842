import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareVersions, isPreRelease, parseMajor, parseVersion } from './semver.ts'

const ascending = [
  'v0.9.9',
  'v1.0.0-1',
  'v1.0.0-2',
  'v1.0.0-10',
  'v1.0.0-alpha',
  'v1.0.0-alpha.1',
  'v1.0.0-alpha.beta',
  'v1.0.0-beta',
  'v1.0.0-beta.2',
  'v1.0.0-beta.11',
  'v1.0.0-rc.1',
  'v1.0.0',
  'v1.0.1',
  'v1.2.0',
  'v1.10.0',
  'v2.0.0',
  'v10.0.0',
]

test('precedence is that of semantic versioning, pre-releases included', () => {
  const versions = ascending.map((text) => parseVersion(text)!)
  for (const [i, a] of versions.entries()) {
    for (const [j, b] of versions.entries()) {
      assert.equal(
        Math.sign(compareVersions(a, b)),
        Math.sign(i - j),
        `${ascending[i]} against ${ascending[j]}`,
      )
    }
  }
})

test('an incomplete version is refused', () => {
  const wrong = [
    '',
    'v',
    '1',
    'v1',
    'v1.0',
    'v1.0.0.0',
    'v1.0.0-',
    'v1.0.0-a..b',
    'v1.0.0 ',
    ' v1.0.0',
    'V1.0.0',
  ]
  for (const text of [...wrong, 'v1.0.0-é', 'v-1.0.0', 'v1.0.x', 'v1234567.0.0', 'latest']) {
    assert.equal(parseVersion(text), undefined, text)
  }
  assert.deepEqual(parseVersion('1.2.3'), parseVersion('v1.2.3'))
})

test('a major is a number alone', () => {
  assert.equal(parseMajor('v1'), 1)
  assert.equal(parseMajor('12'), 12)
  for (const text of ['', 'v', 'v1.0', 'v1.0.0', 'vv1', 'v1 ', 'v1234567']) {
    assert.equal(parseMajor(text), undefined, text)
  }
})

const identifier = fc.oneof(
  fc.nat(30).map(String),
  fc.string({ unit: fc.constantFrom('a', 'b', 'Z', '-', '0'), minLength: 1, maxLength: 3 }),
)
const version = fc.record({
  numbers: fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)),
  pre: fc.array(identifier, { maxLength: 3 }),
})

test('versions are totally ordered, and a release is above its own pre-releases', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      assert.equal(Math.sign(compareVersions(a, b)), -Math.sign(compareVersions(b, a)) + 0)
      if (compareVersions(a, b) <= 0 && compareVersions(b, c) <= 0) assert.ok(compareVersions(a, c) <= 0)
      const release = { ...a, pre: [] }
      assert.equal(compareVersions(a, release) < 0, isPreRelease(a))
    }),
    { numRuns: 2000 },
  )
})

test('a written version parses to the same', () => {
  fc.assert(
    fc.property(version, ({ numbers, pre }) => {
      const text = `v${numbers.join('.')}${pre.length ? `-${pre.join('.')}` : ''}`
      assert.deepEqual(parseVersion(text), { numbers, pre })
    }),
  )
})
