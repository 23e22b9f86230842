import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  allowsDepth,
  allowsKindOf,
  type DelegationRules,
  forbids,
  isLooser,
  needsChallenge,
} from './delegation-policy.ts'

test('a rule about a protocol applies to its operations, and the reverse', () => {
  for (const [rule, name, touched] of [
    ['svc.mind.*', 'svc.mind.a', true],
    ['svc.mind.a', 'svc.mind.*', true],
    ['svc.mind.a', 'svc.mind.a', true],
    ['svc.mind.a', 'svc.mind.b', false],
    ['svc.max.*', 'svc.mind.a', false],
  ] as const) {
    assert.equal(forbids({ never: [rule] }, name), touched)
    assert.equal(needsChallenge({ require_challenge: [rule] }, name), touched)
  }
})

const names = fc.uniqueArray(fc.constantFrom('svc.mind.*', 'svc.mind.a', 'svc.mind.b', 'svc.max.a'), {
  maxLength: 2,
})
const rules: fc.Arbitrary<DelegationRules> = fc
  .record(
    {
      max_depth: fc.nat({ max: 3 }),
      max_ttl_seconds: fc.integer({ min: 1, max: 3 }),
      never: names,
      require_challenge: names,
      allow_kinds: fc.uniqueArray(fc.constantFrom('Agent', 'Tool'), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  )
  .map((drawn) => JSON.parse(JSON.stringify(drawn)))

test('rules that are not looser allow nothing new', () => {
  let tightened = 0
  fc.assert(
    fc.property(rules, rules, (next, before) => {
      assert.equal(isLooser(before, before), false)
      if (isLooser(next, before)) return
      tightened++
      for (const name of ['svc.mind.*', 'svc.mind.a', 'svc.mind.b', 'svc.max.a', 'svc.max.*']) {
        if (!forbids(next, name)) assert.ok(!forbids(before, name), `${name} was forbidden`)
        if (!needsChallenge(next, name)) assert.ok(!needsChallenge(before, name), `${name} was guarded`)
      }
      for (const depth of [0, 1, 2, 3]) if (allowsDepth(next, depth)) assert.ok(allowsDepth(before, depth))
      for (const kind of ['agent', 'tool', 'robot']) {
        const did = `did:oas:dev:${kind}:${'0'.repeat(64)}`
        if (allowsKindOf(next, did)) assert.ok(allowsKindOf(before, did))
      }
      assert.ok((next.max_ttl_seconds ?? 9) <= (before.max_ttl_seconds ?? 9))
    }),
    { numRuns: 5_000 },
  )
  assert.ok(tightened > 200, `only ${tightened} were no looser`)
})
