import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isMoment } from './moment.ts'

test('a well-formed date may not exist', () => {
  for (const moment of ['2026-11-15T10:00:00Z', '2024-02-29T23:59:59.999999999Z', '0001-01-01T00:00:00Z'])
    assert.ok(isMoment(moment), moment)
  for (const nothing of ['2026-02-29T00:00:00Z', '2026-11-31T10:00:00Z', '0000-01-01T00:00:00Z', 'today', ''])
    assert.ok(!isMoment(nothing), nothing)
})
