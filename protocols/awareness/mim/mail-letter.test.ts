import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { Refusal } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { writeLetter } from './mail-letter.ts'
import { readReceipt, receiptFor } from './mail-receipt.ts'

const isReason = (reason: string) => (thrown: unknown) =>
  thrown instanceof Refusal && thrown.details.reason === reason

test('the size of a message is its JCS and headers, and exactly the limit is accepted', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  const headers = fc.record({ thread_id: text, ordering_key: text, dedupe_id: text }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.jsonValue(), headers, (body, letter_headers) => {
      const expected = [canonicalJson(body), ...Object.entries(letter_headers).flat()]
      const bytes = Buffer.byteLength(expected.join(''))
      const { size, text: sealed } = writeLetter({ body, ...letter_headers }, bytes)
      assert.equal(size, bytes)
      assert.equal(sealed, canonicalJson({ body, ...letter_headers }))
      assert.throws(() => writeLetter({ body, ...letter_headers }, bytes - 1), isReason('too_large'))
    }),
    { numRuns: 100 },
  )
})

test('a receipt is valid for its tenant and its delivery only', () => {
  const { vault } = openKeystore(testRootKeys(Buffer.alloc(32, 1)))
  const [acme, globex] = [vault('acme'), vault('globex')]
  const handed = { message_id: randomUUID(), attempt: 3 }
  const receipt = receiptFor(acme, handed)
  assert.deepEqual(readReceipt(acme, receipt), handed)
  assert.equal(readReceipt(globex, receipt), undefined)
  fc.assert(
    fc.property(
      fc.nat({ max: receipt.length - 1 }),
      fc.constantFrom(...'0123456789abcdef.'),
      (place, other) => {
        const forged = receipt.slice(0, place) + other + receipt.slice(place + 1)
        assert.equal(readReceipt(acme, forged) === undefined, forged !== receipt)
      },
    ),
    { numRuns: 100 },
  )
})
