// Scenario 15, precedent to law, over HTTP: a pattern is found, tested as a policy and enacted.
// Rules: protocols/governance/mimesis/mimesis.test.ts.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { isNote } from '@svc/contract/audit/audit-record'
import { localAdmin } from '@svc/contract/identity/identity'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { type MadeScene, openMadeScene, type Party } from '../identity/made-scene.ts'
import { denied } from './moot-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const day_ms = 86_400_000
const refusals = 40
let scene: MadeScene
let charter: Party[]
let agent: Party
let rival: Party
/** Without any capability for MEAL. */
const powerless = new Set<string>()

before(async () => {
  const identity = {
    resolve: (did: string) => ({
      outcome: 'Resolved' as const,
      identity: { ...localAdmin(did), ...(powerless.has(did) && { capabilities: [] }) },
    }),
  }
  scene = await openMadeScene({ identity })
  charter = []
  for (let place = 0; place < 3; place++) {
    const member = await scene.newParty('acme')
    const { engine } = scene.service.service.store
    await addMember(engine, 'acme', member.agent_did, new Date(scene.clock.now_ms()))
    charter.push(member)
  }
  agent = await scene.newParty('acme')
  rival = await scene.newParty('rival')
})
after(() => scene.service.stop())

const ask = (who: Party, protocol: string, operation: string, input: unknown): Promise<Answer> =>
  dispatch(who, { protocol, operation, input, tenant_id: who.tenant_id })
const done = async (who: Party, protocol: string, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(who, protocol, operation, input)).output
const append = (event_type: string) => ask(agent, 'MAX', 'audit_log_entry', { event_type, meta: {} })
const surface = (who: Party, more: Fields = {}) =>
  done(who, 'MIMESIS', 'surface', { window_days: 30, min_recurrences: 20, scope: 'tenant', ...more })
const reserved = (answer: Fields): Fields =>
  answer.patterns.find(({ features }: Fields) => features?.reason === 'reserved event type')
const proposalOf = ({ pattern_id, suggested_cedar }: Fields, more: Fields = {}) => ({
  pattern_id,
  proposed_maxim: suggested_cedar,
  proposal_target: 'MACE',
  ...more,
})
const refOf = ({ record_hash }: { record_hash: string }) => `max://acme/record/${record_hash}`

const of_max = { protocol: 'MAX', operation: 'audit_log_entry' }
/** Shared by the tests: found by the first, used by the next ones. */
let precedent: Fields
let exceptions: string[]
let proposed: Fields

test('recurring refusals are found under the same id each time, with counterexamples', async () => {
  const [chair] = charter as [Party]
  for (const name of ['custom.first', 'custom.second']) assertSuccess(await append(name))
  for (let round = 0; round < 4; round++)
    await Promise.all(Array.from({ length: refusals / 4 }, () => append('ProtocolInvocation')))
  exceptions = (await scene.service.records('acme', { ...of_max, outcome: 'success' }))
    .filter((record) => !isNote(record))
    .map(refOf)
    .reverse()
  const first = await surface(chair)
  precedent = reserved(first)
  assert.deepEqual(
    [
      precedent.kind,
      precedent.outcome,
      precedent.recurrences,
      precedent.consistency_bps,
      precedent.covered_by_policy,
    ],
    ['decision', 'refused', refusals, 9523, undefined],
  )
  assert.deepEqual(precedent.features, {
    ...of_max,
    caller_kind: 'Agent',
    level: 'L2',
    origin: 'http',
    hour_bucket: '06-12',
    cross_org: false,
    reason: 'reserved event type',
  })
  const conditions = [...precedent.suggested_cedar.matchAll(/[a-z]+\.[a-z_]+ ==/g)].map(([text]) => text)
  assert.deepEqual(conditions, ['resource.protocol ==', 'resource.operation =='], 'nothing incidental')
  assert.equal(precedent.confirmed_bps, 10_000)
  assert.deepEqual([precedent.exemplars.length, precedent.counterexamples], [5, exceptions])
  assert.deepEqual([first.truncated, first.head.length], [[], 64])
  const narrower = await surface(chair, { scope: { protocols: ['max'], outcomes: ['refused'] }, limit: 200 })
  assert.deepEqual(
    narrower.patterns.map(({ pattern_id, outcome }: Fields) => [pattern_id, outcome]),
    [[precedent.pattern_id, 'refused']],
  )
  const rarer = await surface(chair, { min_recurrences: refusals + 1, scope: 'protocol:MAX' })
  assert.deepEqual(rarer.patterns, [])
})

