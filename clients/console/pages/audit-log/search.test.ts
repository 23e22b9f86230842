import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOf, readPlace } from '../../shell/address.ts'
import { nextOf, queryOf, questionOf, search_fields, searchOf } from './search.ts'

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
