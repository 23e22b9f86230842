import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimLines, readClaims } from './claims-text.ts'

test('lines are read as claims, a repeated name has several texts, and both ways agree', () => {
  const claims = {
    sub: ['repo:acme/app:ref=main', 'b'],
    '/kubernetes.io/namespace': ['prod'],
    __proto__x: ['y'],
  }
  const lines = claimLines(claims)
  assert.equal(lines[0], 'sub=repo:acme/app:ref=main')
  assert.deepEqual(readClaims(lines.join('\n')), claims)
  assert.deepEqual(readClaims('\n  sub = a \r\nsub=b\n'), { sub: ['a', 'b'] })
})

test('a line without name or text, or none at all, is nothing', () => {
  for (const text of ['', ' \n', 'sub', '=a', 'sub=', 'sub=a\nrepository'])
    assert.equal(readClaims(text), undefined, text)
})
