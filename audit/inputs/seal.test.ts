import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { openInput, openTurn, sealInput, turnSealer } from './retained-input.ts'
import { deriveKey, open, seal } from './seal.ts'

const master_key = Buffer.alloc(32, 1)
const other_key = Buffer.alloc(32, 2)

test('a sealed value opens under the same key and name, and under nothing else', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat(), (plain, at) => {
      const key = deriveKey(master_key, 'a')
      const sealed = seal(key, plain, 'the thing')
      assert.deepEqual(Uint8Array.from(open(key, sealed, 'the thing')), plain)
      assert.throws(() => open(key, sealed, 'another thing'), /does not open/)
      assert.throws(() => open(deriveKey(master_key, 'b'), sealed, 'the thing'), /does not open/)
      assert.throws(() => open(deriveKey(other_key, 'a'), sealed, 'the thing'), /does not open/)
      const bent = Buffer.from(sealed)
      bent[at % bent.length]! ^= 1
      assert.throws(() => open(key, bent, 'the thing'), /does not open/)
      assert.throws(() => open(key, sealed.subarray(0, 20), 'the thing'), /cut short/)
    }),
  )
})

test('equal contents do not look equal, and a master key of another length is refused', () => {
  const key = deriveKey(master_key, 'a')
  assert.notDeepEqual(seal(key, 'x', 'n'), seal(key, 'x', 'n'))
  assert.throws(() => deriveKey(Buffer.alloc(16), 'a'), /must have 32/)
})

test('inputs of a turn share one box, retained ones have a key each', () => {
  const inputs = ['{"a":1}', '"é\\u0000"'].map((text, i) => ({
    tenant_id: 'acme',
    commitment: `c${i}`,
    text,
  }))
  const sealTurn = turnSealer(master_key, 'journal-1')
  assert.deepEqual(openTurn(master_key, 'journal-1', sealTurn(inputs)), inputs)
  assert.throws(() => openTurn(master_key, 'journal-2', sealTurn(inputs)), /does not open/)
  const [first, second] = inputs.map((input) => sealInput(master_key, input))
  assert.equal(openInput(master_key, first!), inputs[0]!.text)
  assert.throws(() => openInput(master_key, { ...first!, wrapped_key: second!.wrapped_key }), /does not open/)
  assert.throws(() => openInput(master_key, { ...first!, tenant_id: 'rival' }), /does not open/)
})
