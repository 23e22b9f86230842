import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { deriveKey, open, seal } from './seal.ts'

const root_key = Buffer.alloc(32, 1)
const other_key = Buffer.alloc(32, 2)

test('a sealed value opens under the same key and name, and under nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(), (plain, at) => {
      const key = deriveKey(root_key, 'a')
      const sealed = seal(key, plain, 'the thing')
      assert.deepEqual(Uint8Array.from(open(key, sealed, 'the thing')), plain)
      assert.throws(() => open(key, sealed, 'another thing'), /does not open/)
      assert.throws(() => open(deriveKey(root_key, 'b'), sealed, 'the thing'), /does not open/)
      assert.throws(() => open(deriveKey(other_key, 'a'), sealed, 'the thing'), /does not open/)
      const bent = Buffer.from(sealed)
      bent[at % bent.length]! ^= 1
      assert.throws(() => open(key, bent, 'the thing'), /does not open/)
      assert.throws(() => open(key, sealed.subarray(0, 20), 'the thing'), /cut short/)
    }),
  )
})

test('equal contents do not look equal, and a key of another length is refused', () => {
  const key = deriveKey(root_key, 'a')
  assert.notDeepEqual(seal(key, 'x', 'n'), seal(key, 'x', 'n'))
  assert.throws(() => deriveKey(Buffer.alloc(16), 'a'), /must have 32/)
})
