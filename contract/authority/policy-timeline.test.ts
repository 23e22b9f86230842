import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  lastPolicySet,
  momentsFrom,
  type PolicyVersion,
  policySetAt,
  policyStateAt,
} from './policy-timeline.ts'

function versionOf(
  policy_id: string,
  ordinal: number,
  active_from_ms: number,
  retires = false,
): PolicyVersion {
  const version = `${ordinal}.0.0`
  return {
    policy_id,
    version,
    ordinal,
    body: version,
    digest: `${policy_id}@${version}`,
    retires,
    active_from_ms,
  }
}

test('a version is planned, in force, and then replaced or retired', () => {
  const versions = [versionOf('p', 1, 10), versionOf('p', 2, 20), versionOf('p', 3, 30, true)]
  const states = (at_ms: number) => versions.map((version) => policyStateAt(version, versions, at_ms))
  assert.deepEqual(states(9), ['SCHEDULED', 'SCHEDULED', 'SCHEDULED'])
  assert.deepEqual(states(10), ['ACTIVE', 'SCHEDULED', 'SCHEDULED'])
  assert.deepEqual(states(20), ['SUPERSEDED', 'ACTIVE', 'SCHEDULED'])
  assert.deepEqual(states(30), ['SUPERSEDED', 'RETIRED', 'RETIRED'])
})

test('a version replaced while still planned never comes into force', () => {
  const versions = [versionOf('p', 1, 50), versionOf('p', 2, 20)]
  assert.equal(policyStateAt(versions[0]!, versions, 50), 'SUPERSEDED')
  assert.deepEqual(policySetAt(versions, 60).policies, [{ policy_id: 'p', version: '2.0.0', body: '2.0.0' }])
})

const timelines = fc
  .array(
    fc.record({ policy: fc.constantFrom('a', 'b', 'c'), at: fc.nat({ max: 20 }), retires: fc.boolean() }),
    { maxLength: 12 },
  )
  .map((made) =>
    made.map(({ policy, at, retires }, index) => {
      const before = made.slice(0, index).filter((other) => other.policy === policy).length
      return versionOf(policy, before + 1, at, retires && before > 0)
    }),
  )

test('a set holds exactly the ACTIVE versions, in whatever order they are read', () => {
  fc.assert(
    fc.property(timelines, fc.nat({ max: 25 }), (versions, at_ms) => {
      const active = versions.filter(
        (version) =>
          policyStateAt(
            version,
            versions.filter(({ policy_id }) => policy_id === version.policy_id),
            at_ms,
          ) === 'ACTIVE',
      )
      const set = policySetAt(versions, at_ms)
      const names = set.policies.map(({ policy_id, version }) => `${policy_id}@${version}`)
      assert.deepEqual(names.toSorted(), active.map(({ digest }) => digest).toSorted())
      assert.deepEqual(policySetAt(versions.toReversed(), at_ms), set)
      // Between two of these times nothing changes, nor after the last one.
      const moments = momentsFrom(versions, at_ms)
      const next = moments[1] ?? 1_000
      assert.equal(policySetAt(versions, next - 1).set_digest, set.set_digest)
      assert.deepEqual(policySetAt(versions, moments.at(-1)!), lastPolicySet(versions))
    }),
  )
})

test('two sets share a digest only where they are equal', () => {
  fc.assert(
    fc.property(timelines, timelines, (one, other) => {
      const [a, b] = [lastPolicySet(one), lastPolicySet(other)]
      const texts = ({ policies }: typeof a) => JSON.stringify(policies)
      assert.equal(a.set_digest === b.set_digest, texts(a) === texts(b))
    }),
  )
})
