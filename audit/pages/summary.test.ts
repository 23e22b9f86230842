import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { correlationKey, hashKey, keysOf, keysWithin } from './summary.ts'

const far_page = 2 ** 40

const hexDigits = (length: number) =>
  fc
    .array(fc.constantFrom(...'0123456789abcdef'), { minLength: length, maxLength: length })
    .map((digits) => digits.join(''))

test('a record is found by its keys in any range with its page, and by integers of PostgreSQL', () => {
  const page = fc.oneof(
    fc.nat(5_000),
    fc.nat(300_000),
    fc.maxSafeNat().map((n) => n % far_page),
  )
  fc.assert(
    fc.property(
      page,
      fc.nat(),
      fc.nat(),
      hexDigits(32),
      hexDigits(64),
      (page, before, after, id, record_hash) => {
        const fields = {
          caller_did: 'did:oas:a',
          correlation_id: id,
          event_type: '',
          outcome: 'success',
          timestamp: '',
        } as const
        const stored = keysOf(page, [{ fields, record_hash }])
        const range = [Math.max(0, page - before), page + after] as const
        for (const [place, key] of [correlationKey(id), hashKey(record_hash)].entries()) {
          const keys = keysWithin([key], ...range)
          assert.ok(keys.includes(stored[place]!))
          assert.equal(new Set(keys).size, keys.length)
          assert.ok(keys.length <= 128 && keys.every((each) => each === (each | 0)))
        }
      },
    ),
  )
})

function inPage(page: number, hash: string): number {
  const [key] = keysWithin([hashKey(hash)], page, page)
  return key!
}

test('neighbouring pages store their keys near each other, whatever the ids and hashes are', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), fc.array(hexDigits(64), { minLength: 2 }), (group, hashes) => {
      const keys = hashes.map((hash, place) => inPage(group * 1024 + (place % 1024), hash))
      assert.ok(Math.max(...keys) - Math.min(...keys) < 2 ** 24)
    }),
  )
})
