import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addMember, endMembership } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { isKeyOf, isSignedBy, signingInput, signText } from '@svc/contract/signing/signature'
import { sweepTreaties } from '@svc/protocols/governance/moat/treaty-sweep'
import fc from 'fast-check'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { is_long } from '../../faults/scene/chance.ts'
import { testTick } from '../../rehearsal/test-context.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import * as made from '../identity/made-scene.ts'
import { assertHeldByCourt, decide, newArbiter, sealedDid } from './moat-others.ts'
import { cross, day_ms, echo, heard, type MoatScene, mayCross, moat, openMoatScene } from './moat-scene.ts'
import { assertFoundByPartner, assertSeenByParties, assertSharedAuditLog } from './moat-visibility.ts'
import { assertSignedOnce, external_effects, walk } from './moat-walk.ts'

let scene: MoatScene
const soon = { interval: 25, timeout: 180_000 }
const hour_ms = 3_600_000

before(async () => {
  scene = await openMoatScene()
})
after(() => scene.service.stop())

const denied = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const
const invalid = (reason: string) => ({ code: 'invalid_payload', stage: 7, reason }) as const
const closed = (reason: string) => ({ code: 'capability_denied', stage: 4, reason }) as const
const engine = () => scene.service.service.store.engine
const stateOf = async (id: unknown) => {
  const text = 'SELECT state FROM treaties WHERE id = $1'
  return (await asOwner(scene.service.db_url, (client) => client.query(text, [id]))).rows[0]?.state
}
const refusedNow = async (reason: string) => {
  const { body } = await cross(scene.ann, scene.bob)
  return body.error?.reason === reason
}
const eventsOf = (tenant_id: string, answer: Answer) => made.eventsOf(scene, tenant_id, answer)
const offer = (terms: object = {}) => ({
  counterparty_did: scene.bob.agent_did,
  capability_schedule: [{ capability: echo }],
  expires_at: scene.later(365 * day_ms),
  ...terms,
})
const end = async (treaty_id: unknown) => {
  assertSuccess(await moat(scene.ann, 'terminate', { treaty_id, reason: 'the test is over' }))
  await heard(async () => (await cross(scene.ann, scene.bob)).status === 403)
}

test('scenario 7: without a treaty nobody crosses, and both chains say why', async (t) => {
  const { ann, bob, service } = scene
  const { correlation_id } = assertRefusal(await cross(ann, bob), closed('no active treaty'))
  await t.waitFor(async () => {
    for (const tenant_id of ['acme', 'globex']) {
      const [record] = await service.records(tenant_id, { correlation_ids: [correlation_id] })
      assert.equal(record?.meta.reason, 'no active treaty')
    }
  }, soon)
  assert.equal((await mayCross(ann, ann, bob)).reason, 'no active treaty')
})

test('a proposal that could not hold is refused at once', async () => {
  const { ann, bob, eve, later } = scene
  const propose = (terms: object) => moat(ann, 'propose', offer(terms))
  const schedule = (entry: object) => ({ capability_schedule: [{ capability: echo, ...entry }] })
  const cases: [object, Parameters<typeof assertRefusal>[1]][] = [
    [{ counterparty_did: ann.agent_did }, denied('parties are the same tenant')],
    [{ counterparty_did: await sealedDid(scene) }, denied('counterparty is sealed')],
    [{ counterparty_did: bob.agent_did.replace('globex', 'nobody') }, invalid('not_found')],
    [schedule({ capability: 'svc.admin.tenants' }), denied('capability not grantable: svc.admin.tenants')],
    [schedule({ caveats: ['moon:full'] }), invalid('unknown caveat')],
    [schedule({ caveats: ['time:9-17'] }), invalid('unknown caveat')],
    [{ expires_at: later(0) }, invalid('terms do not hold')],
    [{ expires_at: later(6 * 365 * day_ms) }, invalid('terms do not hold')],
    [{ effective_from: later(366 * day_ms) }, invalid('terms do not hold')],
    [{ dispute_clause: { via: 'MOOT', venue: 'nobody' } }, invalid('not_found')],
  ]
  for (const [terms, expected] of cases) assertRefusal(await propose(terms), expected)
  // Who holds something for a while, or under a caveat, grants no more than that.
  const poor = await scene.service.newCaller({ tenant_id: 'acme', capabilities: ['svc.moat.*'] })
  scene.poor.add(poor.agent_did)
  const reason = `grant exceeds proposer capabilities: ${echo}`
  assertRefusal(
    await dispatch(poor, { protocol: 'MOAT', operation: 'propose', input: offer() }),
    denied(reason),
  )
  const taken = offer(schedule({ granted_to: 'proposer' }))
  assertSuccess(await dispatch(poor, { protocol: 'MOAT', operation: 'propose', input: taken }))
  const foreign = { treaty_id: `sha256:${'9'.repeat(64)}` }
  assertRefusal(await moat(eve, 'sign', foreign), invalid('not_found'))
})

