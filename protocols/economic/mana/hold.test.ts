import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, HoldInput, parseScope, scopeText } from './hold.ts'

const form = new RegExp((HoldInput.properties.scope as { pattern?: string }).pattern!)
const did = `did:oas:acme:agent:${'a'.repeat(64)}`
const envelope = 'envelope:5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'

test('a scope has one name, and an invalid one is refused before anything is frozen', () => {
  for (const scope of ['tenant', envelope, `agent:${did}`, 'protocol:MARKET']) {
    assert.match(scope, form)
    assert.equal(scopeText(parseScope(scope)), scope)
  }
  assert.equal(scopeText(parseScope('protocol:market')), 'protocol:MARKET')
  const wrong = [
    '',
    'tenants',
    'tenant:acme',
    'envelope:x',
    `agent:${did} `,
    did,
    'protocol:',
    'protocol:A B',
    `x${envelope}`,
  ]
  for (const scope of wrong) assert.doesNotMatch(scope, form)
})

test('a past time releases, and an invalid or distant one is refused', () => {
  const now = '2026-11-15T10:00:00.000Z'
  assert.equal(endOf('2026-11-15T10:00:00Z', now), undefined)
  assert.equal(endOf('0001-01-01T00:00:00Z', now), undefined)
  assert.deepEqual(endOf('2026-11-15T10:00:00.001Z', now), new Date('2026-11-15T10:00:00.001Z'))
  for (const until of ['2027-02-13T10:00:00.001Z', '2026-11-31T10:00:00Z', '2027-02-30T00:00:00Z'])
    assert.throws(() => endOf(until, now), { code: 'invalid_payload' })
})
