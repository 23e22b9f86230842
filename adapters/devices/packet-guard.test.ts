import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { packetCounter } from './packet-guard.ts'

function packet(length: number): Buffer {
  const header = [0x30]
  let rest = length
  do {
    header.push((rest % 128) | (rest >= 128 ? 0x80 : 0))
    rest = Math.floor(rest / 128)
  } while (rest > 0)
  return Buffer.concat([Buffer.from(header), Buffer.alloc(length, 0xff)])
}

test('packets pass up to their limit, however they are cut into chunks; the first larger one does not', () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 10 }), cuts, (lengths, sizes) => {
      const stream = Buffer.concat(lengths.map(packet))
      const passes = packetCounter(300)
      let all = true
      for (let at = 0, turn = 0; at < stream.length && all; turn++) {
        const size = sizes[turn % sizes.length]!
        all = passes(stream.subarray(at, at + size))
        at += size
      }
      assert.equal(all, Math.max(0, ...lengths) <= 300)
    }),
  )
})

test('a length without an end is invalid', () => {
  assert.equal(packetCounter(1e9)(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff])), false)
})