test('scenario 8: both sign, and from then on a call crosses and stands in both chains', async (t) => {
  const { ann, bob, eve, service } = scene
  const key = { idempotency_key: 'first-treaty' }
  const proposed = await moat(ann, 'propose', offer(), key)
  const { treaty_id, body, state, sign_by } = assertSuccess(proposed).output
  assert.deepEqual([state, sign_by], ['PROPOSED', scene.later(30 * day_ms)])
  assert.equal(`sha256:${sha256Hex(canonicalJson(body))}`, treaty_id)
  assert.equal((body as { nonce: string }).nonce, key.idempotency_key)
  for (const tenant_id of ['acme', 'globex'])
    assert.ok((await eventsOf(tenant_id, proposed)).includes('TreatyProposed'), tenant_id)
  // Nobody signs what it has not seen, and nobody else sees it.
  const seen = (who: made.Party) =>
    dispatch(who, { protocol: 'MARS', operation: 'query_registry', input: { subject: treaty_id } })
  assert.deepEqual((await seen(bob)).body.output.entries[0].body.content.body, body)
  assert.deepEqual((await seen(eve)).body.output.entries, [])
  const first = assertSuccess(await moat(ann, 'sign', { treaty_id })).output
  assert.deepEqual([first.state, first.missing], ['PARTIALLY_SIGNED', ['globex']])
  assertRefusal(await moat(eve, 'sign', { treaty_id }), invalid('not_found'))
  assertRefusal(await cross(ann, bob), closed('no active treaty'))
  const second = await moat(bob, 'sign', { treaty_id })
  const signed = assertSuccess(second).output
  assert.deepEqual([signed.state, signed.missing, signed.active_from], ['ACTIVE', [], made.start])
  for (const tenant_id of ['acme', 'globex']) {
    const events = await eventsOf(tenant_id, second)
    for (const type of ['CapabilityGrant', 'CapabilityGrant', 'TreatyActivated', 'TreatySigned'])
      assert.ok(events.includes(type), `${tenant_id} ${type}`)
  }
  for (const { tenant, signed_by, timestamp, public_key, signature } of signed.signatures as Signed[]) {
    const text = signingInput('svc-treaty-v1', { treaty_id, tenant, timestamp })
    assert.ok(isKeyOf(signed_by, public_key) && isSignedBy(public_key, text, signature))
  }
  assert.deepEqual(assertSuccess(await moat(ann, 'sign', { treaty_id })).output, signed, 'once is enough')
  await heard(async () => (await cross(ann, bob)).status === 200)
  const { correlation_id } = assertSuccess(await cross(ann, bob)).metadata
  await t.waitFor(async () => {
    const [own] = await service.records('acme', { correlation_ids: [correlation_id] })
    const [copy] = await service.records('globex', { correlation_ids: [correlation_id] })
    assert.deepEqual(
      [own?.meta.treaty_id, (copy?.meta.counterpart as { record_hash: string })?.record_hash],
      [treaty_id, own?.record_hash],
    )
  }, soon)
  await assertSharedAuditLog(scene, correlation_id)
  assertSuccess(await cross(bob, ann))
  assertRefusal(await cross(eve, bob), closed('no active treaty'))
  assertRefusal(await cross(ann, bob, 'costly'), closed('capability not granted'))
  await assertSeenByParties(scene, treaty_id as string)
  await assertFoundByPartner(scene)
  await end(treaty_id)
})

