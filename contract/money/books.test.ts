import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Envelope, empty_books, envelopeOf } from './books.ts'

const envelope = (envelope_id: string, ...members: string[]): Envelope => ({
  envelope_id,
  department: envelope_id,
  created_ms: 0,
  day_limit_micro_usd: 0n,
  month_limit_micro_usd: 0n,
  members: new Set(members),
  granted: [],
  throttles: [],
})

test('spending counts against the envelope named, else the oldest of the caller', () => {
  const [old, other, recent] = [envelope('old', 'a'), envelope('other', 'b'), envelope('recent', 'a', 'b')]
  const books = { ...empty_books, envelopes: [old, other, recent] }
  assert.equal(envelopeOf(books, 'a'), old)
  assert.equal(envelopeOf(books, 'a', 'recent'), recent)
  assert.equal(envelopeOf(books, 'b'), other)
  // Another's envelope, or one that does not exist, is not chosen by naming it.
  assert.equal(envelopeOf(books, 'a', 'other'), old)
  assert.equal(envelopeOf(books, 'c', 'old'), undefined)
})

test('a new tenant owes nothing, holds nothing and is bound by nothing', () => {
  assert.deepEqual(empty_books, {
    rates: [],
    paid_in_micro_usd: 0n,
    credit_line_micro_usd: null,
    level: 'ample',
    envelopes: [],
    holds: [],
    standing: 'active',
    has_policies: false,
    roles: { holders: new Map(), changes: new Map() },
  })
})
