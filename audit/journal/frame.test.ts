import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { decodeFrame, encodeFrame, hasFrameAfter } from './frame.ts'

const lines = fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }).map((texts) => {
  return texts.map((text) => JSON.stringify({ text: text.toWellFormed() })).join('\n')
})

test('a frame reads back as it was written, at any position', () => {
  fc.assert(
    fc.property(lines, fc.option(fc.uint8Array({ minLength: 1 })), fc.nat(40), (text, sealed, before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), encodeFrame(text, sealed ?? undefined)])
      const frame = decodeFrame(bytes, before)
      assert.ok(typeof frame === 'object')
      assert.equal(frame.records, text)
      assert.equal(frame.end, bytes.length)
      assert.deepEqual(frame.sealed && Uint8Array.from(frame.sealed), sealed ?? undefined)
    }),
  )
})

test('a frame cut at any byte is short, never partly read', () => {
  const frame = encodeFrame('{"a":1}\n{"b":2}', Buffer.from('sealed'))
  for (let length = 0; length < frame.length; length++) {
    assert.equal(decodeFrame(frame.subarray(0, length), 0), 'short', `${length} bytes`)
  }
})

test('one changed bit anywhere is detected', () => {
  const frame = encodeFrame('{"a":1}\n{"b":2}', Buffer.from('sealed'))
  for (let bit = 0; bit < frame.length * 8; bit++) {
    const changed = Buffer.from(frame)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    assert.equal(typeof decodeFrame(changed, 0), 'string', `bit ${bit}`)
  }
})

test('a complete frame after a fault is found; a torn tail or zeros are none', () => {
  const first = encodeFrame('{"a":1}')
  const second = encodeFrame('{"b":2}')
  const damaged = Buffer.concat([first, second])
  damaged[14]! ^= 1
  assert.ok(hasFrameAfter(damaged, 0))
  assert.ok(!hasFrameAfter(Buffer.concat([first.subarray(0, -1)]), 0))
  assert.ok(!hasFrameAfter(Buffer.concat([first.subarray(0, 9), Buffer.alloc(5000)]), 0))
})

test('an oversized turn is refused before it is written', () => {
  assert.throws(() => encodeFrame('{}', Buffer.alloc(32 * 1024 * 1024)), RangeError)
})