interface Signed {
  readonly tenant: string
  readonly signed_by: string
  readonly timestamp: string
  readonly public_key: string
  readonly signature: string
}

test('scenario 9: without its council an organization is not bound', async () => {
  const { ann, bob } = scene
  const draft = async () => assertSuccess(await moat(ann, 'propose', offer())).output.treaty_id
  const treaty_id = await draft()
  const second = await scene.newParty('globex')
  await addMember(engine(), 'globex', second.agent_did, new Date(scene.clock.now_ms() - 1))
  assertSuccess(await moat(ann, 'sign', { treaty_id }))
  assertRefusal(await moat(bob, 'sign', { treaty_id }), denied('charter quorum required'))
  assert.equal(await stateOf(treaty_id), 'PARTIALLY_SIGNED')
  const council = [bob, second]
  const [one, two] = [await draft(), await draft()]
  const authority = await decide(council, one, two)
  const unbound = await moat(bob, 'sign', { treaty_id, authority })
  assertRefusal(unbound, denied('authority does not bind this operation'))
  assert.equal(
    assertSuccess(await moat(bob, 'sign', { treaty_id: one, authority })).output.state,
    'PARTIALLY_SIGNED',
  )
  const used_up = await moat(bob, 'sign', { treaty_id: two, authority })
  assertRefusal(used_up, denied('authority already used'))
  await endMembership(engine(), 'globex', second.agent_did, new Date(scene.clock.now_ms()))
  scene.lesser.add(bob.agent_did)
  assertRefusal(await moat(bob, 'sign', { treaty_id }), {
    code: 'policy_denied',
    stage: 4,
    reason: 'conformance L2 required',
  })
  scene.lesser.delete(bob.agent_did)
  // Somebody of the organization who speaks for nobody.
  assertRefusal(await moat(second, 'sign', { treaty_id }), denied('not a party'))
  const { output } = assertSuccess(await moat(bob, 'terminate', { treaty_id, reason: 'we think again' }))
  assert.deepEqual([output.state, output.treaty_id], ['WITHDRAWN', treaty_id])
  assert.deepEqual(
    assertSuccess(await moat(ann, 'terminate', { treaty_id, reason: 'so do we' })).output,
    output,
  )
  const reason = 'treaty is WITHDRAWN; sign needs PROPOSED or PARTIALLY_SIGNED'
  assertRefusal(await moat(bob, 'sign', { treaty_id }), denied(reason))
})

test('who keeps its own key is told the exact bytes, and nothing else will do', async () => {
  const { ann } = scene
  const own = await scene.seat('fourth', false)
  const proposed = await moat(ann, 'propose', offer({ counterparty_did: own.agent_did }))
  const { treaty_id } = assertSuccess(proposed).output
  const asked = assertRefusal(await moat(own, 'sign', { treaty_id }), invalid('signature required'))
  const { faults, timestamp } = asked.details as { faults: { message: string }[]; timestamp: string }
  const text = faults[0]!.message
  const proof = { treaty_id, timestamp, public_key: own.key.public_key }
  const forged = await moat(own, 'sign', { ...proof, signature: signText(ann.key.private_key, text) })
  assertRefusal(forged, denied('signature invalid'))
  assert.ok((await eventsOf('fourth', forged)).includes('SecurityViolation'))
  const signature = signText(own.key.private_key, text)
  const early = { ...proof, signature, timestamp: scene.later(hour_ms) }
  assertRefusal(await moat(own, 'sign', early), invalid('fields do not fit together'))
  const { output } = assertSuccess(await moat(own, 'sign', { ...proof, signature }))
  assert.deepEqual(
    (output.signatures as { method: string }[]).map(({ method }) => method),
    ['own'],
  )
})

