import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCedar } from '@svc/adapters/policy/cedar'
import { type PolicyVersion, policyStateAt } from '@svc/contract/authority/policy-timeline'
import fc from 'fast-check'
import type { ListedVersion } from '../policies/policy-store.ts'
import { policyDetail, policyItem, stateOf } from './policy-list.ts'

const authored_by = `did:oas:acme:agent:${'a'.repeat(64)}`

/** As the database returns it: with the version that replaces it first. */
function listed(version: PolicyVersion, all: readonly PolicyVersion[]): ListedVersion {
  const [first] = all
    .filter(({ ordinal }) => ordinal > version.ordinal)
    .sort((a, b) => a.active_from_ms - b.active_from_ms || b.ordinal - a.ordinal)
  const next = first && {
    ordinal: first.ordinal,
    retires: first.retires,
    active_from: new Date(first.active_from_ms).toISOString(),
  }
  return {
    ...version,
    active_from: new Date(version.active_from_ms),
    characters: version.body.length,
    next: next ?? null,
    authored_by,
    authority: 'mace://verdict/x',
    rationale: null,
    authored_at: new Date(0),
    announced_at: null,
  }
}

const timeline = fc
  .array(fc.record({ active_from_ms: fc.nat({ max: 8 }), retires: fc.boolean() }), {
    minLength: 1,
    maxLength: 6,
  })
  .map((made) =>
    made.map(({ active_from_ms, retires }, place): PolicyVersion => {
      const version = `${place + 1}.0.0`
      return {
        policy_id: 'p',
        version,
        ordinal: place + 1,
        body: '',
        digest: version,
        retires,
        active_from_ms,
      }
    }),
  )

test('a listed version has the state that stage 4 uses', () => {
  fc.assert(
    fc.property(timeline, fc.nat({ max: 9 }), (versions, at_ms) => {
      for (const version of versions)
        assert.equal(stateOf(listed(version, versions), at_ms), policyStateAt(version, versions, at_ms))
    }),
  )
})

test('the text of one version is shown with its validation', () => {
  const body = 'forbid(principal, action, resource) when { context.nothing };'
  const version = { policy_id: 'p', version: '1.0.0', ordinal: 1, body, digest: 'd', retires: false }
  const row = listed({ ...version, active_from_ms: 5 }, [])
  const { policy_body, validation, versions } = policyDetail(row, [row], openCedar().check(body), 9)
  assert.equal(policy_body, body)
  assert.ok(validation.faults.length > 0, 'what the schema does not know any more is told')
  assert.deepEqual(
    versions.map(({ state }) => state),
    ['ACTIVE'],
  )
  assert.ok(!('active_until' in policyItem(row, 9)) && !('detail' in policyItem(row, 9)))
})
