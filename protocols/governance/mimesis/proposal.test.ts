import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fate, isSameProposal, type Proposal, proposalId, proposalStateAt } from './proposal.ts'

const now = '2026-11-15T10:00:00.000Z'
const verdictOf = (outcome: string, valid_until: string): Fate['verdict'] => ({ outcome, valid_until })

test('the state of a proposal follows its motion, the verdict and the policies', () => {
  const stateOf = (fate: Partial<Fate>) =>
    proposalStateAt({ is_enacted: false, is_overtaken: false, active_from: now, ...fate }, now)
  const passed = verdictOf('PASSED', '2026-12-15T10:00:00.000Z')
  assert.equal(stateOf({}), 'PROPOSED')
  assert.equal(stateOf({ motion: { state: 'CONVENED' } }), 'PROPOSED')
  assert.equal(stateOf({ motion: { state: 'OPEN' } }), 'IN_COUNCIL')
  assert.equal(stateOf({ motion: { state: 'TALLIED' }, verdict: passed }), 'IN_COUNCIL')
  assert.equal(stateOf({ motion: { state: 'TALLIED' }, verdict: verdictOf('PASSED', now) }), 'REJECTED')
  for (const outcome of ['FAILED', 'NO_QUORUM'])
    assert.equal(stateOf({ motion: { state: 'TALLIED' }, verdict: { ...passed!, outcome } }), 'REJECTED')
  for (const state of ['LAPSED', 'WITHDRAWN'] as const)
    assert.equal(stateOf({ motion: { state } }), 'REJECTED')
  assert.equal(stateOf({ is_overtaken: true, motion: { state: 'OPEN' } }), 'REJECTED')
  const too_late = '2026-11-15T09:54:59.999Z'
  assert.equal(stateOf({ active_from: too_late, motion: { state: 'OPEN' } }), 'REJECTED')
  assert.equal(stateOf({ active_from: '2026-11-15T09:55:00.000Z' }), 'PROPOSED')
  assert.equal(stateOf({ is_enacted: true, active_from: too_late, motion: { state: 'LAPSED' } }), 'ENACTED')
})

test('the same policy from the same precedent to the same target is one proposal per tenant', () => {
  const proposal = { pattern_id: 'sha256:1', digest: 'sha256:2', target: 'MACE' }
  assert.equal(proposalId('acme', proposal), proposalId('acme', { ...proposal }))
  const others = [
    proposalId('globex', proposal),
    proposalId('acme', { ...proposal, target: 'MAXIM' }),
    proposalId('acme', { ...proposal, digest: 'sha256:3' }),
  ]
  for (const other of others) assert.notEqual(other, proposalId('acme', proposal))
  const rule = { policy_id: 'p', policy_body: 'b', target: 'MACE', active_from: now }
  const stored_proposal = rule as Proposal
  assert.ok(isSameProposal(stored_proposal, rule))
  assert.ok(isSameProposal(stored_proposal, { ...rule, active_from: undefined }))
  for (const other of [{ policy_id: 'q' }, { policy_body: 'c' }, { target: 'MAXIM' }])
    assert.ok(!isSameProposal(stored_proposal, { ...rule, ...other }))
  assert.ok(!isSameProposal(stored_proposal, { ...rule, active_from: '2026-11-16T10:00:00.000Z' }))
})