test('scenario 10: an amendment follows what it changes, and forgets nothing that was used', async () => {
  const { ann, bob } = scene
  const limits = { weekly_budget_usd: '5' }
  const narrow = [{ capability: echo, limits, granted_to: 'proposer' }]
  const root = await scene.agree({ capability_schedule: narrow, rate_limits: { per_day: 3 } })
  await heard(async () => (await cross(ann, bob)).status === 200)
  const used = await mayCross(ann, ann, bob)
  const amend = (changes: object, who = ann) =>
    moat(who, 'propose_amendment', { treaty_id: root, changes, reason: 'we need more' })
  assertRefusal(await amend({ capability_schedule: narrow }), invalid('nothing changes'))
  assertRefusal(await amend({}), { ...invalid('invalid_payload'), reason: undefined })
  const wide = [{ capability: 'svc.trial.*', granted_to: 'proposer' }, ...narrow]
  const proposed = assertSuccess(
    await amend({ capability_schedule: wide, rate_limits: { per_day: 4 } }),
  ).output
  assert.deepEqual([proposed.parent, proposed.widening, proposed.state], [root, true, 'PROPOSED'])
  assert.deepEqual((proposed.diff as { path: string }[]).map(({ path }) => path).sort(), [
    '/grants/-',
    '/grants/0/capability',
    '/grants/0/limits',
    '/rate_limits/per_day',
  ])
  const rival = assertSuccess(await amend({ rate_limits: { per_day: 2 } }, bob)).output
  assert.equal(rival.widening, false)
  const { amendment_id } = proposed
  assertRefusal(await moat(ann, 'sign', { treaty_id: amendment_id }), denied('use sign_amendment'))
  scene.lesser.add(ann.agent_did)
  assertRefusal(await moat(ann, 'sign_amendment', { amendment_id }), denied('conformance L2 required'))
  // To take something back one voice is enough.
  assertSuccess(await moat(ann, 'sign_amendment', { amendment_id: rival.amendment_id }))
  scene.lesser.delete(ann.agent_did)
  assertSuccess(await moat(ann, 'sign_amendment', { amendment_id }))
  assert.equal(await stateOf(root), 'ACTIVE')
  assertRefusal(await cross(ann, bob, 'report'), closed('capability not granted'))
  const signed = await moat(bob, 'sign_amendment', { amendment_id })
  assert.equal(assertSuccess(signed).output.state, 'ACTIVE')
  assert.ok((await eventsOf('acme', signed)).includes('TreatyAmended'))
  const lapsed = await stateOf(rival.amendment_id)
  assert.deepEqual([await stateOf(root), lapsed], ['SUPERSEDED', 'LAPSED'])
  assertRefusal(
    await moat(bob, 'sign_amendment', { amendment_id: rival.amendment_id }),
    denied('amendment parent is no longer the head'),
  )
  await heard(async () => (await cross(ann, bob, 'report')).status === 200)
  const now = await mayCross(ann, ann, bob)
  assert.equal(now.treaty_id, amendment_id)
  const [left, before] = [now, used].map(({ remaining }) => remaining as { weekly_budget_micro_usd: string })
  assert.ok(BigInt(left!.weekly_budget_micro_usd) <= BigInt(before!.weekly_budget_micro_usd))
  assert.ok(BigInt(left!.weekly_budget_micro_usd) < 5_000_000n, 'what was spent under the first terms counts')
  while ((await cross(ann, bob)).status === 200);
  assertRefusal(await cross(ann, bob), { code: 'rate_limited', stage: 5, reason: 'limit reached: per_day' })
  const full = await mayCross(ann, ann, bob)
  assert.deepEqual([full.active, full.reason], [false, 'limit reached: per_day'])
  await end(root)
  assert.equal(await stateOf(amendment_id), 'TERMINATED', 'any id of the line ends what stands')
})