test('a proposal is backtested and submitted to the charter once, also for concurrent requests', async () => {
  const [chair] = charter as [Party]
  const input = proposalOf(precedent)
  const [one, other] = await Promise.all([1, 2].map(() => done(chair, 'MIMESIS', 'formalize', input)))
  proposed = one!
  assert.deepEqual(proposed, other)
  const { backtest, state, next } = proposed
  assert.deepEqual(
    [backtest.would_flip_allow_to_deny, backtest.would_flip_deny_to_allow, backtest.flips],
    [2, 0, exceptions],
  )
  assert.deepEqual([backtest.agrees_with_pattern_bps, backtest.undecided], [10_000, 0])
  assert.deepEqual([state, next.protocol, next.operation], ['PROPOSED', 'MACE', 'deliberate'])
  const records = await scene.service.records('acme')
  const eventsOf = (name: string) => records.filter(({ event_type }) => event_type === name)
  assert.deepEqual(
    eventsOf('PatternFormalized').map(({ meta }) => [meta.proposal_id, meta.motion_id]),
    [[proposed.proposal_id, proposed.motion_id]],
  )
  assert.equal(eventsOf('MotionConvened').length, 1)
  const surfaced_ids = eventsOf('PatternSurfaced').map(({ meta }) => meta.pattern_ids as string[])
  assert.ok(surfaced_ids[0]!.includes(precedent.pattern_id))
})

test('the council passes it, MAXIM enacts it, and the precedent counts as covered', async () => {
  const [chair] = charter as [Party]
  const { motion_id, proposal_id, digest, policy_id, version, active_from } = proposed
  for (const [place, member] of charter.entries()) {
    const position = place < 2 ? 'for' : 'against'
    await done(member, 'MACE', 'deliberate', { motion_id, position, reasoning: 'It was always so.' })
  }
  const look = () => done(chair, 'MIMESIS', 'formalize', proposalOf(precedent))
  assert.equal((await look()).state, 'IN_COUNCIL')
  const verdict = await done(chair, 'MACE', 'tally', { motion_id })
  assert.equal(verdict.outcome, 'PASSED')
  const passed = await look()
  assert.deepEqual([passed.state, passed.next.input.authority], ['IN_COUNCIL', verdict.ref])
  const enacted = await done(chair, passed.next.protocol, passed.next.operation, passed.next.input)
  assert.deepEqual([enacted.state, enacted.digest], ['SCHEDULED', digest])
  assert.equal(reserved(await surface(chair)).covered_by_policy, undefined)
  scene.clock.advance(Date.parse(active_from) - scene.clock.now_ms())
  const law = `maxim://${policy_id}@${version}`
  const covered = reserved(await surface(chair))
  assert.deepEqual(
    [covered.pattern_id, covered.covered_by_policy, covered.proposals],
    [precedent.pattern_id, law, [{ proposal_id, state: 'ENACTED' }]],
  )
  const last = await look()
  assert.deepEqual([last.state, last.proposal_id, last.next], ['ENACTED', proposal_id, undefined])
  await eventually(async () => {
    const { body } = await append('custom.third')
    assert.equal((body as Fields).error?.details.denying_policy, law)
  })
})

test('a draft is tested with the policies in force, and precedents of others are not found', async () => {
  const [chair] = charter as [Party]
  assert.deepEqual((await surface(rival)).patterns, [])
  const draft = await done(agent, 'MIMESIS', 'formalize', {
    ...proposalOf(precedent, { proposal_target: 'MAXIM', policy_id: 'draft' }),
    proposed_maxim: 'forbid(principal, action, resource) when { resource.protocol == "MEAL" };',
  })
  // The enacted policy denies the old exceptions today already, so this is no effect of the draft.
  assert.deepEqual([draft.backtest.would_flip_allow_to_deny, draft.backtest.would_flip_deny_to_allow], [0, 0])
  const active_from = new Date(scene.clock.now_ms() + day_ms).toISOString()
  await done(chair, 'MIMESIS', 'formalize', proposalOf(precedent, { policy_id: 'late', active_from }))
  scene.clock.advance(day_ms)
  const states = reserved(await surface(chair)).proposals.map(({ state }: Fields) => state)
  assert.ok(states.includes('REJECTED') && states.includes('ENACTED'))
})

test('a missing grant is not made a prohibition', async () => {
  const [chair] = charter as [Party]
  const clerk = await scene.newParty('acme')
  powerless.add(clerk.agent_did)
  for (let n = 0; n < 24; n++) {
    const { body } = await ask(clerk, 'MEAL', 'statement', {})
    assert.equal((body as Fields).error.code, 'capability_denied')
  }
  const { patterns } = await surface(chair, { scope: 'protocol:MEAL' })
  const missing = patterns.find(({ outcome }: Fields) => outcome === 'refused')
  assert.deepEqual([missing.no_rule, missing.suggested_cedar], ['missing_grant', undefined])
  const forbidding = 'forbid(principal, action, resource) when { resource.protocol == "MEAL" };'
  const proposal = { ...proposalOf(missing), proposed_maxim: forbidding, policy_id: 'never' }
  const answer = await ask(chair, 'MIMESIS', 'formalize', proposal)
  assertRefusal(answer, denied('missing grant'))
})
