import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { parseDid } from '@svc/contract/identity/did'
import { effectiveRootDid, type ResolvedAgentIdentity, unresolved } from '@svc/contract/identity/identity'
import fc from 'fast-check'
import {
  drawOrder,
  eligibleArbiters,
  eligibleHash,
  isImpartial,
  mayArbitrate,
  panelSize,
  rootsAmong,
  signedText,
} from './panel.ts'

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
  pool: fc.uniqueArray(identity, { maxLength: 30, selector: (one) => one.did }),
  parties: fc.tuple(identity, identity),
  sat: fc.nat({ max: 5 }),
  checkpoint: fc.string(),
})

const rootIn = (one: ResolvedAgentIdentity) => (one.revoked ? undefined : effectiveRootDid(one))

test('nobody who may sit is related to a party or sat before, and of each root one is drawn', () => {
  fc.assert(
    fc.property(draw, ({ pool, parties, sat, checkpoint }) => {
      const candidatesOf = (some: readonly ResolvedAgentIdentity[]) =>
        some.map((one) => ({ identity: one, root_did: rootIn(one) }))
      const dispute = {
        sat_roots: new Set(pool.slice(0, sat).map(rootIn)),
        party_roots: new Set(parties.map(rootIn)),
        parties,
      }
      const eligible = eligibleArbiters({ ...dispute, candidates: candidatesOf(pool) })
      const reversed = eligibleArbiters({ ...dispute, candidates: candidatesOf(pool.toReversed()) })
      assert.deepEqual(reversed, eligible, 'whatever order they registered in')
      const is_inside = tenantOf(parties[0].did) === tenantOf(parties[1].did)
      for (const { did: member, root_did } of eligible) {
        const arbiter = pool.find((one) => one.did === member)!
        assert.ok(mayArbitrate(arbiter) && isImpartial(arbiter, parties))
        assert.ok(!dispute.sat_roots.has(root_did) && !dispute.party_roots.has(root_did))
        if (!is_inside) for (const party of parties) assert.notEqual(tenantOf(member), tenantOf(party.did))
      }
      const order = drawOrder({ eligible_hash: 'h', eligible }, checkpoint)
      assert.equal(order.length, rootsAmong(eligible), 'of each root one')
      const root_of = new Map(eligible.map((one) => [one.did, one.root_did]))
      assert.equal(new Set(order.map((member) => root_of.get(member))).size, order.length)
    }),
  )
})

function tenantOf(of: string): string | undefined {
  return parseDid(of)?.namespace
}

const arbiterOf = (n: number, of = n) => ({ did: did('venue', n), root_did: root(of) })
const three = [arbiterOf(1), arbiterOf(2), arbiterOf(3)]

test('a draw can be repeated with sha256 alone, from the hash of the list and the checkpoint', () => {
  const eligible_hash = eligibleHash({ case_id: 'c', seats: 3, eligible: three, follows: null })
  assert.equal(
    eligible_hash,
    `sha256:${sha256(`{"case_id":"c","eligible":${JSON.stringify(three)},"follows":null,"seats":3}`)}`,
  )
  const seed = sha256(`${eligible_hash}\nsvc/venue\n7\nroot\n`)
  const lots = three.map((one) => ({ ...one, lot: sha256(seed + one.root_did) }))
  const order = lots.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map((one) => one.did)
  const note = 'svc/venue\n7\nroot\n\n\u2014 svc/venue c2ln\n'
  assert.deepEqual(drawOrder({ eligible_hash, eligible: three }, signedText(note)), order)
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('what is known on filing does not decide the draw: another checkpoint is another panel', () => {
  const firsts = Array.from(
    { length: 20 },
    (_, n) => drawOrder({ eligible_hash: 'h', eligible: three }, `c${n}`)[0],
  )
  assert.equal(new Set(firsts).size, 3)
})

test('a root with twenty arbiters is drawn no more often than a root with one', () => {
  const many = Array.from({ length: 20 }, (_, n) => arbiterOf(10 + n, 10))
  const eligible = [arbiterOf(1), ...many]
  const draws = Array.from({ length: 400 }, (_, n) => drawOrder({ eligible_hash: 'h', eligible }, `c${n}`)[0])
  const share = draws.filter((first) => first === did('venue', 1)).length / draws.length
  assert.ok(share > 0.4 && share < 0.6, `${share}`)
})

test('a draw that follows another keeps its order, without those who may no longer sit', () => {
  const earlier = [did('venue', 3), did('venue', 9), did('venue', 1)]
  const drawn = drawOrder({ eligible_hash: 'h', eligible: three }, 'c', earlier)
  assert.deepEqual(drawn, [did('venue', 3), did('venue', 1), did('venue', 2)])
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