test('scenario 11: who leaves leaves at once; what is under way ends, and what is owed stays due', async (t) => {
  const { ann, bob, trial, service } = scene
  const coin = { asset_id: 'coin', denomination: { code: 'COIN', decimals: 2 } }
  assertSuccess(await made.publish(ann, coin))
  await made.fund(scene, ann, 1_000n)
  const capability_schedule = [{ capability: 'svc.trial.*' }, { capability: 'svc.made.*' }]
  const settlement_terms = { currency: 'COIN' }
  const treaty_id = await scene.agree({ capability_schedule, settlement_terms })
  const obligations = [made.owes('fee', 'proposer', '100')]
  const terms = { counterparty_did: bob.agent_did, obligations, treaty_id }
  const { contract_id } = assertSuccess(await made.create(ann, terms)).output
  assertSuccess(await made.create(bob, { contract_id }))
  await heard(async () => (await cross(ann, bob)).status === 200)
  const held = cross(ann, bob, 'hold')
  await trial.entered()
  const left = await moat(bob, 'terminate', { treaty_id, reason: 'we part' })
  const { output } = assertSuccess(left)
  assert.deepEqual(
    [output.state, output.open_obligations, output.terminated_at],
    ['TERMINATED', [`made://contract/${contract_id}`], scene.later(0)],
  )
  await heard(() => refusedNow('no active treaty'))
  trial.release()
  assert.equal((await held).status, 200)
  const { correlation_id } = assertSuccess(left).metadata
  await t.waitFor(async () => {
    for (const tenant_id of ['acme', 'globex']) {
      const told = await service.records(tenant_id, { correlation_ids: [correlation_id] })
      assert.ok(told.some(({ event_type }) => event_type === 'Terminated'))
    }
  }, soon)
  assertSuccess(await made.settle(ann, { contract_id }))
  const again = assertSuccess(await moat(ann, 'terminate', { treaty_id, reason: 'once more' })).output
  assert.deepEqual([again.terminated_at, again.state], [output.terminated_at, 'TERMINATED'])
})

