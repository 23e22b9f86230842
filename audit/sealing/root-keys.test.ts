import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import test from 'node:test'
import { openInput, openTurn, sealInput, turnSealer } from '../inputs/retained-input.ts'
import { envelope_bytes, envelopeVersion, RootKeys } from './root-keys.ts'
import { deriveKey, seal } from './seal.ts'

const index_key = Buffer.alloc(32, 9)
const first = Buffer.alloc(32, 1)
const second = Buffer.alloc(32, 2)
const before = new Map([[1, first]])
const both = new Map([...before, [2, second]])

test('new seals use the current version, and older ones open while their root key is held', () => {
  const keys = new RootKeys({ current: 1, keys: before, index_key })
  const old = keys.seal('purpose', 'text', 'name')
  keys.learn({ current: 2, keys: both, index_key })
  const renewed = keys.seal('purpose', 'text', 'name')
  assert.deepEqual([envelopeVersion(old), envelopeVersion(renewed)], [1, 2])
  for (const sealed of [old, renewed]) assert.equal(keys.open('purpose', sealed, 'name').toString(), 'text')
  keys.learn({ current: 2, keys: new Map([[2, second]]), index_key })
  assert.throws(() => keys.open('purpose', old, 'name'), /root key 1 is not known here/)
  assert.equal(keys.open('purpose', renewed, 'name').toString(), 'text')
})

test('a renewed envelope opens the same content in the same place only', () => {
  const keys = new RootKeys({ current: 1, keys: before, index_key })
  const old = keys.seal('purpose', 'text', 'name')
  keys.learn({ current: 2, keys: both, index_key })
  const renewed = Buffer.concat([keys.wrap(keys.unwrap(old)), old.subarray(envelope_bytes)])
  assert.equal(keys.open('purpose', renewed, 'name').toString(), 'text')
  assert.throws(() => keys.open('purpose', renewed, 'other'), /does not open/)
  assert.throws(() => keys.open('other', renewed, 'name'), /does not open/)
  const other = keys.seal('purpose', 'text', 'name')
  const mixed = Buffer.concat([other.subarray(0, envelope_bytes), renewed.subarray(envelope_bytes)])
  assert.throws(() => keys.open('purpose', mixed, 'name'), /does not open/)
})

test('every bent byte, another version and another root key are refused', () => {
  const keys = new RootKeys({ current: 2, keys: both, index_key })
  const sealed = keys.seal('purpose', 'text', 'name')
  for (let at = 0; at < sealed.length; at++) {
    const bent = Buffer.from(sealed)
    bent[at]! ^= 1
    assert.throws(() => keys.open('purpose', bent, 'name'), Error, `byte ${at}`)
  }
  const as_first = Buffer.from(sealed)
  as_first.writeUInt16BE(1, 4)
  assert.throws(() => keys.open('purpose', as_first, 'name'), /does not open/)
  assert.throws(() => keys.open('purpose', sealed.subarray(0, 40), 'name'), /altered/)
})

test('what the master key sealed directly opens only where the installation is that old', () => {
  const master_key = randomBytes(32)
  const sealed = seal(deriveKey(master_key, 'purpose'), 'text', 'name')
  const upgraded = new RootKeys({ current: 1, keys: before, index_key, first_key: master_key })
  assert.equal(upgraded.open('purpose', sealed, 'name').toString(), 'text')
  assert.throws(() => upgraded.open('other', sealed, 'name'), /does not open/)
  const fresh = new RootKeys({ current: 1, keys: before, index_key })
  assert.throws(() => fresh.open('purpose', sealed, 'name'), /does not open/)
})

test('inputs of a turn share one box, retained ones have a key each', () => {
  const keys = new RootKeys({ current: 1, keys: before, index_key })
  const inputs = ['{"a":1}', '"é\\u0000"'].map((text, i) => ({
    tenant_id: 'acme',
    commitment: `c${i}`,
    text,
  }))
  const sealTurn = turnSealer(keys, 'journal-1')
  assert.deepEqual(openTurn(keys, 'journal-1', sealTurn(inputs)), inputs)
  assert.throws(() => openTurn(keys, 'journal-2', sealTurn(inputs)), /does not open/)
  const [one, other] = inputs.map((input) => sealInput(keys, input))
  assert.equal(openInput(keys, one!), inputs[0]!.text)
  assert.throws(() => openInput(keys, { ...one!, wrapped_key: other!.wrapped_key }), /does not open/)
  assert.throws(() => openInput(keys, { ...one!, tenant_id: 'rival' }), /does not open/)
  // The next turn after a renewal is sealed by the new root key.
  keys.learn({ current: 2, keys: both, index_key })
  const turn = sealTurn(inputs)
  assert.equal(envelopeVersion(turn), 2)
  assert.deepEqual(openTurn(keys, 'journal-1', turn), inputs)
})
