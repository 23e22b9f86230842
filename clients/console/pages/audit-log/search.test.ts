import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOf, readPlace } from '../../shell/address.ts'
import { nextOf, outcomes, queryOf, questionOf, search_fields, searchOf, storedIn } from './search.ts'

const nothing = searchOf({})

test('the newest come first, unless the oldest are requested', () => {
  assert.deepEqual(questionOf(nothing, undefined), { limit: 50, before_seq: Number.MAX_SAFE_INTEGER })
  assert.deepEqual(questionOf(nothing, 51), { limit: 50, before_seq: 51 })
  assert.deepEqual(questionOf({ ...nothing, seq: '7' }, undefined), { limit: 50, before_seq: 8 })
  assert.deepEqual(questionOf({ ...nothing, order: 'oldest' }, undefined), { limit: 50, after_seq: 0 })
  assert.deepEqual(questionOf({ ...nothing, order: 'oldest', seq: '7' }, undefined), {
    limit: 50,
    after_seq: 6,
  })
})

test('every field narrows; times are read as UTC, and an invalid outcome is ignored', () => {
  const question = questionOf(
    {
      ...nothing,
      event_type: 'Error, custom.x',
      protocol: ' MAX ',
      outcome: 'perhaps',
      from: '2026-11-16T10:00',
      to: '2026-11-16T10:00:30',
    },
    undefined,
  )
  assert.deepEqual(question, {
    limit: 50,
    protocol: 'MAX',
    event_type: ['Error', 'custom.x'],
    from: '2026-11-16T10:00:00Z',
    to: '2026-11-16T10:00:30Z',
    before_seq: Number.MAX_SAFE_INTEGER,
  })
  assert.equal(questionOf({ ...nothing, outcome: 'refused' }, undefined).outcome, 'refused')
})

test('a search written to the address is read back', () => {
  const word = fc.string({ maxLength: 12 }).filter((text) => text === '' || text.trim() !== '')
  const search = fc.record(Object.fromEntries(search_fields.map((field) => [field, word])))
  fc.assert(
    fc.property(search, (made) => {
      const typed = searchOf(made as Record<string, string>)
      assert.deepEqual(searchOf(readPlace(hashOf('audit-log', ['records'], queryOf(typed))).query), typed)
    }),
  )
})

test('a list ends after the first record was shown', () => {
  const page = { records: [], head: '' }
  assert.equal(nextOf({ ...page, next_before_seq: 12 }), 12)
  assert.equal(nextOf({ ...page, next_before_seq: 1 }), undefined)
  assert.equal(nextOf({ ...page, next_after_seq: 12 }), 12)
  assert.equal(nextOf(page), undefined)
})

test('a search stored as a view is read back, and asks the engine for the same', () => {
  const { filtersOf, queryOf: queryFrom } = storedIn('requests')
  const word = fc.option(fc.stringMatching(/^[A-Za-z._]{1,12}$/), { nil: '' })
  const search = fc.record({
    protocol: word,
    operation: word,
    correlation_id: word,
    caller_did: word,
    event_type: fc
      .array(fc.stringMatching(/^[a-z.]{1,8}$/), { maxLength: 3 })
      .map((names) => names.join(' ')),
    outcome: fc.constantFrom('', ...outcomes),
    from: fc.constantFrom('', '2026-11-16T10:00:00Z'),
    to: fc.constantFrom('', '2026-11-17T10:00:00.000Z'),
    order: fc.constantFrom('', 'oldest'),
    seq: fc.option(fc.integer({ min: 2, max: 1e12 }).map(String), { nil: '' }),
  })
  fc.assert(
    fc.property(search, (made) => {
      const query = queryOf(searchOf(made))
      assert.deepEqual(queryFrom(filtersOf(query)), query)
      assert.deepEqual({ ...filtersOf(query), limit: 50 }, questionOf(searchOf(query), undefined))
    }),
  )
})
