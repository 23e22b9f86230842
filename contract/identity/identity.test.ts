import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Check } from 'typebox/value'
import {
  AgentEntityKind,
  derived_kinds,
  effectiveRootDid,
  hasCapability,
  hasVerifiedLineage,
  isAutonomousOrg,
  isHumanRoot,
  isRootKind,
  localAdmin,
  meetsLevel,
  ResolvedAgentIdentity,
  root_kinds,
  unresolved,
} from './identity.ts'

const did = `did:oas:acme:agent:${'1'.repeat(64)}`
const root = `did:oas:acme:human-root:${'2'.repeat(64)}`

test('an unresolved identity is a DID and nothing else', () => {
  const identity = unresolved(did)
  assert.ok(Check(ResolvedAgentIdentity, identity))
  assert.equal(identity.entity_kind, 'Agent')
  assert.equal(identity.conformance_level, 'L0')
  assert.equal(hasVerifiedLineage(identity), false)
  assert.equal(hasCapability(identity, 'svc.max.audit_query'), false)
  assert.equal(effectiveRootDid(identity), undefined)
})

test('the kind of an unresolved identity is read from its DID, and an unknown kind keeps its text', () => {
  const kindOf = (kind: string) => unresolved(`did:oas:acme:${kind}:${'1'.repeat(64)}`).entity_kind
  assert.equal(kindOf('human-root'), 'HumanRoot')
  assert.equal(kindOf('entity-name-record'), 'EntityNameRecord')
  assert.equal(kindOf('agent-instance'), 'AgentInstance')
  assert.equal(kindOf('robot'), 'Unknown(robot)')
  assert.equal(unresolved('not a did').entity_kind, 'Unknown(none)')
})

test('every kind of the spec is accepted, and Unknown(text), and nothing else', () => {
  for (const kind of [...root_kinds, ...derived_kinds, 'Unknown(robot)', 'Unknown()'])
    assert.ok(Check(AgentEntityKind, kind), kind)
  for (const kind of ['', 'agent', 'Robot', 'Unknown', 'Unknown((x))', 'Agent ', 'XAgent'])
    assert.ok(!Check(AgentEntityKind, kind), kind)
})

test('the local admin may do everything and counts as verified', () => {
  const admin = localAdmin(did)
  assert.ok(Check(ResolvedAgentIdentity, admin))
  assert.ok(hasCapability(admin, 'svc.mace.convene'))
  assert.ok(hasVerifiedLineage(admin))
  assert.ok(meetsLevel(admin, 'L2'))
})

test('levels are ordered', () => {
  const at = (conformance_level: 'L0' | 'L1' | 'L2') => ({ ...unresolved(did), conformance_level })
  const met = (['L0', 'L1', 'L2'] as const).map((level) =>
    (['L0', 'L1', 'L2'] as const).map((needed) => meetsLevel(at(level), needed)),
  )
  assert.deepEqual(met, [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})

test('roots, organizations and whom a caller answers to', () => {
  const human = unresolved(root)
  assert.ok(isHumanRoot(human) && isRootKind(human.entity_kind) && !isAutonomousOrg(human))
  assert.ok(isAutonomousOrg({ ...human, entity_kind: 'MultiHumanRoot' }))
  assert.ok(isAutonomousOrg({ ...human, entity_kind: 'EntityNameRecord' }))
  assert.ok(!isAutonomousOrg(unresolved(did)) && !isRootKind('Agent'))
  assert.equal(effectiveRootDid(human), root)
  assert.equal(effectiveRootDid({ ...unresolved(did), human_root_did: root }), root)
})

test('a revoked identity has no verified lineage, whatever its document says', () => {
  assert.equal(hasVerifiedLineage({ ...localAdmin(did), revoked: true }), false)
})
