import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { localAdmin, unresolved } from './identity.ts'
import { rootsBehind, verifiedRoot, voiceShares } from './roots.ts'

const root = fc.option(fc.constantFrom('ann', 'bob', 'acme'), { nil: undefined })

test('children of one root count as one, and identities without a root as none', () => {
  fc.assert(
    fc.property(fc.array(root, { maxLength: 60 }), (roots) => {
      const dids = roots.map((of, place) => [`did ${place}`, of] as const)
      const { independent, root_of } = rootsBehind(dids)
      assert.equal(independent, new Set(roots.filter((of) => of !== undefined)).size)
      assert.equal(root_of.size, roots.filter((of) => of !== undefined).length)
      // More children of a root that is there, and strangers, change nothing.
      const more = dids.flatMap(([did, of]) => [
        [`${did} child`, of] as const,
        [`${did} stranger`, undefined] as const,
      ])
      assert.equal(rootsBehind([...dids, ...more]).independent, independent)
      const shares = voiceShares(roots)
      for (const of of new Set(roots)) {
        const whole = shares.reduce((sum, share, place) => (roots[place] === of ? sum + share : sum), 0)
        assert.ok(Math.abs(whole - (of === undefined ? 0 : 1)) < 1e-9)
      }
    }),
  )
})

test('only a verified identity that is not revoked has a root', () => {
  const did = `did:oas:acme:agent:${'1'.repeat(64)}`
  const agent = { ...unresolved(did), auth_method: 'did', lineage_verified: true }
  const organization = { verified: true, depth: 1, chain: [did, 'org'], root_did: 'org' }
  assert.equal(verifiedRoot({ ...agent, human_root_did: 'ann' }), 'ann')
  assert.equal(verifiedRoot(agent, organization), 'org', 'an organization is a root, too')
  assert.equal(verifiedRoot({ ...agent, entity_kind: 'HumanRoot' }), did, 'a root is its own')
  assert.equal(verifiedRoot({ ...agent, human_root_did: 'ann', revoked: true }), undefined)
  assert.equal(verifiedRoot({ ...agent, human_root_did: 'ann', lineage_verified: false }), undefined)
  assert.equal(verifiedRoot(unresolved(did)), undefined)
  assert.equal(verifiedRoot(localAdmin(did)), did)
})
