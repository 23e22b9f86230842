import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWithin } from '@svc/contract/authority/attenuation'
import { type AgentCapability, covers, type HeldCapability } from '@svc/contract/authority/capability'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import { newKeyed, vouch } from '../../../checks/scenes/test-descent.ts'
import {
  askedDigest,
  capabilitiesFor,
  type DeriveInput,
  documentFor,
  endOf,
  ownedBy,
  requireDepth,
  requireSense,
} from './derivation.ts'

const now = '2026-11-15T10:00:00.000Z'
const [parent, child] = [newKeyed('acme', 'HumanRoot'), newKeyed('acme', 'Agent')]
const input: DeriveInput = { entity_kind: 'Agent', label: 'one' }

const name = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom('svc.mind.*', 'svc.mind.recall_memory', 'svc.marc.reasoning_task'),
  },
  { weight: 1, arbitrary: fc.constantFrom('svc.*.*', 'svc.*', 'svc.*.read', 'svc.mind') },
)
const moment = fc.constantFrom('2026-11-15T09:00:00Z', '2026-11-16T00:00:00Z', '2027-01-01T00:00:00Z')
const limit = fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined })
const capability = fc
  .record({
    name,
    expires_at: fc.option(moment, { nil: undefined }),
    max_per_hour: limit,
    max_tokens: limit,
    caveats: fc.subarray(['time:09-17', 'jurisdiction:EU', 'weekly_budget:1']),
  })
  .map(({ name, expires_at, max_per_hour, max_tokens, caveats }): AgentCapability => {
    const limits = {
      ...(max_per_hour === undefined ? {} : { max_per_hour }),
      ...(max_tokens === undefined ? {} : { max_tokens }),
    }
    return { name, ...(expires_at ? { expires_at } : {}), limits, caveats }
  })
const held_capability = fc
  .tuple(
    capability,
    fc.constantFrom('declared', 'declared', 'key', 'key', 'delegation', 'treaty', 'envelope'),
  )
  .map(([own, source]): HeldCapability => ({ ...own, source: source as HeldCapability['source'] }))

/** Independent check: the child may do nothing, at any time, beyond this one grant. */
function isNoMore(own: AgentCapability, grant: HeldCapability): boolean {
  const end = (of: AgentCapability) => (of.expires_at ? Date.parse(of.expires_at) : Number.POSITIVE_INFINITY)
  const bound = (of: AgentCapability, what: 'max_per_hour' | 'max_tokens') =>
    of.limits?.[what] ?? Number.POSITIVE_INFINITY
  return (
    covers(grant.name, own.name) &&
    end(own) <= end(grant) &&
    bound(own, 'max_per_hour') <= bound(grant, 'max_per_hour') &&
    bound(own, 'max_tokens') <= bound(grant, 'max_tokens') &&
    grant.caveats.every((caveat) => own.caveats.includes(caveat))
  )
}

test('no child has more than its parent owns', () => {
  let granted_count = 0
  fc.assert(
    fc.property(
      fc.array(capability, { maxLength: 3 }),
      fc.array(held_capability, { maxLength: 12 }),
      (requested, all) => {
        const owned = ownedBy(all, now)
        for (const { source, expires_at } of owned) {
          assert.ok(source === 'declared' || source === 'key')
          assert.ok(expires_at === undefined || Date.parse(expires_at) > Date.parse(now))
        }
        try {
          const delegated = capabilitiesFor(requested, owned)
          assert.deepEqual(
            delegated.map((own) => own.name),
            requested.map((own) => own.name),
          )
          for (const own of delegated) {
            granted_count++
            assert.notEqual(own.name, 'svc.*.*')
            assert.ok(isWithin(own, owned))
            assert.ok(owned.some((grant) => isNoMore(own, grant)))
          }
        } catch (error) {
          assert.ok(error instanceof Refusal, String(error))
          assert.match(String(error.details.reason), /^capability amplification(: |$)/)
        }
      },
    ),
    { numRuns: 5_000 },
  )
  assert.ok(granted_count > 100, `only ${granted_count} were given`)
})

test('a child may have exactly what its parent owns', () => {
  const owned: HeldCapability = { name: 'svc.mind.*', caveats: ['time:09-17'], source: 'declared' }
  const { source: _, ...same } = owned
  assert.deepEqual(capabilitiesFor([same], [owned]), [same])
})

test('the request decides whether it is the same child; proofs do not', () => {
  const same = askedDigest(parent.did, { ...input, index: 0, capabilities: [], custody: 'engine' })
  assert.equal(askedDigest(parent.did, input), same)
  const proofs = { signature: 'A'.repeat(86), document_proof: 'B'.repeat(86), created_at: now }
  assert.equal(askedDigest(parent.did, { ...input, ...proofs, parent_public_key: parent.public_key }), same)
  const others: Partial<DeriveInput>[] = [
    { index: 1 },
    { label: 'two' },
    { entity_kind: 'Tool' },
    { name: 'One' },
    { capabilities: [{ name: 'svc.mind.*', caveats: [] }] },
    { expires_at: now },
    { custody: 'client' },
  ]
  for (const other of others) assert.notEqual(askedDigest(parent.did, { ...input, ...other }), same)
  assert.notEqual(askedDigest(child.did, input), same)
})

test('the document follows from the statement, and has a lineage only if it reaches a root', () => {
  const statement = vouch(child, parent)
  const facts = { input, capabilities: [], parent_lineage: [], is_anchored: true }
  assert.deepEqual(documentFor(statement, facts), documentFor(structuredClone(statement), { ...facts }))
  assert.deepEqual(documentFor(statement, facts).lineage, [statement])
  assert.deepEqual(documentFor(statement, { ...facts, is_anchored: false }).lineage, [])
  assert.equal(documentFor(statement, facts).updated_at, statement.created_at)
})

test('a child expires no later than any of its ancestors', () => {
  const line = [
    vouch(child, parent, { expires_at: '2026-12-31T00:00:00Z' }),
    vouch(child, parent, { expires_at: '2026-12-01T00:00:00Z' }),
    vouch(child, parent),
  ]
  assert.equal(endOf(undefined, line), '2026-12-01T00:00:00Z')
  assert.equal(endOf('2026-11-30T00:00:00Z', line), '2026-11-30T00:00:00Z')
  assert.equal(endOf(undefined, []), undefined)
  assert.throws(() => endOf('2026-12-02T00:00:00Z', line), {
    details: { reason: 'child outlives its parent' },
  })
})

test('roots have no parents, sixteen levels are the limit, and fields must match', () => {
  const refused = (other: Partial<DeriveInput>, reason: string) =>
    assert.throws(
      () => requireSense({ ...input, ...other }, now),
      (error) => error instanceof Refusal && error.details.reason === reason,
    )
  for (const kind of ['HumanRoot', 'MultiHumanRoot', 'EntityNameRecord'] as const)
    refused({ entity_kind: kind }, 'root kinds cannot be derived')
  refused({ custody: 'client' }, 'invalid derivation')
  refused({ child_public_key: child.public_key }, 'invalid derivation')
  refused({ expires_at: now }, 'invalid derivation')
  const client = { custody: 'client', child_public_key: child.public_key } as const
  refused({ ...client, created_at: '2026-11-15T10:00:00.001Z' }, 'invalid derivation')
  refused({ ...client, created_at: '2026-11-15T09:49:59.999Z' }, 'invalid derivation')
  requireSense({ ...input, ...client, created_at: '2026-11-15T09:50:00Z' }, now)
  requireDepth(16)
  assert.throws(() => requireDepth(17), /Derive it from a higher identity/)
})
