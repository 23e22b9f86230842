import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDid } from '@svc/contract/identity/did'
import { effectiveRootDid, type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import fc from 'fast-check'
import { drawPanel, inDrawOrder, isImpartial, mayArbitrate, panelSize } from './panel.ts'

const did = (tenant: string, n: number) => `did:oas:${tenant}:agent:${String(n).padStart(64, '0')}`
const root = (n: number) => did('roots', 1_000 + n)

const identity = fc
  .record({
    tenant: fc.constantFrom('venue', 'acme', 'globex'),
    n: fc.integer({ min: 0, max: 200 }),
    root: fc.option(fc.integer({ min: 0, max: 4 })),
    conformance_level: fc.constantFrom('L0', 'L1', 'L2') as fc.Arbitrary<'L0' | 'L1' | 'L2'>,
    revoked: fc.boolean(),
    resolved: fc.boolean(),
  })
  .map(
    ({ tenant, n, root: of, conformance_level, revoked, resolved }): ResolvedAgentIdentity => ({
      ...unresolved(did(tenant, n)),
      ...(of !== null && { human_root_did: root(of) }),
      conformance_level,
      revoked,
      auth_method: resolved ? 'test' : 'unresolved',
    }),
  )

const draw = fc.record({
  case_id: fc.uuid(),
  pool: fc.uniqueArray(identity, { maxLength: 30, selector: (one) => one.did }),
  parties: fc.tuple(identity, identity),
  sat: fc.nat({ max: 5 }),
  size: fc.constantFrom(1, 3, 5),
})

test('the draw of a panel is reproducible, and nobody on it is related to a party', async () => {
  await fc.assert(
    fc.asyncProperty(draw, async ({ case_id, pool, parties, sat, size }) => {
      const identities = new Map(pool.map((one) => [one.did, one]))
      const rootOf = (one: ResolvedAgentIdentity) => (one.revoked ? undefined : effectiveRootDid(one))
      const candidateOf = async (of: string) => {
        const arbiter = identities.get(of)!
        return { identity: arbiter, root_did: rootOf(arbiter) }
      }
      const registered = [...identities.keys()]
      const sat_before = registered.slice(0, sat)
      const sitting = { case_id, sat_before, parties, size }
      const panel = await drawPanel({ ...sitting, registered }, candidateOf)
      assert.deepEqual(
        await drawPanel({ ...sitting, registered: registered.toReversed() }, candidateOf),
        panel,
        'whatever order they registered in',
      )
      const is_inside = tenantOf(parties[0].did) === tenantOf(parties[1].did)
      for (const member of panel) {
        const arbiter = identities.get(member)!
        assert.ok(!sat_before.includes(member) && arbiter.conformance_level !== 'L0' && !arbiter.revoked)
        for (const party of parties) {
          assert.notEqual(member, party.did)
          if (!is_inside) assert.notEqual(tenantOf(member), tenantOf(party.did))
          const roots = [effectiveRootDid(arbiter), effectiveRootDid(party)]
          assert.ok(roots[0] === undefined || roots[0] !== roots[1])
        }
      }
      const eligible = pool.filter(
        (one) => mayArbitrate(one) && isImpartial(one, parties) && !sat_before.includes(one.did),
      )
      const sat_roots = new Set(sat_before.map((member) => rootOf(identities.get(member)!)))
      const roots = new Set(eligible.flatMap((one) => rootOf(one) ?? [])).difference(sat_roots)
      assert.equal(new Set(panel).size, Math.min(size, roots.size), 'of each root one, as many as there are')
      assert.equal(new Set(panel.map((member) => rootOf(identities.get(member)!))).size, panel.length)
    }),
  )
})

function tenantOf(of: string): string | undefined {
  return parseDid(of)?.namespace
}

test('arbiters are drawn in the order of sha256 over the case and the arbiter', () => {
  const case_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
  const dids = [did('venue', 1), did('venue', 2), did('venue', 3)]
  const drawn = inDrawOrder(case_id, dids)
  assert.deepEqual([...drawn].sort(), dids)
  assert.deepEqual(inDrawOrder(case_id, [...dids, ...dids]), drawn, 'each once')
  const others = Array.from({ length: 20 }, (_, n) => inDrawOrder(String(n), dids)[0])
  assert.equal(new Set(others).size, 3, 'another case is another draw')
})

test('a root is never judged by itself or by its descendants', () => {
  const of = (n: number, more: Partial<ResolvedAgentIdentity> = {}) => ({
    ...unresolved(did('venue', n)),
    ...more,
  })
  const human = { ...unresolved(did('acme', 1)), entity_kind: 'HumanRoot' }
  const other = unresolved(did('globex', 2))
  assert.equal(isImpartial(of(3, { human_root_did: human.did }), [human, other]), false)
  assert.equal(isImpartial(of(3), [human, { ...other, human_root_did: did('venue', 3) }]), false)
  assert.equal(isImpartial(of(3), [human, other]), true)
})

test('large claims have three arbiters, appeals five', () => {
  assert.deepEqual(
    [panelSize(null, false), panelSize(9_999_999_999n, false), panelSize(10_000_000_000n, false)],
    [1, 1, 3],
  )
  assert.equal(panelSize(null, true), 5)
})
