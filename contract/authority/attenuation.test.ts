import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { attenuate, confine, earlier, isWithin } from './attenuation.ts'
import { type AgentCapability, covers, global_wildcard } from './capability.ts'

const limits = { max_per_hour: 10 }
const source: AgentCapability = {
  name: 'svc.mind.*',
  expires_at: '2027-01-01T00:00:00Z',
  limits,
  caveats: ['time:09-17'],
}

test('missing caveats, limits and expiry are inherited from the source, and reported', () => {
  assert.deepEqual(attenuate({ name: 'svc.mind.recall_memory', caveats: [] }, [source]), {
    capability: { ...source, name: 'svc.mind.recall_memory' },
    attenuated: true,
  })
  const whole = { ...source, name: 'svc.mind.recall_memory', limits: { max_per_hour: 5, max_tokens: 9 } }
  assert.deepEqual(attenuate(whole, [source]), { capability: whole, attenuated: false })
})

test('a request for more in name, time or limits is not delegated', () => {
  const requested = { name: 'svc.mind.recall_memory', caveats: [] }
  for (const more of [
    { name: 'svc.mine.recall_memory' },
    { name: global_wildcard },
    { name: 'svc.*' },
    { expires_at: '2027-01-01T00:00:01Z' },
    { expires_at: 'never' },
    { limits: { max_per_hour: 11 } },
  ]) {
    assert.equal(attenuate({ ...requested, ...more }, [source]), undefined, JSON.stringify(more))
  }
  assert.equal(
    attenuate({ name: global_wildcard, caveats: [] }, [{ name: global_wildcard, caveats: [] }]),
    undefined,
    'the global wildcard is never delegated, even by its holder',
  )
})

test('of several sources the one that restricts least is used', () => {
  const free = { name: 'svc.*.*', caveats: [] }
  const requested = { name: 'svc.mind.recall_memory', caveats: [] }
  assert.deepEqual(attenuate(requested, [source, free]), { capability: requested, attenuated: false })
})

test('a delegated capability shrinks with its source and never grows with it', () => {
  const delegated = {
    name: 'svc.mind.a',
    limits: { max_per_hour: 8, max_tokens: 5 },
    caveats: ['jurisdiction:CH'],
  }
  assert.deepEqual(confine(delegated, { ...source, limits: { max_per_hour: 3 } }), {
    name: 'svc.mind.a',
    expires_at: source.expires_at,
    limits: { max_per_hour: 3, max_tokens: 5 },
    caveats: ['jurisdiction:CH', 'time:09-17'],
  })
  assert.deepEqual(confine(delegated, { name: 'svc.*.*', caveats: [] }), delegated)
  assert.equal(confine(delegated, { name: 'svc.mine.*', caveats: [] }), undefined)
  // A caveat that both have is not repeated.
  assert.deepEqual(confine(delegated, { name: 'svc.*.*', caveats: delegated.caveats }), delegated)
})

test('an invalid expiry is not replaced by a valid one', () => {
  assert.equal(earlier('never', '2027-01-01T00:00:00Z'), 'never')
  assert.equal(earlier('2027-01-01T00:00:00Z', 'never'), 'never')
  assert.equal(earlier(undefined, '2027-01-01T00:00:00Z'), '2027-01-01T00:00:00Z')
  assert.equal(earlier('2027-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'), '2027-01-01T00:00:00Z')
  assert.equal(earlier('2027-01-01T00:00:00.5Z', '2027-01-01T00:00:00Z'), '2027-01-01T00:00:00Z')
})

const name = fc.constantFrom(
  'svc.mind.*',
  'svc.mind.a',
  'svc.mind.b',
  'svc.max.a',
  'svc.*.*',
  'svc.*',
  'svc.*.a',
)
const end = fc.integer({ min: 0, max: 3 }).map((day) => `2027-01-0${day + 1}T00:00:00Z`)
const limit = fc.option(fc.nat({ max: 3 }), { nil: undefined })
const capability: fc.Arbitrary<AgentCapability> = fc
  .record({
    name,
    expires_at: fc.option(end, { nil: undefined }),
    limits: fc.option(fc.record({ max_per_hour: limit, max_tokens: limit }), { nil: undefined }),
    caveats: fc.uniqueArray(fc.constantFrom('time:09-17', 'jurisdiction:CH', 'weekly_budget:1')),
  })
  // As in JSON: an absent value has no key.
  .map((drawn) => JSON.parse(JSON.stringify(drawn)))

/** Whether `other` allows every call that `one` allows: written from the rule, not from the code. */
function allowsNoMore(one: AgentCapability, other: AgentCapability): boolean {
  const infinite = Number.POSITIVE_INFINITY
  const ends = (granted: AgentCapability) => (granted.expires_at ? Date.parse(granted.expires_at) : infinite)
  return (
    covers(other.name, one.name) &&
    ends(one) <= ends(other) &&
    (['max_per_call_bps', 'max_per_hour', 'max_tokens'] as const).every(
      (kind) => (one.limits?.[kind] ?? infinite) <= (other.limits?.[kind] ?? infinite),
    ) &&
    other.caveats.every((caveat) => one.caveats.includes(caveat))
  )
}

test('no delegated or confined capability exceeds its source', (t) => {
  let delegated_count = 0
  fc.assert(
    fc.property(capability, fc.array(capability, { maxLength: 3 }), (requested, sources) => {
      const delegated = attenuate(requested, sources)
      if (delegated) {
        delegated_count++
        assert.ok(sources.some((source) => allowsNoMore(delegated.capability, source)))
        assert.ok(allowsNoMore(delegated.capability, requested) && isWithin(delegated.capability, sources))
        assert.equal(delegated.attenuated, !isWithin(requested, sources))
      }
      for (const source of sources) {
        const left = confine(requested, source)
        if (left) assert.ok(allowsNoMore(left, source) && allowsNoMore(left, requested))
        else assert.ok(!covers(source.name, requested.name))
      }
      assert.equal(
        isWithin(requested, sources),
        sources.some((source) => allowsNoMore(requested, source)),
      )
    }),
    { numRuns: 5_000 },
  )
  assert.ok(delegated_count > 500, `only ${delegated_count} were delegated`)
  t.diagnostic(`${delegated_count} of 5000 delegated`)
})

test('coverage is a partial order that excludes `svc.*` and `svc.*.read`', () => {
  const names = [
    'svc.mind.*',
    'svc.mind.a',
    'svc.mind.a.b',
    'svc.max.a',
    'svc.max.*',
    'svc.max.pre-release',
    'svc.*.*',
  ]
  for (const a of names) {
    assert.ok(covers(a, a), `${a} covers itself`)
    for (const b of names) {
      if (a !== b) assert.ok(!(covers(a, b) && covers(b, a)), `${a} and ${b} cover each other`)
      for (const c of names) if (covers(a, b) && covers(b, c)) assert.ok(covers(a, c), `${a} ${b} ${c}`)
    }
    for (const outside of ['svc.*', 'svc.*.read']) {
      assert.ok(!covers(outside, a) && !covers(a, outside) && !covers(outside, outside))
    }
  }
})
