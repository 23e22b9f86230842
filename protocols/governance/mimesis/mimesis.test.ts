// The rules of proposing a policy from a precedent: who may, in which terms, to which council, and once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RefusalCode } from '@svc/contract/refusal'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { councilOf } from '../../../checks/rehearsal/council.ts'
import {
  administrators,
  asCaller,
  type KeyedParty,
  newCharter,
  newParty,
  type Party,
} from '../../../checks/rehearsal/organizations.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { mace } from '../mace/mace.ts'
import { maxim } from '../maxim/maxim.ts'
import { type Pattern, patternId } from '../precedents/pattern.ts'
import { keepPatterns } from '../precedents/pattern-store.ts'
import { mimesis } from './mimesis.ts'

const day_ms = 86_400_000
const lesser = new Set<string>()
const pattern: Pattern = {
  kind: 'decision',
  outcome: 'refused',
  features: { protocol: 'MAX', operation: 'audit_log_entry', reason: 'reserved event type' },
}
const pattern_id = patternId(pattern)
let stage: Rehearsal
let charter: [KeyedParty, ...KeyedParty[]]
let chair: Party
let agent: Party
let rival: Party

before(async () => {
  stage = await rehearse(mimesis, { others: [mace, maxim], ports: administrators({ lesser }) })
  charter = await newCharter(stage, 'acme', 3)
  ;[chair] = charter
  agent = await newParty(stage, 'acme')
  rival = await newParty(stage, 'rival')
  const at = later(0)
  const by = { tenant_id: 'acme', surfacing: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', window_days: 30, at }
  const support = { recurrences: 40, consistency_bps: 9523, lift: 1, first_seen: at, last_seen: at }
  const pattern_support = { pattern_id, pattern, ...support, exemplars: [], counterexamples: [] }
  await stage.as('acme', (db) => keepPatterns(db, { ...by, head: '0'.repeat(64) }, [pattern_support]))
})
after(() => stage.close())

const later = (ms: number) => new Date(stage.ports.clock.now_ms() + ms).toISOString()
const proposal = (more: object = {}) => ({
  pattern_id,
  proposed_maxim:
    'forbid(principal, action, resource) when { resource.protocol == "MAX" && resource.operation == "audit_log_entry" };',
  proposal_target: 'MACE',
  ...more,
})
const run = (who: Party, operation: string, input: unknown) => stage.run(operation, input, asCaller(who))
const formalize = (who: Party, more: object = {}) => run(who, 'formalize', proposal(more))
const refused = (who: Party, more: object, reason: string, code: RefusalCode = 'policy_denied') =>
  assertRefused(formalize(who, more), code, reason)
const eventsOf = (name: string) => stage.records('acme').filter(({ event_type }) => event_type === name)

test('a precedent is submitted to the charter once, also for concurrent proposals', async () => {
  const [one, other] = await Promise.all([formalize(chair), formalize(chair)])
  assert.deepEqual(one, other)
  assert.deepEqual([one.state, one.next.protocol, one.next.operation], ['PROPOSED', 'MACE', 'deliberate'])
  assert.deepEqual(
    eventsOf('PatternFormalized').map(({ meta }) => [meta.proposal_id, meta.motion_id]),
    [[one.proposal_id, one.motion_id]],
  )
  assert.equal(eventsOf('MotionConvened').length, 1)
})

test('the state of a proposal follows its council, its verdict and its enactment', async () => {
  const { motion_id, proposal_id, digest } = await formalize(chair)
  const council = councilOf(stage)
  for (const [place, member] of charter.entries())
    await council.vote(member, motion_id, place < 2 ? 'for' : 'against')
  assert.equal((await formalize(chair)).state, 'IN_COUNCIL')
  const verdict = await council.tally(chair, motion_id)
  assert.equal(verdict.outcome, 'PASSED')
  const { state, next } = await formalize(chair)
  assert.deepEqual([state, next.input.authority], ['IN_COUNCIL', verdict.ref])
  const enacted = await run(chair, `${next.protocol}.${next.operation}`, next.input)
  assert.deepEqual([enacted.state, enacted.digest], ['SCHEDULED', digest])
  const last = await formalize(chair)
  assert.deepEqual([last.state, last.proposal_id, last.next], ['ENACTED', proposal_id, undefined])
})

test('a proposal that leads nowhere is refused, and precedents of others are not found', async () => {
  await refused(rival, { proposal_target: 'MAXIM' }, 'not_found', 'invalid_payload')
  for (const proposed_maxim of ['forbid(', '// none'])
    await refused(chair, { proposed_maxim }, 'cedar', 'invalid_payload')
  const past = { active_from: later(-day_ms) }
  await refused(chair, past, 'active_from out of bounds', 'invalid_payload')
  const nobody = { policy_id: 'other', proposal_target: '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10' }
  await refused(chair, nobody, 'not_found', 'invalid_payload')
  await refused(agent, { policy_id: 'other' }, 'charter members only')
  lesser.add(agent.did)
  await refused(agent, { policy_id: 'other' }, 'conformance L2 required')
  const draft = await formalize(agent, { proposal_target: 'MAXIM', policy_id: 'draft' })
  assert.deepEqual(
    [draft.state, draft.motion_id, draft.next.protocol, draft.next.operation],
    ['PROPOSED', undefined, 'MAXIM', 'author'],
  )
})

test('a council on the same policy is joined; one on another policy is not', async () => {
  const terms = { policy_id: 'joined', active_from: later(day_ms) }
  const { motion_id, digest, version, proposal_id } = await formalize(chair, terms)
  assert.equal(version, '1.0.0')
  const joined = await formalize(chair, { ...terms, proposal_target: motion_id })
  assert.deepEqual([joined.motion_id, joined.digest, joined.state], [motion_id, digest, 'PROPOSED'])
  const elsewhere = { ...terms, policy_id: 'elsewhere', proposal_target: motion_id }
  await refused(chair, elsewhere, 'motion does not bind this rule')
  stage.ports.clock.advance(day_ms)
  const again = await formalize(chair, { policy_id: 'joined' })
  assert.equal(again.state, 'PROPOSED')
  assert.notEqual(again.proposal_id, proposal_id, 'the first was never decided')
})