test('a breach is found again by anybody who looks, and is answered by suspending', async (t) => {
  const { ann, bob } = scene
  const capability_schedule = [{ capability: echo }, { capability: 'svc.made.*' }]
  const treaty_id = await scene.agree({ capability_schedule, settlement_terms: { currency: 'COIN' } })
  const obligations = [made.owes('late', 'counterparty', '100', { due_at: scene.later(0) })]
  const terms = { counterparty_did: bob.agent_did, obligations, treaty_id }
  const { contract_id } = assertSuccess(await made.create(ann, terms)).output
  assertSuccess(await made.create(bob, { contract_id }))
  const period = { from: scene.later(0), to: scene.later(day_ms) }
  scene.clock.advance(hour_ms)
  const enforce = (who: made.Party, more: object = {}) => moat(who, 'enforce', { treaty_id, period, ...more })
  const { output } = assertSuccess(await enforce(ann))
  const [found] = output.findings as { id: string; kind: string }[]
  assert.deepEqual([output.compliant, found?.kind, output.state], [false, 'payment_overdue', 'ACTIVE'])
  assert.deepEqual(assertSuccess(await enforce(ann)).output, output)
  assert.equal(
    assertSuccess(await enforce(bob)).output.compliant,
    true,
    'the other has no reason to complain',
  )
  const suspend = { measure: 'suspend', reason: 'you owe us' }
  assertRefusal(await enforce(ann, { measure: 'suspend' }), invalid('reason missing'))
  assertRefusal(await enforce(bob, suspend), denied('no findings'))
  const nobodys = { ...suspend, finding_ids: ['00000000-0000-4000-8000-000000000000'] }
  assertRefusal(await enforce(ann, nobodys), invalid('not_found'))
  const suspended = await enforce(ann, { ...suspend, finding_ids: [found!.id] })
  assert.equal(assertSuccess(suspended).output.state, 'SUSPENDED')
  const events = await eventsOf('globex', suspended)
  assert.ok(events.includes('TreatyEnforced') && events.includes('TreatySuspended'))
  await heard(() => refusedNow('treaty suspended'))
  assert.equal((await mayCross(bob, bob, ann)).reason, 'treaty suspended')
  assertRefusal(await enforce(bob, { measure: 'resume', reason: 'please' }), denied('not the suspender'))
  assert.equal(
    assertSuccess(await enforce(ann, { measure: 'resume', reason: 'paid' })).output.state,
    'ACTIVE',
  )
  await heard(async () => (await cross(ann, bob)).status === 200)
  assertSuccess(await enforce(ann, suspend))
  const arbiter = await newArbiter(scene)
  const { case_id } = assertSuccess(await enforce(ann, { measure: 'claim', reason: 'pay us' })).output
  assert.equal((await mayCross(arbiter, ann, bob)).treaty_id, treaty_id)
  await assertHeldByCourt(scene, case_id)
  await heard(async () => (await cross(ann, bob)).status === 200)
  await sweepTreaties(engine(), testTick(scene.clock.now_ms()))
  await t.waitFor(async () => {
    const resumed = await scene.service.records('globex', { event_types: ['TreatyResumed'] })
    assert.deepEqual(resumed.at(-1)?.meta.by, 'time')
  }, soon)
  assert.equal(await stateOf(treaty_id), 'ACTIVE')
  await end(treaty_id)
})

test('time alone begins, ends and forgets treaties, whether or not anybody looks', async () => {
  const { ann, bob, later } = scene
  const waiting = assertSuccess(await moat(ann, 'propose', offer())).output.treaty_id
  const effective_from = later(hour_ms)
  const soonest = await scene.agree({ effective_from, expires_at: later(2 * hour_ms) })
  assert.equal(await stateOf(soonest), 'SIGNED')
  assertRefusal(await cross(ann, bob), closed('no active treaty'))
  scene.clock.advance(hour_ms)
  await heard(async () => (await cross(ann, bob)).status === 200)
  const at = later(hour_ms)
  assert.equal((await mayCross(ann, ann, bob, { at })).reason, 'treaty grant expired')
  scene.clock.advance(hour_ms)
  assertRefusal(await cross(ann, bob), closed('treaty grant expired'))
  await sweepTreaties(engine(), testTick(scene.clock.now_ms()))
  assert.deepEqual([await stateOf(soonest), await stateOf(waiting)], ['EXPIRED', 'PROPOSED'])
  scene.clock.advance(30 * day_ms)
  assertRefusal(
    await moat(bob, 'sign', { treaty_id: waiting }),
    denied('treaty is LAPSED; sign needs PROPOSED or PARTIALLY_SIGNED'),
  )
  await sweepTreaties(engine(), testTick(scene.clock.now_ms()))
  assert.equal(await stateOf(waiting), 'LAPSED')
  const back = asOwner(scene.service.db_url, (client) =>
    client.query("UPDATE treaties SET state = 'ACTIVE' WHERE id = $1", [soonest]),
  )
  await assert.rejects(back, /is EXPIRED and does not become ACTIVE/)
})

test('two who sign at once, and twice, have signed once', async () => {
  const { treaty_id } = assertSuccess(await moat(scene.ann, 'propose', offer())).output
  await assertSignedOnce(scene, treaty_id)
  await end(treaty_id)
})

test('invariant 8: whatever the two do, in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(external_effects, (steps) => walk(scene, steps)),
    { numRuns: is_long ? 300 : 3, endOnFailure: true },
  )
})
