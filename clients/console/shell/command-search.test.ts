import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idTargets, matching } from './command-search.ts'

const texts = [
  'Audit log: every decision; search audit log records',
  'MAX audit_query svc.max.audit_query',
  'Costs',
]

test('words are matched by their beginnings, in any order', () => {
  assert.deepEqual(
    matching(texts, 'search audit log', (text) => text),
    [texts[0]],
  )
  assert.deepEqual(
    matching(texts, 'log audit', (text) => text),
    [texts[0]],
  )
  assert.deepEqual(
    matching(texts, 'max quer', (text) => text),
    [texts[1]],
  )
  assert.deepEqual(
    matching(texts, '  ', (text) => text),
    texts,
  )
  assert.deepEqual(
    matching(texts, 'zebra', (text) => text),
    [],
  )
})

test('an id leads to its thing by its form', () => {
  assert.deepEqual(
    idTargets('0b1c2d3e-0000-4000-8000-000000000000').map(({ href }) => href.split('/')[1]),
    ['requests', 'audit-log'],
  )
  assert.equal(idTargets(' 42 ')[0]?.href, '#/audit-log/records/42')
  assert.match(idTargets('did:oas:acme:agent:00')[0]?.href ?? '', /^#\/access\/agents\//)
  assert.deepEqual(idTargets('hello'), [])
})
