import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { unresolved } from '../identity/identity.ts'
import { holdsRole, isConsented, isKin, kinOf } from './approval.ts'

const person = (name: string) => `did:oas:acme:human-root:${name.repeat(64)}`
const agent = (name: string) => `did:oas:acme:agent:${name.repeat(64)}`

test('an identity is kin of its root, of what its root derived, and of its creator', () => {
  const root = unresolved(person('a'))
  const child = { ...unresolved(agent('b')), human_root_did: root.did }
  const sibling = { ...unresolved(agent('c')), human_root_did: root.did }
  const stranger = unresolved(person('d'))
  assert.ok(isKin(kinOf(root), kinOf(child)))
  assert.ok(isKin(kinOf(child), kinOf(sibling)))
  assert.ok(!isKin(kinOf(child), kinOf(stranger)))
  assert.ok(isKin(kinOf(root), kinOf({ ...unresolved(agent('e')), creator_did: root.did })))
})

test('a role is the capability of that name: no wildcard, not expired, its caveats satisfied', () => {
  const now = new Date('2026-11-15T10:00:00Z')
  const hold = (name: string, more = {}) => holdsRole([{ name, caveats: [], ...more }], 'finance', now)
  assert.ok(hold('svc.role.finance'))
  assert.ok(!hold('svc.*.*'))
  assert.ok(!hold('svc.role.*'))
  assert.ok(!hold('svc.role.auditor'))
  assert.ok(!hold('svc.role.finance', { expires_at: '2026-11-15T10:00:00Z' }))
  assert.ok(hold('svc.role.finance', { caveats: ['time:09-17'] }))
  assert.ok(!hold('svc.role.finance', { caveats: ['time:11-17'] }))
  assert.ok(!hold('svc.role.finance', { caveats: ['approval:anna'] }))
})

test('each demand counts its people once, however many identities of one root consent', () => {
  const consenting = (root: string, ...counts_for: number[]) => ({
    did: agent(root),
    kin: [agent(root), person(root)],
    counts_for,
  })
  const twins = [
    consenting('a', 0),
    { ...consenting('a', 0), did: agent('b'), kin: [agent('b'), person('a')] },
  ]
  assert.ok(!isConsented([{ count: 2 }], twins))
  assert.ok(isConsented([{ count: 2 }], [consenting('a', 0), consenting('b', 0)]))
  assert.ok(!isConsented([{ count: 1 }, { count: 1 }], [consenting('a', 0)]))
  assert.ok(isConsented([{ count: 1 }, { count: 1 }], [consenting('a', 0, 1)]))
})

test('more consent never takes consent away, and no demand is met by fewer people than it names', () => {
  const one = fc.record({
    root: fc.constantFrom('a', 'b', 'c', 'd'),
    counts_for: fc.uniqueArray(fc.nat(2)),
  })
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
      fc.array(one),
      (counts, given_by) => {
        const demands = counts.map((count) => ({ count }))
        const people = given_by.map(({ root, counts_for }) => ({
          did: agent(root),
          kin: [person(root)],
          counts_for,
        }))
        const is_met = isConsented(demands, people)
        if (is_met) assert.ok(isConsented(demands, [...people, ...people.slice(0, 1)]))
        const roots = new Set(given_by.map(({ root }) => root))
        if (counts.some((count) => count > roots.size)) assert.ok(!is_met)
      },
    ),
  )
})
