import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { body_format, openBodies, packBodies } from './bodies.ts'

test('a dictionary never changes: what was written with it could not be read again', () => {
  const dictionary = readFileSync(new URL('./dictionary-1.txt', import.meta.url))
  assert.equal(hash('sha256', dictionary), 'effa292fc825ae5e0c4f6a4b37c2714fe8de64ce0845d12d73c9738168f717f4')
})

test('bodies are opened as they were packed, and nothing else is', () => {
  const bodies = ['{"caller_did":"did:oas:acme"}', '', '{"meta":"é 世界"}']
  const bytes = packBodies(bodies)
  assert.deepEqual(openBodies(bytes, body_format, 256), bodies)
  assert.throws(() => openBodies(bytes, body_format + 1, 256), /cannot read audit pages of format 2/)
  assert.throws(() => openBodies(bytes.subarray(0, -3), body_format, 256))
  assert.throws(() => openBodies(Buffer.from('nothing'), body_format, 256))
})

test('bytes that become far more than their records may be are not opened', () => {
  const mebibytes = (count: number) => packBodies([' '.repeat(count * 1024 * 1024)])
  assert.equal(openBodies(mebibytes(2), body_format, 2).length, 1)
  assert.throws(() => openBodies(mebibytes(3), body_format, 2), { code: 'ERR_BUFFER_TOO_LARGE' })
})
