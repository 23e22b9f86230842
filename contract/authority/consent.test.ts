import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isCaveatSatisfied, isKnownCaveat } from './caveat.ts'
import { parseConsent } from './consent.ts'

const did = `did:oas:acme:human-root:${'a'.repeat(64)}`
const hour_ms = 3_600_000

test('a consent names roles, people and DIDs, how many of them, and for how long', () => {
  assert.deepEqual(parseConsent('role:finance'), {
    count: 1,
    roles: ['finance'],
    dids: [],
    users: [],
    decide_ms: 24 * hour_ms,
    use_ms: hour_ms,
  })
  assert.deepEqual(parseConsent(`2 of anna,${did},role:auditor within 4h use 30m`), {
    count: 2,
    roles: ['auditor'],
    dids: [did],
    users: ['anna'],
    decide_ms: 4 * hour_ms,
    use_ms: hour_ms / 2,
  })
})

test('what nobody could satisfy, or could be read in two ways, is no consent', () => {
  const wrong = [
    '',
    'role:',
    'Role:finance',
    'anna,',
    'anna,anna',
    'anna, bob',
    '2 of anna',
    '9 of role:finance',
    '0 of role:finance',
    'anna within 31d',
    'anna use 1h within 2h',
    'anna within 4',
    'an\u202ena',
    ' anna',
    `${'a,'.repeat(600)}b`,
  ]
  for (const text of wrong) assert.equal(parseConsent(text), undefined, text)
})

test('an approval caveat is satisfied only where consent is asked for afterwards', () => {
  const now = new Date(0)
  assert.ok(isKnownCaveat('approval:role:finance'))
  assert.ok(!isKnownCaveat('approval:2 of anna'))
  assert.ok(!isCaveatSatisfied('approval:role:finance', { now }))
  assert.ok(isCaveatSatisfied('approval:role:finance', { now, approval_follows: true }))
  assert.ok(!isCaveatSatisfied('approval:', { now, approval_follows: true }))
})

test('any text is a consent that enough people can give, or none', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const consent = parseConsent(text)
      if (consent)
        assert.ok(consent.roles.length > 0 || consent.dids.length + consent.users.length >= consent.count)
    }),
  )
})
